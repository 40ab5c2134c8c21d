import type { Invoice, Subscription } from '../objects/bodies.ts'
import { preferredMethod } from '../objects/cards.ts'
import type { Session } from '../objects/session.ts'
import { cancelNow } from './end-subscription.ts'
import { draft, draftSeconds, finalize, voidInvoice } from './invoices.ts'
import { cycleLines, periodOf } from './lines.ts'
import { nextRenewal } from './money.ts'
import { collect } from './pay-invoice.ts'
import { saveSubscription } from './save-subscription.ts'
import { enterNextPhase } from './schedules.ts'

/** Does the one thing that is due for a subscription at `tx.now`; the caller repeats this until nothing is due. */
export async function advanceSubscription(tx: Session, subscription: Subscription): Promise<void> {
  const { now } = tx
  const { status, trial_end: trialEnd } = subscription
  if (status === 'incomplete') return expireFirst(tx, subscription)
  if (status === 'trialing' && trialEnd && now < trialEnd && !subscription._trialNoticed) {
    subscription._trialNoticed = true
    await saveSubscription(tx, subscription)
    return tx.emit('customer.subscription.trial_will_end', subscription)
  }
  if (subscription.cancel_at !== null && now >= subscription.cancel_at) {
    await cancelNow(tx, subscription, {})
    return
  }
  const before = subscription.items.data[0]?.price.recurring?.interval
  if (typeof subscription._phaseEnd === 'number' && now >= subscription._phaseEnd)
    await enterNextPhase(tx, subscription)
  if (subscription.ended_at || now < (subscription.items.data[0]?.current_period_end ?? 0)) {
    return saveSubscription(tx, subscription, 'customer.subscription.updated')
  }
  if (status === 'trialing' && !(await endTrial(tx, subscription))) return
  await renew(tx, subscription, before !== subscription.items.data[0]?.price.recurring?.interval)
}

/** Expires a subscription whose first payment did not arrive within Stripe's 23 hours. */
async function expireFirst(tx: Session, subscription: Subscription): Promise<void> {
  subscription.status = 'incomplete_expired'
  subscription.ended_at = tx.now
  const invoice = await tx.maybe<Invoice>(subscription.latest_invoice ?? '')
  if (invoice?.status === 'open') await voidInvoice(tx, invoice)
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
}

/** Ends a trial as its settings say. False if the subscription ends for lack of a card. */
async function endTrial(tx: Session, subscription: Subscription): Promise<boolean> {
  const customer = await tx.customer(subscription.customer)
  const method = await preferredMethod(
    tx,
    subscription.default_payment_method,
    customer.invoice_settings.default_payment_method,
  )
  const behavior = subscription.trial_settings.end_behavior.missing_payment_method
  subscription.billing_cycle_anchor = subscription.trial_end ?? tx.now
  if (!method && behavior === 'cancel') {
    await cancelNow(tx, subscription, {})
    return false
  }
  subscription.status = 'active'
  return true
}

/** Starts the next period with a draft that bills licensed items ahead and the past period's usage. */
async function renew(tx: Session, subscription: Subscription, newInterval: boolean): Promise<void> {
  const [first] = subscription.items.data
  if (!first) return
  const used = periodOf(first)
  const { interval = 'month', interval_count: step = 1 } = first.price.recurring ?? {}
  if (newInterval) subscription.billing_cycle_anchor = used.end
  const end = nextRenewal(subscription.billing_cycle_anchor, interval, step, used.end)
  for (const item of subscription.items.data)
    Object.assign(item, { current_period_start: used.end, current_period_end: end })
  const customer = await tx.customer(subscription.customer)
  const lines = await cycleLines(tx, subscription, used)
  const invoice = await draft(tx, {
    customer,
    subscription,
    reason: 'subscription_cycle',
    lines,
    period: used,
    finalizesAt: tx.now + draftSeconds,
  })
  subscription.latest_invoice = invoice.id
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
}

/** Finalizes and collects a draft after its hour; retries an open invoice. */
export async function advanceInvoice(tx: Session, invoice: Invoice): Promise<void> {
  invoice._due = null
  if (invoice.status === 'draft') await finalize(tx, invoice)
  if (invoice.status !== 'open') return tx.save(invoice)
  if (invoice.auto_advance) await collect(tx, invoice, { offSession: true })
  else await tx.save(invoice)
}
