import { invalid } from '../api/errors.ts'
import type {
  Customer,
  Invoice,
  InvoiceItem,
  Line,
  PaymentIntent,
  Period,
  Price,
  Subscription,
} from '../objects/bodies.ts'
import { cancelIntent } from '../objects/payments.ts'
import { newId, type Session, secret } from '../objects/session.ts'
import { type Payer, payerOf, taxLines, taxOf } from '../tax/compute.ts'
import { locationInvalid } from '../tax/location.ts'
import { balanceIn, setBalance } from './currency.ts'
import { amountOf, makeLine } from './lines.ts'
import { markPaid } from './mark-paid.ts'
import { saveSubscription } from './save-subscription.ts'
import { usage } from './usage.ts'

/** Stripe leaves a renewal's invoice in draft for about an hour so that lines can be added. */
export const draftSeconds = 3600

interface DraftFields {
  customer: Customer
  reason: string
  lines: Line[]
  subscription?: Subscription
  period?: Period
  autoAdvance?: boolean
  finalizesAt?: number | null
  automaticTax?: boolean
  /** Whoever is taxed, if not the customer as saved. */
  payer?: Payer
  extra?: object
}

function blank(tx: Session, fields: DraftFields): Invoice {
  const { customer, subscription, reason } = fields
  const key = secret()
  const automatic = fields.automaticTax ?? subscription?.automatic_tax.enabled
  const issuers = subscription?.invoice_settings.account_tax_ids
  const page = `${tx.around.publicUrl}/sandbox/checkout/invoices/${key}`
  const invoice = {
    id: newId('in'),
    object: 'invoice',
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name,
    account_name: tx.around.sellerName(),
    ...(issuers?.length && { account_tax_ids: issuers }),
    ...(automatic && { automatic_tax: automaticTax }),
    default_tax_rates: subscription?.default_tax_rates ?? [],
    currency: subscription?.currency ?? fields.lines[0]?.currency ?? 'usd',
    status: 'draft',
    billing_reason: reason,
    auto_advance: fields.autoAdvance ?? true,
    automatically_finalizes_at: fields.finalizesAt ?? null,
    collection_method: 'charge_automatically',
    default_payment_method: subscription?.default_payment_method ?? null,
    attempt_count: 0,
    amount_paid: 0,
    amount_overpaid: 0,
    amount_shipping: 0,
    pre_payment_credit_notes_amount: 0,
    post_payment_credit_notes_amount: 0,
    issuer: { type: 'self' },
    hosted_invoice_url: null,
    invoice_pdf: null,
    lines: { object: 'list', data: [], has_more: false, url: '' },
    parent: subscription
      ? {
          type: 'subscription_details',
          subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
          quote_details: null,
        }
      : null,
    period_start: fields.period?.start ?? tx.now,
    period_end: fields.period?.end ?? tx.now,
    status_transitions: { finalized_at: null, paid_at: null, voided_at: null, marked_uncollectible_at: null },
    next_payment_attempt: fields.finalizesAt ?? null,
    test_clock: customer.test_clock,
    metadata: {},
    _payment: null,
    _secret: key,
    _page: page,
    _due: fields.finalizesAt ?? null,
    ...fields.extra,
  } as unknown as Invoice
  invoice.starting_balance = balanceIn(customer, invoice.currency)
  return invoice
}

/** `automatic_tax` of an invoice, before its first computation. */
export const automaticTax = {
  enabled: true,
  disabled_reason: null,
  liability: { type: 'self' },
  provider: 'stripe',
  status: null,
}

/** Adds lines and recomputes the totals. */
export async function addLines(tx: Session, invoice: Invoice, lines: Line[], payer?: Payer): Promise<void> {
  for (const line of lines) line.invoice = invoice.id
  invoice.lines.data.push(...lines)
  invoice.lines.url = `/v1/invoices/${invoice.id}/lines`
  await count(tx, invoice, payer)
}

/** Computes the taxes and totals of a draft, with the customer's address and tax ids as they are now. */
export async function count(tx: Session, invoice: Invoice, given?: Payer): Promise<void> {
  const payer = given ?? (await payerOf(tx, await tx.customer(invoice.customer)))
  const { address = null, tax_exempt = null } = payer.customer
  Object.assign(invoice, { customer_address: address, customer_tax_exempt: tax_exempt })
  if (payer.ids.length || invoice.customer_tax_ids) invoice.customer_tax_ids = payer.ids
  const automatic = invoice.automatic_tax?.enabled ?? false
  const { currency, default_tax_rates: rates } = invoice
  const taxes = await taxLines(tx, invoice.lines.data, { currency, automatic, rates }, payer)
  if (taxes || invoice.total_taxes?.length) invoice.total_taxes = taxes ?? []
  if (automatic)
    invoice.automatic_tax = { ...invoice.automatic_tax, status: payer.place ? 'complete' : 'requires_location_inputs' }
  const subtotal = invoice.lines.data.reduce((sum, line) => sum + line.amount, 0)
  const net = subtotal - taxOf(taxes, 'inclusive')
  const total = subtotal + taxOf(taxes, 'exclusive')
  Object.assign(invoice, { subtotal, subtotal_excluding_tax: net, total, total_excluding_tax: net })
  invoice.amount_due = Math.max(0, total + Number(invoice.starting_balance))
  invoice.amount_remaining = invoice.amount_due
}

/** An invoice with its lines and totals, not saved. */
export async function sketch(tx: Session, fields: DraftFields): Promise<Invoice> {
  const invoice = blank(tx, fields)
  await addLines(tx, invoice, fields.lines, fields.payer)
  return invoice
}

/** Saves a draft. The customer's pending items are added unless `pending` is false. */
export async function draft(tx: Session, fields: DraftFields & { pending?: boolean }): Promise<Invoice> {
  const invoice = await sketch(tx, fields)
  const saved = await tx.create<Invoice>('invoice', 'in', invoice)
  if (fields.pending ?? true) await collectPending(tx, saved, fields.subscription?.id ?? null)
  await tx.save(saved)
  await tx.emit('invoice.created', saved)
  return saved
}

async function collectPending(tx: Session, invoice: Invoice, subscription: string | null): Promise<void> {
  for (const item of await tx.find<InvoiceItem>('invoiceitem', { customer: invoice.customer, invoice: null })) {
    if (item._subscription !== null && item._subscription !== subscription) continue
    if (item.currency !== invoice.currency) continue
    item.invoice = invoice.id
    await tx.save(item)
    await addLines(tx, invoice, [await lineOf(tx, item)])
  }
}

/** An invoice item as a line. */
export async function lineOf(tx: Session, item: InvoiceItem): Promise<Line> {
  const price = item._price ? await tx.maybe<Price>(item._price) : null
  const { amount, description, period, currency, quantity, proration, metadata } = item
  return makeLine({
    amount,
    description,
    period,
    currency,
    quantity,
    proration,
    metadata,
    price,
    subscription: item._subscription,
    invoiceItem: item.id,
    ...(item.tax_rates?.length && { rates: item.tax_rates }),
    ...(item._behavior && { behavior: item._behavior }),
    ...(item._code && { code: item._code }),
  })
}

/**
 * Finalizes amounts, assigns the number and applies the customer's balance. With nothing left to pay, marks it paid.
 * If automatic tax lacks the customer's place, a renewal that is due goes on without tax; any other invoice stays a draft.
 */
export async function finalize(tx: Session, invoice: Invoice): Promise<Invoice> {
  if (invoice.status !== 'draft') {
    throw invalid("This invoice is already finalized, you can't re-finalize a non-draft invoice.", {
      code: 'invoice_not_editable',
    })
  }
  const customer = await tx.customer(invoice.customer)
  for (const line of invoice.lines.data) await recountUsage(tx, invoice, line)
  const balance = balanceIn(customer, invoice.currency)
  invoice.starting_balance = balance
  await count(tx, invoice)
  if (invoice.automatic_tax.status === 'requires_location_inputs' && !(await dropTax(tx, invoice))) return invoice
  if (invoice.last_finalization_error) invoice.last_finalization_error = null
  const rest = invoice.total + balance
  const ending = invoice.total < 0 ? rest : Math.min(0, rest)
  setBalance(customer, invoice.currency, ending)
  if (ending !== balance) {
    await tx.save(customer, 'customer.updated')
  }
  invoice.ending_balance = ending
  invoice.number ??= `${customer.invoice_prefix}-${String(customer.next_invoice_sequence++).padStart(4, '0')}`
  await tx.save(customer)
  Object.assign(invoice, {
    status: 'open',
    effective_at: tx.now,
    automatically_finalizes_at: null,
    _due: null,
    next_payment_attempt: null,
  })
  invoice.status_transitions.finalized_at = tx.now
  invoice.hosted_invoice_url = String(invoice._page)
  invoice.invoice_pdf = `${invoice._page}/pdf`
  await tx.save(invoice, 'invoice.finalized')
  if (invoice.amount_due === 0) await markPaid(tx, invoice, null)
  return invoice
}

/** Turns automatic tax off for a renewal and its subscription; of any other invoice, notes that it could not be finalized. */
async function dropTax(tx: Session, invoice: Invoice): Promise<boolean> {
  const id = invoice.parent?.subscription_details?.subscription
  const subscription = id && tx.pinned ? await tx.maybe<Subscription>(id) : null
  if (!subscription) {
    const error = locationInvalid(true)
    invoice.last_finalization_error = error.fields
    await tx.save(invoice)
    await tx.emit('invoice.finalization_failed', invoice)
    if (tx.pinned) return false
    throw error
  }
  const off = { enabled: false, status: null }
  Object.assign(invoice.automatic_tax, { ...off, disabled_reason: 'finalization_requires_location_inputs' })
  Object.assign(subscription.automatic_tax, { enabled: false, disabled_reason: 'requires_location_inputs' })
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
  await count(tx, invoice)
  return true
}

async function recountUsage(tx: Session, invoice: Invoice, line: Line): Promise<void> {
  const price = line._metered && line._price ? await tx.maybe<Price>(line._price) : null
  if (!price) return
  const quantity = await usage(tx, invoice.customer, price, line.period)
  const amount = amountOf(price, quantity, invoice.currency)
  const description = String(line.description).replace(/^\d+/, String(quantity))
  Object.assign(line, { quantity, quantity_decimal: String(quantity), amount, subtotal: amount, description })
}

/** Voids an open or uncollectible invoice and cancels its payment. */
export async function voidInvoice(tx: Session, invoice: Invoice): Promise<Invoice> {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw invalid(`You can only pass in open or uncollectible invoices. This invoice isn't (it is ${invoice.status}).`)
  }
  Object.assign(invoice, { status: 'void', auto_advance: false, next_payment_attempt: null, _due: null })
  invoice.status_transitions.voided_at = tx.now
  const payment = invoice._payment ? await tx.maybe<PaymentIntent>(invoice._payment) : null
  if (payment) await cancelIntent(tx, payment)
  await tx.save(invoice, 'invoice.voided')
  return invoice
}
