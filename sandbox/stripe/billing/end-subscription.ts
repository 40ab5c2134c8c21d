import type { Invoice, Subscription } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { draft, draftSeconds } from './invoices.ts'
import { cycleLines, periodOf, prorationLine } from './lines.ts'
import { saveSubscription } from './save-subscription.ts'

interface Ending {
  reason?: 'cancellation_requested' | 'payment_failed'
  prorate?: boolean
  invoiceNow?: boolean
  details?: object
}

/** Ends a subscription. A last invoice bills the usage so far; unused time is credited only on request. */
export async function cancelNow(tx: Session, subscription: Subscription, ending: Ending): Promise<Subscription> {
  const wasLive = subscription.status === 'active' || subscription.status === 'past_due'
  const metered = wasLive && subscription.items.data.some((item) => item.price.recurring?.usage_type === 'metered')
  const lines = []
  const first = subscription.items.data[0]
  if (first && (metered || ending.invoiceNow)) {
    const used = { start: first.current_period_start, end: Math.min(tx.now, first.current_period_end) }
    lines.push(...(await cycleLines(tx, subscription, used)).filter((line) => line._metered))
  }
  if (ending.prorate && wasLive) {
    for (const item of subscription.items.data) {
      const credit = await prorationLine(tx, subscription, item, tx.now, 'unused')
      if (credit) lines.push(credit)
    }
  }
  subscription.status = 'canceled'
  subscription.canceled_at ??= tx.now
  subscription.ended_at = tx.now
  subscription.cancellation_details = {
    comment: null,
    feedback: null,
    reason: ending.reason ?? 'cancellation_requested',
    ...ending.details,
  }
  await stopInvoices(tx, subscription)
  if (lines.length && first) {
    const customer = await tx.customer(subscription.customer)
    const finalizesAt = tx.now + (ending.invoiceNow ? 0 : draftSeconds)
    const invoice = await draft(tx, {
      customer,
      subscription,
      reason: 'subscription_cycle',
      lines,
      period: periodOf(first),
      finalizesAt,
    })
    subscription.latest_invoice = invoice.id
  }
  await saveSubscription(tx, subscription)
  if (subscription.schedule) await endSchedule(tx, subscription.schedule)
  await tx.emit('customer.subscription.deleted', subscription)
  return subscription
}

async function stopInvoices(tx: Session, subscription: Subscription): Promise<void> {
  const mine = { parent: { subscription_details: { subscription: subscription.id } }, status: 'open' }
  for (const invoice of await tx.find<Invoice>('invoice', mine)) {
    Object.assign(invoice, { auto_advance: false, next_payment_attempt: null, _due: null })
    await tx.save(invoice, 'invoice.updated')
  }
}

async function endSchedule(tx: Session, id: string): Promise<void> {
  const schedule = await tx.maybe(id)
  if (schedule?.status !== 'active') return
  Object.assign(schedule, { status: 'canceled', canceled_at: tx.now, current_phase: null })
  await tx.save(schedule)
}
