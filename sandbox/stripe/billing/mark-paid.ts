import type { Body, Invoice, PaymentIntent, Subscription } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { saveSubscription } from './save-subscription.ts'

/** The subscription that an invoice bills, while it lives; one that is just being made looks after itself. */
export async function subscriptionOf(tx: Session, invoice: Invoice): Promise<Subscription | null> {
  const id = invoice.parent?.subscription_details?.subscription
  const subscription = id ? await tx.maybe<Subscription>(id) : null
  return subscription?.ended_at || subscription?._starting ? null : subscription
}

/** Closes an invoice as paid: by a payment, out of band, or because nothing was due. */
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

/** A payment revives a waiting subscription and carries out the change that waited for it. */
async function afterPayment(tx: Session, invoice: Invoice): Promise<void> {
  const subscription = await subscriptionOf(tx, invoice)
  if (!subscription) return
  const { status, pending_update: update } = subscription
  const waited =
    status === 'incomplete' ||
    ((status === 'past_due' || status === 'unpaid') && subscription.latest_invoice === invoice.id)
  if (waited) subscription.status = 'active'
  const applies = update && subscription._pendingInvoice === invoice.id
  if (applies) {
    subscription.items.data = update.subscription_items
    subscription.billing_cycle_anchor = Number(subscription._pendingAnchor ?? subscription.billing_cycle_anchor)
    subscription.pending_update = null
    subscription._pendingInvoice = null
  }
  if (waited || applies) await saveSubscription(tx, subscription, 'customer.subscription.updated')
  if (applies) await tx.emit('customer.subscription.pending_update_applied', subscription)
}
