/** The sentence beside the remaining credits. */
export function creditHint(remaining: number): string {
  if (remaining > 5000) return 'Plenty of credits available'
  if (remaining > 500) return 'Good amount remaining'
  return 'Consider topping up soon'
}

interface Period {
  remaining: number
  /** Credits that the plan grants for a period. */
  included: number
  periodEndSeconds: number
  interval: 'month' | 'year'
  now: Date
}

const dayMs = 86_400_000

/**
 * The day on which the credits run out if the rest of the period is used at the pace so far; null when nothing was
 * used, or they last until the period ends. The period is taken to begin one interval before its end.
 */
export function runsOutOn({ remaining, included, periodEndSeconds, interval, now }: Period): Date | null {
  const end = new Date(periodEndSeconds * 1000)
  const start = new Date(end)
  if (interval === 'year') start.setUTCFullYear(start.getUTCFullYear() - 1)
  else start.setUTCMonth(start.getUTCMonth() - 1)
  const used = included - remaining
  const elapsedMs = now.getTime() - start.getTime()
  // A pace taken from less than a day would swing wildly.
  if (used <= 0 || elapsedMs < dayMs) return null
  const day = new Date(now.getTime() + (remaining / used) * elapsedMs)
  return day < end ? day : null
}
