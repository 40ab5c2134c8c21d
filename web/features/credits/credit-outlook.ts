/** The hint next to the remaining credits. */
export function creditHint(remaining: number): string {
  if (remaining > 5000) return 'Plenty of credits available'
  if (remaining > 500) return 'Good amount remaining'
  return 'Consider topping up soon'
}

interface Period {
  remaining: number
  /** Credits the plan grants per period. */
  included: number
  periodEndSeconds: number
  interval: 'month' | 'year'
  now: Date
}

const dayMs = 86_400_000

/**
 * The day the credits run out at the average pace of this period; null if none were used, or if they last until the
 * period ends. The period is assumed to start one interval before its end.
 */
export function creditsRunOutOn({ remaining, included, periodEndSeconds, interval, now }: Period): Date | null {
  const end = new Date(periodEndSeconds * 1000)
  const start = new Date(end)
  if (interval === 'year') start.setUTCFullYear(start.getUTCFullYear() - 1)
  else start.setUTCMonth(start.getUTCMonth() - 1)
  const used = included - remaining
  const elapsedMs = now.getTime() - start.getTime()
  // A pace over less than a day fluctuates too much.
  if (used <= 0 || elapsedMs < dayMs) return null
  const day = new Date(now.getTime() + (remaining / used) * elapsedMs)
  return day < end ? day : null
}
