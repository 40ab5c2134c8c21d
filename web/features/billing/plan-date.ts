import type { Subscription } from '#contract/billing.ts'
import { formatUnixDay } from '../../lib/format.ts'

// Not among the texts of Billing: Overview shows this too, and would load them all.
const text = {
  nextBilling: 'Next billing date',
  renews: 'Renews on',
  ends: 'Ends on',
  changes: (name: string) => `Changes to ${name} on`,
}

/** What happens to a subscription next, and when: it ends, becomes another plan, is charged, or renews. */
export function planDate(subscription: Subscription): string {
  const { cancels_at: cancelsAt, pending_change: next, plan_type: type, current_period_end: end } = subscription
  if (cancelsAt !== null) return `${text.ends} ${formatUnixDay(cancelsAt)}`
  const what = next ? text.changes(next.name) : type === 'paid' ? `${text.nextBilling}:` : text.renews
  return `${what} ${formatUnixDay(end)}`
}
