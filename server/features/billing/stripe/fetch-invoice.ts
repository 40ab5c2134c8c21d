import type Stripe from 'stripe'
import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'
import { date } from './fetch-subscription.ts'
import { type Address, addressOf } from './tax-customer.ts'

const statuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const

export interface LineFacts {
  id: string
  /** Null for a line without a price, such as the pay-as-you-go minimum. */
  priceId: string | null
  /** Stripe's words for it; empty if it has none. */
  description: string
  /** Without tax. */
  cents: number
  quantity: number
  /** A correction for part of a period, never a period itself. */
  proration: boolean
  start: Date
  end: Date
}

/** One tax of an invoice. `reason` is Stripe's, such as reverse_charge or not_collecting; null: of a rate without one. */
export interface TaxLine {
  label: string
  percent: number | null
  cents: number
  /** Part of the prices, not on top of them. */
  included: boolean
  reason: string | null
  /** Whose tax it is, by its rate, else by the buyer's address. The state only where the rate is of one. Null: not known. */
  country: string | null
  state: string | null
  /** What was sold with it, without tax. Two taxes on one line both have its amount. */
  netCents: number
}

/** An invoice as it is at Stripe, in our terms. Amounts in cents. */
export interface InvoiceFacts {
  id: string
  customerId: string
  number: string | null
  /** An unknown status counts as open: nothing is granted for it. */
  status: (typeof statuses)[number]
  totalCents: number
  /** ISO code, lower case. */
  currency: string
  /** Stripe finalizes it automatically. */
  autoAdvance: boolean
  paidCents: number
  /** Of the total, what credit notes took away before it was paid. */
  creditedCents: number
  /** When it was finalized, or created while it is a draft. */
  createdAt: Date
  /** Null while it is not paid. */
  paidAt: Date | null
  /** Money of the test mode is not real. */
  live: boolean
  /** The seller's name at Stripe. */
  sellerName: string | null
  /** The buyer, as when the invoice was finalized. */
  buyer: { name: string | null; email: string | null; address: Address | null; taxIds: string[] }
  subscriptionId: string | null
  /** The first invoice of a subscription has no usage to bill. */
  opening: boolean
  paymentIntentId: string | null
  hostedUrl: string | null
  /** The top-up that this invoice pays for, by its metadata. */
  topupId: number | null
  /** A line that we added to reach the pay-as-you-go minimum. */
  minimumCents: number
  taxCents: number
  /** Of it, what is on top of the prices. */
  addedTaxCents: number
  /** Null: no tax was to be computed. */
  taxes: TaxLine[] | null
  lines: LineFacts[]
}

export async function fetchInvoice({ client }: StripeAccess, id: string): Promise<InvoiceFacts> {
  const found = await client.invoices.retrieve(id, { expand: ['payments'] })
  const lines = found.lines.has_more ? await allLines(client, id) : found.lines.data
  const taxes = await taxesOf(client, found, lines)
  return {
    id: found.id ?? id,
    customerId: found.customer ? idOf(found.customer) : '',
    number: found.number,
    status: statuses.find((one) => one === found.status) ?? (found.status ? 'open' : 'draft'),
    totalCents: found.total,
    currency: found.currency,
    autoAdvance: found.auto_advance ?? false,
    paidCents: found.amount_paid,
    creditedCents: found.pre_payment_credit_notes_amount,
    createdAt: date(found.status_transitions.finalized_at ?? found.created),
    paidAt: found.status_transitions.paid_at ? date(found.status_transitions.paid_at) : null,
    live: found.livemode,
    sellerName: found.account_name ?? null,
    buyer: {
      name: found.customer_name ?? null,
      email: found.customer_email ?? null,
      address: addressOf(found.customer_address),
      taxIds: (found.customer_tax_ids ?? []).flatMap(({ value }) => value ?? []),
    },
    subscriptionId: subscriptionOf(found),
    opening: found.billing_reason === 'subscription_create',
    paymentIntentId: paymentOf(found),
    hostedUrl: found.hosted_invoice_url ?? null,
    topupId: wholeNumber(found.metadata?.finmeter_topup),
    minimumCents: lines.reduce((sum, line) => sum + (line.metadata.finmeter_payg_minimum ? line.amount : 0), 0),
    taxCents: sumOf(taxes),
    addedTaxCents: sumOf(taxes?.filter(({ included }) => !included)),
    taxes,
    lines: lines.map(factsOf),
  }
}

const sumOf = (taxes: TaxLine[] | null = null): number => (taxes ?? []).reduce((sum, { cents }) => sum + cents, 0)

/** The taxes of an invoice, with the names and percentages of their rates; null: none was to be computed. */
export async function taxesOf(
  client: Stripe,
  invoice: Pick<Stripe.Invoice, 'automatic_tax' | 'total_taxes' | 'customer_address'>,
  lines: Stripe.InvoiceLineItem[],
): Promise<TaxLine[] | null> {
  const { automatic_tax: automatic } = invoice
  const taxes = invoice.total_taxes ?? []
  const buyer = { country: invoice.customer_address?.country ?? null, state: null }
  if (automatic?.disabled_reason) {
    const untaxed = { label: 'Tax', percent: null, cents: 0, included: false, reason: 'no_location' }
    return [{ ...untaxed, ...buyer, netCents: lines.reduce((sum, { amount }) => sum + amount, 0) }]
  }
  if (taxes.length === 0) return automatic?.enabled ? [] : null
  const ids = [...new Set(taxes.flatMap(({ tax_rate_details }) => tax_rate_details?.tax_rate ?? []))]
  const rates = new Map<string, Stripe.TaxRate>()
  for (const id of ids) rates.set(id, await client.taxRates.retrieve(id))
  return taxes.map((tax) => {
    const { amount, tax_behavior, taxability_reason: reason, tax_rate_details: details } = tax
    const rate = rates.get(details?.tax_rate ?? '')
    const bearing = lines.filter((line) => line.taxes?.some((one) => isSameTax(one, tax)))
    return {
      ...(rate?.country ? { country: rate.country, state: rate.state } : buyer),
      netCents: bearing.reduce((sum, line) => sum + line.amount - includedTax(line), 0),
      label: rate?.display_name || 'Tax',
      percent: rate?.effective_percentage ?? rate?.percentage ?? null,
      cents: amount,
      included: tax_behavior === 'inclusive',
      reason: reason === 'not_available' ? null : reason,
    }
  })
}

type SumOfTax = NonNullable<Stripe.Invoice['total_taxes']>[number]
type Taxing = Pick<SumOfTax, 'taxability_reason' | 'tax_behavior'> & {
  tax_rate_details?: { tax_rate: string } | null
}

/** Whether two sums are of one tax: Stripe names it by rate, reason and behavior, on invoices, their lines and credit notes. */
export const isSameTax = (one: Taxing, sum: Taxing): boolean =>
  one.tax_rate_details?.tax_rate === sum.tax_rate_details?.tax_rate &&
  one.taxability_reason === sum.taxability_reason &&
  one.tax_behavior === sum.tax_behavior

/** A fresh link to the PDF at Stripe; null while there is none. These links expire: never store one. */
export async function fetchPdfUrl({ client }: StripeAccess, id: string): Promise<string | null> {
  return (await client.invoices.retrieve(id)).invoice_pdf ?? null
}

async function allLines(client: Stripe, id: string): Promise<Stripe.InvoiceLineItem[]> {
  const lines: Stripe.InvoiceLineItem[] = []
  for await (const line of client.invoices.listLineItems(id, { limit: 100 })) lines.push(line)
  return lines
}

function factsOf(line: Stripe.InvoiceLineItem): LineFacts {
  const price = line.pricing?.price_details?.price
  const parent = line.parent?.subscription_item_details ?? line.parent?.invoice_item_details
  return {
    id: line.id,
    priceId: price ? idOf(price) : null,
    description: line.description ?? '',
    cents: line.amount - includedTax(line),
    quantity: line.quantity ?? 0,
    proration: parent?.proration ?? false,
    start: date(line.period.start),
    end: date(line.period.end),
  }
}

const includedTax = ({ taxes }: Stripe.InvoiceLineItem): number =>
  (taxes ?? []).reduce((sum, { amount, tax_behavior }) => sum + (tax_behavior === 'inclusive' ? amount : 0), 0)

function subscriptionOf(invoice: Stripe.Invoice): string | null {
  const subscription = invoice.parent?.subscription_details?.subscription
  return subscription ? idOf(subscription) : null
}

function paymentOf(invoice: Stripe.Invoice): string | null {
  const payment = invoice.payments?.data.find(({ status }) => status === 'paid') ?? invoice.payments?.data[0]
  const intent = payment?.payment.payment_intent
  return intent ? idOf(intent) : null
}

export const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
