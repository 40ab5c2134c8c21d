import type { CreditHistory } from '#contract/usage.ts'

export type CreditDay = CreditHistory['days'][number]

const dayMs = 86_400_000

/**
 * The days of the current period, oldest first. The period is assumed to start one month before its end, because
 * credits are granted monthly; annual plans show the last 30 days. Days before the first credits are left out: a trial
 * is shorter than a month.
 */
export function periodDays(
  days: readonly CreditDay[],
  periodEndSeconds: number,
  interval: 'month' | 'year',
): CreditDay[] {
  const period = interval === 'year' ? days.slice(-30) : days.filter(({ date }) => date >= firstDay(periodEndSeconds))
  const first = period.findIndex(({ remaining, spent }) => remaining > 0 || spent > 0)
  return period.slice(first === -1 ? -1 : first)
}

function firstDay(periodEndSeconds: number): string {
  const start = new Date(periodEndSeconds * 1000)
  start.setUTCMonth(start.getUTCMonth() - 1)
  return start.toISOString().slice(0, 10)
}

/** Remaining days of the period, so that the chart leaves room for them. */
export function daysToCome(days: readonly CreditDay[], periodEndSeconds: number, interval: 'month' | 'year'): number {
  const last = days.at(-1)
  if (!last || interval === 'year') return 0
  return Math.max(0, Math.floor((periodEndSeconds * 1000 - Date.parse(last.date)) / dayMs))
}

/**
 * Credits left as the corners of a line: `at` counts days, and a day's balance is that at its end. Credits that came in
 * (a purchase, a renewal) are a step at the beginning of their day, with their number; days only tell that they came.
 */
export function creditSteps(days: readonly CreditDay[]): { at: number; credits: number; added?: number }[] {
  const steps: ReturnType<typeof creditSteps> = []
  for (const [index, { remaining, spent }] of days.entries()) {
    const before = days[index - 1]?.remaining
    const added = before === undefined ? 0 : remaining + spent - before
    if (before === undefined) steps.push({ at: index, credits: remaining + spent })
    // Spent credits can exceed what came off the balance, as when a part was billed.
    else if (added > 0) steps.push({ at: index, credits: before }, { at: index, credits: remaining + spent, added })
    steps.push({ at: index + 1, credits: remaining })
  }
  return steps
}

export const toCsv = (days: readonly CreditDay[]): string =>
  [
    'date,credits_left,credits_spent',
    ...days.map(({ date, remaining, spent }) => `${date},${remaining},${spent}`),
  ].join('\n')
