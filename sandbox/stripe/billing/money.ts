import type { Interval } from '../objects/bodies.ts'

/** A decimal string as an exact fraction: '0.01' is 1/100. */
export function fraction(decimal: string): { top: bigint; bottom: bigint } {
  const [whole = '0', part = ''] = decimal.split('.')
  return { top: BigInt(whole + part), bottom: 10n ** BigInt(part.length) }
}

function floorDivide(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom
  return top % bottom < 0n ? quotient - 1n : quotient
}

const noDecimals = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/

/** How many decimals an amount of a currency has, as Stripe counts them. */
export function exponentOf(currency: string): number {
  return noDecimals.test(currency) ? 0 : /^(bhd|jod|kwd|omr|tnd)$/.test(currency) ? 3 : 2
}

/** The smallest amount that Stripe charges: ten of the units of a three-decimal currency. */
const stepOf = (currency: string) => (exponentOf(currency) === 3 ? 10 : 1)

/** `top / bottom` rounded half up to a whole amount of the currency. */
export function round(top: bigint, bottom: bigint, currency = 'usd'): number {
  const step = stepOf(currency)
  const unit = bottom * BigInt(step)
  return Number(floorDivide(2n * top + unit, 2n * unit)) * step
}

/** `decimal` cents times a whole quantity, rounded half up to whole cents: the amount of a usage line. */
export function multiply(decimal: string, quantity: number, currency = 'usd'): number {
  const { top, bottom } = fraction(decimal)
  return round(top * BigInt(quantity), bottom, currency)
}

/**
 * The share `seconds / of` of an amount in cents, rounded half down (toward minus infinity) to whole cents,
 * so the credit line and the charge line of a plan change are both floored at an exact half.
 */
export function prorate(cents: number, seconds: number, of: number, currency = 'usd'): number {
  const unit = BigInt(of) * BigInt(stepOf(currency))
  const whole = Number(-floorDivide(-(2n * BigInt(cents) * BigInt(seconds) - unit), 2n * unit))
  return whole * stepOf(currency)
}

/** Formats an amount: 1900 usd is '$19.00', 1900 jpy is '¥1,900'. A part of a cent is kept if `precise`. */
export function money(cents: number, currency = 'usd', precise = false): string {
  const digits = exponentOf(currency)
  const maximumFractionDigits = precise ? 15 : digits
  const minimumFractionDigits = precise ? 0 : digits
  const format = { style: 'currency', currency, minimumFractionDigits, maximumFractionDigits } as const
  return new Intl.NumberFormat('en-US', format).format(cents / 10 ** digits)
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
