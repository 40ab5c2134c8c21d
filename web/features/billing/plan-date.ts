import type { Subscription } from '#contract/billing.ts'
import { formatUnixDay } from '../../lib/format.ts'

// Not among the texts of Billing: Overview shows this too, and would load them all.
const text = {
  nextBilling: 'Next billing date',
  renews: 'Renews on',
  ends: 'Ends on',
  due: 'Payment due',
  changes: (name: string) => `Changes to ${name} on`,
}

/** A payment is late, or has never arrived. */
const UNPAID = ['past_due', 'unpaid', 'incomplete']

/** What happens to a subscription next, and when: it must be paid, ends, becomes another plan, is charged, or renews. */
export function planDate(subscription: Subscription): string {
  const { cancels_at: cancelsAt, pending_change: next, plan_type: type, current_period_end: end } = subscription
  const ends = cancelsAt !== null && `${text.ends} ${formatUnixDay(cancelsAt)}`
  // What is not paid has no next date: it is tried again on days of the payment provider's choice.
  if (UNPAID.includes(subscription.status)) return ends ? `${text.due}. ${ends}` : text.due
  if (ends) return ends
  if (subscription.status !== 'active') return ''
  const what = next ? text.changes(next.name) : type === 'paid' ? `${text.nextBilling}:` : text.renews
  return `${what} ${formatUnixDay(end)}`
}
