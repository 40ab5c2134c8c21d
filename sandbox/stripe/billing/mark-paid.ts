import type { Body, Invoice, PaymentIntent, Subscription } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { saveSubscription } from './save-subscription.ts'

/** The live subscription that an invoice bills; null while it is being created, when `subscribe` sets its status. */
export async function subscriptionOf(tx: Session, invoice: Invoice): Promise<Subscription | null> {
  const id = invoice.parent?.subscription_details?.subscription
  const subscription = id ? await tx.maybe<Subscription>(id) : null
  return subscription?.ended_at || subscription?._starting ? null : subscription
}

/** Closes an invoice as paid, by a payment or because nothing was due. */
export async function markPaid(tx: Session, invoice: Invoice, intent: PaymentIntent | null): Promise<void> {
  Object.assign(invoice, {
    status: 'paid',
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    _due: null,
  })
  invoice.next_payment_attempt = null
  invoice.status_transitions.paid_at = tx.now
  if (intent) {
    invoice.attempt_count += 1
    for (const payment of await tx.find<Body>('invoice_payment', { invoice: invoice.id })) {
      Object.assign(payment, {
        status: 'paid',
        amount_paid: intent.amount,
        status_transitions: { canceled_at: null, paid_at: tx.now },
      })
      await tx.save(payment)
    }
  }
  await tx.save(invoice, 'invoice.paid')
  await afterPayment(tx, invoice)
}

/** Activates a subscription that was waiting for this payment. */
async function afterPayment(tx: Session, invoice: Invoice): Promise<void> {
  const subscription = await subscriptionOf(tx, invoice)
  if (!subscription) return
  const { status, latest_invoice: latest } = subscription
  if (status !== 'incomplete' && !(status === 'past_due' && latest === invoice.id)) return
  subscription.status = 'active'
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
}
