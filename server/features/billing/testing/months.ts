import fc from 'fast-check'

export const HOUR = 3_600_000

/** A UTC date some months later, or the last day of that month if it is shorter. Times are ms. */
export function addMonths(at: number, months: number): number {
  const day = new Date(at)
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth() + months]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(day.getUTCDate(), last)) + (at % (24 * HOUR))
}

/** The month of a plan that contains `at`, counted from its first day. */
export function periodOf(anchor: number, at: number): { start: number; end: number } {
  let n = 0
  while (addMonths(anchor, n + 1) <= at) n++
  return { start: addMonths(anchor, n), end: addMonths(anchor, n + 1) }
}

/** Any hour of the days on which months differ, some time before clocks change in New York. */
export const anyStart = fc
  .record({ month: fc.nat(23), day: fc.constantFrom(1, 15, 28, 29, 30, 31), hour: fc.nat(23) })
  .map(({ month, day, hour }) => Date.UTC(2027, month, day, hour, 20))
