import type Stripe from 'stripe'
import { fetchSavedCard } from './cards.ts'
import type { StripeAccess } from './client.ts'
import { isRepeated } from './failure.ts'
import { METER_EVENT } from './seed-catalog.ts'
import { type ItemTax, invoiceTaxes, itemTaxes } from './taxes.ts'

export interface MeteredUsage {
  customerId: string
  /** The event's identifier, by which Stripe ignores duplicates. */
  identifier: string
  units: number
  at: Date
}

/** Adds units to the meter; a repeat within a day adds nothing. */
export async function sendUsage({ client }: StripeAccess, usage: MeteredUsage): Promise<void> {
  try {
    await client.billing.meterEvents.create(
      {
        event_name: METER_EVENT,
        identifier: usage.identifier,
        timestamp: Math.floor(usage.at.getTime() / 1000),
        payload: { stripe_customer_id: usage.customerId, value: String(usage.units) },
      },
      { idempotencyKey: `meter:${usage.identifier}` },
    )
  } catch (error) {
    if (!isRepeated(error)) throw error
  }
}

/** What the meter has counted for a customer in [from, to), in whole hours. */
export async function readMeter(
  { client }: StripeAccess,
  given: { customerId: string; from: Date; to: Date },
): Promise<number | null> {
  const meters = await client.billing.meters.list({ status: 'active', limit: 100 })
  const meter = meters.data.find(({ event_name }) => event_name === METER_EVENT)
  if (!meter) return null
  let units = 0
  const range = { start_time: given.from.getTime() / 1000, end_time: given.to.getTime() / 1000 }
  const asked = { customer: given.customerId, value_grouping_window: 'hour', limit: 100, ...range } as const
  for await (const { aggregated_value } of client.billing.meters.listEventSummaries(meter.id, asked))
    units += aggregated_value
  return units
}

/** Keeps a draft from being finalized before its usage is counted. Other invoices are left alone. */
export async function holdDraft({ client }: StripeAccess, invoiceId: string): Promise<void> {
  await client.invoices.update(invoiceId, { auto_advance: false }, { idempotencyKey: `hold:${invoiceId}` })
}

/** Lets Stripe finalize and collect a held draft. */
export async function releaseDraft({ client }: StripeAccess, invoiceId: string): Promise<void> {
  await client.invoices.update(invoiceId, { auto_advance: true }, { idempotencyKey: `release:${invoiceId}` })
}

interface Item {
  invoiceId: string
  customerId: string
  cents: number
  currency: string
  tax: ItemTax
}

/** Adds a line up to the monthly minimum to a draft, once. */
export async function addMinimum(access: StripeAccess, item: Item): Promise<void> {
  const { invoiceId: invoice, customerId: customer, cents: amount, currency } = item
  const metadata = { finmeter_payg_minimum: '1' }
  const taxes = itemTaxes(access, item.tax)
  await access.client.invoiceItems.create(
    { customer, invoice, amount, currency, description: 'To the monthly minimum', metadata, ...taxes },
    { idempotencyKey: `paygmin:${invoice}` },
  )
}

/**
 * Bills what is missing on a finalized usage invoice with a separate invoice, once, and returns its id. Stripe collects it only when it
 * is complete. One that an earlier run made is continued, however long ago that was.
 */
export async function billRest(access: StripeAccess, item: Item): Promise<string> {
  const { client } = access
  const { invoiceId, customerId: customer, cents: amount, currency } = item
  const metadata = { finmeter_rest_of: invoiceId }
  const rest = (await findRest(client, item)) ?? (await openRest(access, item, metadata))
  const invoice = rest.id as string
  if (rest.status !== 'draft') return invoice
  const description = 'Usage and minimum of the previous month'
  if (rest.lines.data.length === 0)
    await client.invoiceItems.create(
      { customer, invoice, amount, currency, description, metadata, ...itemTaxes(access, item.tax) },
      { idempotencyKey: `paygrestitem:${invoiceId}` },
    )
  await releaseDraft(access, invoice)
  return invoice
}

async function findRest(client: Stripe, { invoiceId, customerId }: Item): Promise<Stripe.Invoice | null> {
  for await (const made of client.invoices.list({ customer: customerId, limit: 100 }))
    if (made.metadata?.finmeter_rest_of === invoiceId) return made
  return null
}

async function openRest(
  access: StripeAccess,
  { invoiceId, customerId: customer, currency }: Item,
  metadata: Stripe.MetadataParam,
): Promise<Stripe.Invoice> {
  // The subscription, which knew the card, may have ended.
  const card = await fetchSavedCard(access, customer)
  return access.client.invoices.create(
    {
      customer,
      currency,
      auto_advance: false,
      pending_invoice_items_behavior: 'exclude',
      metadata,
      ...(card && { default_payment_method: card.id }),
      ...invoiceTaxes(access),
    },
    { idempotencyKey: `paygrest:${invoiceId}` },
  )
}
