import type { CreditHistory } from '#contract/usage.ts'

/** The hint next to the remaining credits. */
export function creditHint(remaining: number): string {
  if (remaining > 5000) return 'Plenty of credits available'
  if (remaining > 500) return 'Good amount remaining'
  return 'Consider topping up soon'
}

/** The days with today's balance, which is newer than they are. */
export const upToNow = (days: CreditHistory['days'], remaining: number): CreditHistory['days'] =>
  days.map((day, index) =>
    index < days.length - 1 ? day : { ...day, remaining, spent: day.spent + Math.max(0, day.remaining - remaining) },
  )

interface Account {
  /** Up to today, oldest first. */
  days: CreditHistory['days']
  remaining: number
  /** The plan that renews; null without one. */
  plan: { included: number; renewsAtSeconds: number } | null
  now: Date
}

export interface Forecast {
  /** Credits spent per day. */
  perDay: number
  /** Null if they last until the plan renews, or for more than a year. */
  runOutOn: Date | null
}

const dayMs = 86_400_000
const paceDays = 7
const farDays = 365

/** How long credits last at the pace of the last seven days; null if none were spent, or if it is too early to tell. */
export function creditForecast({ days, remaining, plan, now }: Account): Forecast | null {
  const recent = days.slice(-paceDays - 1)
  const first = days.find(({ spent }) => spent > 0)
  if (!first || !recent[0]) return null
  const since = Math.max(Date.parse(recent[0].date), Date.parse(first.date))
  const elapsed = (now.getTime() - since) / dayMs
  const perDay = recent.reduce((sum, { spent }) => sum + spent, 0) / elapsed
  // A pace over less than a day fluctuates too much.
  if (perDay <= 0 || elapsed < 1) return null
  const daysLeft = remaining / perDay
  const runOutOn = new Date(now.getTime() + daysLeft * dayMs)
  const isRenewed = plan && remaining <= plan.included && runOutOn.getTime() >= plan.renewsAtSeconds * 1000
  return { perDay, runOutOn: isRenewed || daysLeft > farDays ? null : runOutOn }
}
