import type { Interval } from '../objects/bodies.ts'

/** A decimal string as an exact fraction: '0.01' is 1/100. */
function fraction(decimal: string): { top: bigint; bottom: bigint } {
  const [whole = '0', part = ''] = decimal.split('.')
  return { top: BigInt(whole + part), bottom: 10n ** BigInt(part.length) }
}

function floorDivide(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom
  return top % bottom < 0n ? quotient - 1n : quotient
}

/** `decimal` cents times a whole quantity, rounded half up to whole cents: the amount of a usage line. */
export function multiply(decimal: string, quantity: number): number {
  const { top, bottom } = fraction(decimal)
  return Number(floorDivide(2n * top * BigInt(quantity) + bottom, 2n * bottom))
}

/**
 * The share `seconds / of` of an amount in cents, rounded half down (toward minus infinity) to whole cents,
 * so the credit line and the charge line of a plan change are both floored at an exact half.
 */
export function prorate(cents: number, seconds: number, of: number): number {
  return Number(-floorDivide(-(2n * BigInt(cents) * BigInt(seconds) - BigInt(of)), 2n * BigInt(of)))
}

/** Formats an amount: 1900 usd is '$19.00'. */
export function money(cents: number, currency = 'usd'): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100)
}

/** `count` intervals after `anchor` (seconds, UTC); a day that the month does not have becomes its last day. */
export function addIntervals(anchor: number, interval: Interval, count: number): number {
  if (interval === 'day' || interval === 'week') return anchor + count * (interval === 'day' ? 86_400 : 604_800)
  const date = new Date(anchor * 1000)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + count * (interval === 'year' ? 12 : 1))
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return Math.floor(date.getTime() / 1000)
}

/** The first renewal after `time` of a cycle that is counted from `anchor`. */
export function nextRenewal(anchor: number, interval: Interval, step: number, time: number): number {
  if (anchor > time) return anchor
  let count = 0
  let end = anchor
  while (end <= time) end = addIntervals(anchor, interval, ++count * step)
  return end
}

/** 'Nov 21, 2026', UTC. */
export function day(seconds: number): string {
  return new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    seconds * 1000,
  )
}
