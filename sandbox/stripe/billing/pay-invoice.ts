import { invalid } from '../api/errors.ts'
import type { Body, Invoice, PaymentIntent, PaymentMethod, Subscription } from '../objects/bodies.ts'
import { preferredMethod } from '../objects/cards.ts'
import { charge, createIntent } from '../objects/payments.ts'
import type { Session } from '../objects/session.ts'
import { afterFailure } from './after-failure.ts'
import { markPaid } from './mark-paid.ts'

/** Days from each failed attempt at a renewal to the next one; after the last, the subscription ends. */
const retryDays = [3, 5, 7]

/** The saved payment method for this invoice, or null. */
export async function methodFor(tx: Session, invoice: Invoice): Promise<PaymentMethod | null> {
  const customer = await tx.customer(invoice.customer)
  // A card that the customer saved after the invoice was made pays the next attempt.
  const id = invoice.parent?.subscription_details?.subscription
  const subscription = id ? await tx.maybe<Subscription>(id) : null
  return preferredMethod(
    tx,
    subscription?.default_payment_method,
    invoice.default_payment_method,
    customer.invoice_settings.default_payment_method,
  )
}

async function intentFor(tx: Session, invoice: Invoice): Promise<PaymentIntent> {
  if (invoice._payment) return tx.get<PaymentIntent>('payment_intent', invoice._payment)
  const intent = await createIntent(tx, {
    amount: invoice.amount_remaining,
    currency: invoice.currency,
    customer: invoice.customer,
    description:
      invoice.billing_reason === 'subscription_create'
        ? 'Subscription creation'
        : `Payment for invoice ${invoice.number}`,
    setup_future_usage: invoice.parent ? 'off_session' : null,
    metadata: {},
    _invoice: invoice.id,
    _clock: invoice.test_clock,
  })
  invoice._payment = intent.id
  await notePayment(tx, invoice, intent)
  return intent
}

/** Records that an intent pays an invoice. */
export async function notePayment(tx: Session, invoice: Invoice, intent: PaymentIntent): Promise<void> {
  await tx.create('invoice_payment', 'inpay', {
    amount_requested: intent.amount,
    currency: intent.currency,
    invoice: invoice.id,
    is_default: true,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  })
}

/** Tries once to collect an open invoice. Returns the intent with the result, or null if there is no payment method. */
export async function collect(
  tx: Session,
  invoice: Invoice,
  given: { method?: PaymentMethod | null; offSession?: boolean; authenticated?: boolean } = {},
): Promise<PaymentIntent | null> {
  if (invoice.status === 'paid') throw invalid('Invoice is already paid', { code: 'invoice_already_paid' })
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw invalid(`This invoice can't be paid because it is ${invoice.status}.`, { code: 'invoice_not_editable' })
  }
  invoice.attempted = true
  const method = given.method ?? (await methodFor(tx, invoice))
  if (!method) {
    await failed(tx, invoice, false)
    return null
  }
  const intent = await intentFor(tx, invoice)
  if (intent._due) return intent
  intent.amount = invoice.amount_remaining
  await charge(tx, intent, method, given)
  if (intent.status === 'succeeded') await markPaid(tx, invoice, intent)
  else if (intent.status === 'processing') await tx.save(invoice, 'invoice.updated')
  else
    await failed(
      tx,
      invoice,
      intent.status === 'requires_action' || intent.last_payment_error?.code === 'authentication_required',
    )
  return intent
}

async function failed(tx: Session, invoice: Invoice, needsAction: boolean): Promise<void> {
  invoice.attempt_count += 1
  const renewal = /^subscription_(cycle|update)$/.test(invoice.billing_reason) && invoice.auto_advance
  const days = renewal ? retryDays[invoice.attempt_count - 1] : undefined
  invoice.next_payment_attempt = days ? tx.now + days * 86_400 : null
  invoice._due = invoice.next_payment_attempt
  await tx.save(invoice, 'invoice.updated')
  if (needsAction) await tx.emit('invoice.payment_action_required', invoice)
  await tx.emit('invoice.payment_failed', invoice)
  await afterFailure(tx, invoice, renewal && !days)
}

/** Updates the checkout session and the invoice of a bank debit that has settled. */
export async function onPaymentSettled(tx: Session, intent: PaymentIntent): Promise<void> {
  const session = (await tx.find<Body>('checkout.session', { payment_intent: intent.id }))[0]
  if (session) {
    const paid = intent.status === 'succeeded'
    if (paid) session.payment_status = 'paid'
    await tx.save(session)
    await tx.emit(paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed', session)
  }
  const invoice = intent._invoice ? await tx.maybe<Invoice>(intent._invoice) : null
  if (invoice?.status !== 'open') return
  if (intent.status === 'succeeded') await markPaid(tx, invoice, intent)
  else await failed(tx, invoice, false)
}
