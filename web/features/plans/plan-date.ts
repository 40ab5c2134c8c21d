import type { Subscription } from '#contract/billing.ts'
import { formatUnixDay } from '../../lib/format.ts'

// Not in Billing's text.ts, which Overview would then load.
const text = {
  nextBilling: 'Next billing date',
  renews: 'Renews on',
  ends: 'Ends on',
  due: 'Payment due',
  changes: (name: string) => `Changes to ${name} on`,
}

/** Whether a payment is late or was never made. */
const UNPAID = ['past_due', 'unpaid', 'incomplete']

/** The next event of a subscription and its date: payment due, end, plan change, charge or renewal. */
export function planDate(subscription: Subscription): string {
  const { cancels_at: cancelsAt, pending_change: next, plan_type: type, current_period_end: end } = subscription
  const ends = cancelsAt !== null && `${text.ends} ${formatUnixDay(cancelsAt)}`
  // Unpaid subscriptions have no next date: the payment provider decides when to retry.
  if (UNPAID.includes(subscription.status)) return ends ? `${text.due}. ${ends}` : text.due
  if (ends) return ends
  if (subscription.status !== 'active') return ''
  const what = next ? text.changes(next.name) : type === 'paid' ? `${text.nextBilling}:` : text.renews
  return `${what} ${formatUnixDay(end)}`
}
