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

/** Does the one thing that is due for a subscription at `tx.now`; the caller repeats until nothing is due. */
export async function advanceSubscription(tx: Session, subscription: Subscription): Promise<void> {
  const { now } = tx
  const { status, trial_end: trialEnd, pending_update: update } = subscription
  if (status === 'incomplete') return expireFirst(tx, subscription)
  if (update && now >= update.expires_at) return dropUpdate(tx, subscription)
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

/** The first payment never came: Stripe gives up after 23 hours. */
async function expireFirst(tx: Session, subscription: Subscription): Promise<void> {
  subscription.status = 'incomplete_expired'
  subscription.ended_at = tx.now
  const invoice = await tx.maybe<Invoice>(subscription.latest_invoice ?? '')
  if (invoice?.status === 'open') await voidInvoice(tx, invoice)
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
}

async function dropUpdate(tx: Session, subscription: Subscription): Promise<void> {
  const invoice = await tx.maybe<Invoice>(subscription._pendingInvoice ?? '')
  subscription.pending_update = null
  subscription._pendingInvoice = null
  await saveSubscription(tx, subscription)
  if (invoice?.status === 'open') await voidInvoice(tx, invoice)
  await tx.emit('customer.subscription.pending_update_expired', subscription)
}

/** Without a card, a trial ends as its settings say; false when the subscription does not go on. */
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
  if (!method && behavior === 'pause') {
    subscription.status = 'paused'
    await saveSubscription(tx, subscription, 'customer.subscription.paused')
    return false
  }
  subscription.status = 'active'
  return true
}

/** Starts the next period: a draft that bills the new period of licensed items and the past period's usage. */
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

/** A draft whose hour has passed is finalized and collected; an open one is collected again. */
export async function advanceInvoice(tx: Session, invoice: Invoice): Promise<void> {
  invoice._due = null
  if (invoice.status === 'draft') await finalize(tx, invoice)
  if (invoice.status !== 'open') return tx.save(invoice)
  if (invoice.auto_advance) await collect(tx, invoice, { offSession: true })
  else await tx.save(invoice)
}
