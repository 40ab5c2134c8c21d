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

/** An open invoice and what it costs with tax, or why no tax could be computed: then nothing is left that could be paid. */
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
  const added = await client.invoiceItems.create(item, key('item'))
  try {
    const { total, automatic_tax } = await client.invoices.finalizeInvoice(
      invoice,
      { auto_advance: false },
      key('finalize'),
    )
    if (access.taxes !== 'stripe' || automatic_tax.status === 'complete') return { id: invoice, totalCents: total }
    // Stripe finalizes some without tax when it lacks the place.
    await voidOpenInvoice(access, invoice)
    return { refused: 'no_location' }
  } catch (error) {
    const refused = taxRefusalCode(error)
    if (refused === null) throw error
    await deleteDraft(client, invoice, added.id)
    return { refused }
  }
}

/** The item first: left over, it would be on the customer's next invoice. */
async function deleteDraft(client: Stripe, invoiceId: string, itemId: string): Promise<void> {
  for (const remove of [() => client.invoiceItems.del(itemId), () => client.invoices.del(invoiceId)])
    await remove().catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
}

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
