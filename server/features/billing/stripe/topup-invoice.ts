import type Stripe from 'stripe'
import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'
import { isMissing, refusalCode, taxRefusalCode } from './failure.ts'
import { type ItemTax, invoiceTaxes, itemTaxes } from './taxes.ts'

type TaxRefusal = NonNullable<ReturnType<typeof taxRefusalCode>>

export interface TopupCharge {
  topupId: number
  customerId: string
  accountPublicId: string
  cents: number
  currency: string
  description: string
  tax: ItemTax
}

/** An open invoice and what it costs with tax, or why no tax could be computed: then what was made of it is to be taken back. */
export type OpenedInvoice = { id: string; totalCents: number } | { refused: TaxRefusal }

/** The state of an automatic top-up's charge. `unpaid`: no attempt was made. */
export type ChargeState =
  | { kind: 'unpaid' | 'paid' | 'processing' | 'void' }
  | { kind: 'action'; url: string | null }
  | { kind: 'declined'; code: string }

/** Creates the open invoice of an automatic top-up; a repeat within a day returns the same one. */
export async function openTopupInvoice(access: StripeAccess, charge: TopupCharge): Promise<OpenedInvoice> {
  const { client } = access
  const { topupId, customerId: customer, accountPublicId, cents, currency, description } = charge
  const key = (step: string) => ({ idempotencyKey: `topup:${topupId}:${accountPublicId}:${step}` })
  const metadata = { finmeter_account: accountPublicId, finmeter_topup: String(topupId) }
  const draft = await client.invoices.create(
    {
      customer,
      auto_advance: false,
      pending_invoice_items_behavior: 'exclude',
      currency,
      metadata,
      ...invoiceTaxes(access),
    },
    key('invoice'),
  )
  const invoice = draft.id as string
  const item = { customer, invoice, amount: cents, currency, description, metadata, ...itemTaxes(access, charge.tax) }
  await client.invoiceItems.create(item, key('item'))
  try {
    const { total, automatic_tax } = await client.invoices.finalizeInvoice(
      invoice,
      { auto_advance: false },
      key('finalize'),
    )
    // The draft of an attempt that was cut off while its item was taken back: nothing was charged, and nothing is bought.
    if (total === 0) return { refused: 'tax_unavailable' }
    if (access.taxes !== 'stripe' || automatic_tax.status === 'complete') return { id: invoice, totalCents: total }
    // Stripe finalizes some without tax when it lacks the place.
    return { refused: 'no_location' }
  } catch (error) {
    // Missing: it was taken back, and the server ended before it noted that.
    const refused = isMissing(error) ? 'tax_unavailable' : taxRefusalCode(error)
    if (refused === null) throw error
    return { refused }
  }
}

/**
 * Takes back the invoice of a top-up, whose id may be in an answer that was lost: a draft is deleted, an open one voided. Returns the
 * id of one that is paid, which stays; one of nothing, whose item was taken back, counts as none.
 */
export async function takeBackTopupInvoice(
  access: StripeAccess,
  { id, customerId: customer }: { id: number; customerId: string },
): Promise<string | null> {
  let paid: string | null = null
  for await (const invoice of access.client.invoices.list({ customer, limit: 100 })) {
    if (invoice.metadata?.finmeter_topup !== String(id)) continue
    if (invoice.status === 'paid') paid = invoice.total > 0 ? (invoice.id as string) : paid
    else if (invoice.status === 'draft') await deleteDraft(access.client, invoice)
    else await voidOpenInvoice(access, invoice.id as string)
  }
  return paid
}

/** The items first: left over, they would be on the customer's next invoice. */
async function deleteDraft(client: Stripe, { id, lines }: Stripe.Invoice): Promise<void> {
  for (const { parent } of lines.data) {
    const item = parent?.invoice_item_details?.invoice_item
    if (item) await unlessMissing(client.invoiceItems.del(item))
  }
  await unlessMissing(client.invoices.del(id as string))
}

const unlessMissing = (removal: Promise<unknown>): Promise<unknown> =>
  removal.catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })

/** Charges the saved card once; a repeat within a day returns the result of the first attempt. */
export async function payTopupInvoice(
  access: StripeAccess,
  invoiceId: string,
  { topupId, accountPublicId, method }: { topupId: number; accountPublicId: string; method: string },
): Promise<ChargeState> {
  try {
    await access.client.invoices.pay(
      invoiceId,
      { off_session: true, payment_method: method },
      { idempotencyKey: `topup:${topupId}:${accountPublicId}:pay` },
    )
  } catch (error) {
    const code = refusalCode(error)
    if (code === null) throw error
    if (code !== 'authentication_required') return { kind: 'declined', code }
  }
  return readTopupInvoice(access, invoiceId)
}

export async function readTopupInvoice({ client }: StripeAccess, invoiceId: string): Promise<ChargeState> {
  const invoice = await client.invoices.retrieve(invoiceId, { expand: ['payments.data.payment.payment_intent'] })
  if (invoice.status === 'paid') return { kind: 'paid' }
  if (invoice.status === 'void' || invoice.status === 'uncollectible') return { kind: 'void' }
  if (!invoice.attempted) return { kind: 'unpaid' }
  const intent = await intentOf(client, invoice)
  if (intent?.status === 'processing') return { kind: 'processing' }
  const code = intent?.last_payment_error?.code
  if (intent?.status === 'requires_action' || code === 'authentication_required')
    return { kind: 'action', url: invoice.hosted_invoice_url ?? null }
  return { kind: 'declined', code: code ?? 'card_declined' }
}

/** Voids the invoice, so that nothing collects it later. A final one is left alone. */
export async function voidOpenInvoice({ client }: StripeAccess, invoiceId: string): Promise<void> {
  const invoice = await client.invoices.retrieve(invoiceId)
  if (invoice.status === 'open' || invoice.status === 'uncollectible') await client.invoices.voidInvoice(invoiceId)
}

async function intentOf(client: Stripe, invoice: Stripe.Invoice): Promise<Stripe.PaymentIntent | null> {
  const intent = invoice.payments?.data.at(-1)?.payment.payment_intent
  if (!intent) return null
  return typeof intent === 'string' ? client.paymentIntents.retrieve(idOf(intent)) : intent
}
