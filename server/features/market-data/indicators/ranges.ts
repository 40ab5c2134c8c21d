import type { BarColumns } from '../bars/bar-series.ts'
import { deviation, ema, sma, wilder } from './averages.ts'
import { typicalPrice } from './oscillators.ts'
import { columnFrom, highest, lowest, sums } from './windows.ts'

/** True range (Wilder): the greatest of high - low and the distances of both from the close before. NaN for the first bar. */
export function trueRange({ high, low, close }: BarColumns): Float64Array {
  const result = columnFrom(1, high.length)
  for (let i = 1; i < high.length; i++) {
    const before = close[i - 1]!
    result[i] = Math.max(high[i]! - low[i]!, Math.abs(high[i]! - before), Math.abs(low[i]! - before))
  }
  return result
}

/** Average true range by Wilder's average. First value at index period. */
export const atr = (bars: BarColumns, period: number): Float64Array => wilder(trueRange(bars), period)

/** Bollinger bands: average, and the average plus and minus `width` population standard deviations. Upper, middle, lower. */
export function bollinger(close: Float64Array, period: number, width: number): Float64Array[] {
  const middle = sma(close, period)
  return around(middle, deviation(close, period, middle), width)
}

/** Keltner channel (L. Raschke): EMA of the close plus and minus `width` average true ranges. Upper, middle, lower. */
export function keltner(bars: BarColumns, period: number, rangePeriod: number, width: number): Float64Array[] {
  const middle = ema(bars.close, period)
  return around(middle, atr(bars, rangePeriod), width)
}

/** `middle` plus `width` times `spread`, `middle`, and minus. */
function around(middle: Float64Array, spread: Float64Array, width: number): Float64Array[] {
  const upper = new Float64Array(middle.length)
  const lower = new Float64Array(middle.length)
  for (let i = 0; i < middle.length; i++) {
    upper[i] = middle[i]! + width * spread[i]!
    lower[i] = middle[i]! - width * spread[i]!
  }
  return [upper, middle, lower]
}

/** Donchian channel: highest high, its middle, lowest low of `period` bars, this one included. */
export function donchian({ high, low }: BarColumns, period: number): Float64Array[] {
  const upper = highest(high, period)
  const lower = lowest(low, period)
  const middle = new Float64Array(upper.length)
  for (let i = 0; i < middle.length; i++) middle[i] = (upper[i]! + lower[i]!) / 2
  return [upper, middle, lower]
}

/**
 * Directional movement (Wilder 1978): ADX, +DI, -DI. Movements and true range are smoothed by Wilder's average seeded
 * with the first `period` of them; the first ADX, at index 2 period - 1, is the simple average of `period` DX.
 */
export function adx(bars: BarColumns, period: number): Float64Array[] {
  const range = wilder(trueRange(bars), period)
  const plus = directional(bars, 1, period, range)
  const minus = directional(bars, -1, period, range)
  const index = columnFrom(period, plus.length)
  for (let i = period; i < index.length; i++) {
    const sum = plus[i]! + minus[i]!
    index[i] = sum === 0 ? 0 : (100 * Math.abs(plus[i]! - minus[i]!)) / sum
  }
  return [wilder(index, period), plus, minus]
}

/** The upward (`sign` 1) or downward (-1) movement, smoothed, in percent of the smoothed true range. */
function directional({ high, low }: BarColumns, sign: 1 | -1, period: number, range: Float64Array): Float64Array {
  const movement = columnFrom(1, high.length)
  for (let i = 1; i < high.length; i++) {
    const up = high[i]! - high[i - 1]!
    const down = low[i - 1]! - low[i]!
    const own = sign === 1 ? up : down
    movement[i] = own > 0 && own > (sign === 1 ? down : up) ? own : 0
  }
  const result = wilder(movement, period)
  for (let i = period; i < result.length; i++) result[i] = range[i] === 0 ? 0 : (100 * result[i]!) / range[i]!
  return result
}

/**
 * Parabolic stop and reverse (Wilder 1978, as in TA-Lib): starts in the direction of the greater movement between the
 * first two bars. The stop never enters the range of the previous two bars, not counting the very first bar. First
 * value at index 1.
 */
export function parabolic({ high, low }: BarColumns, step: number, limit: number): Float64Array {
  const result = columnFrom(1, high.length)
  if (high.length < 2) return result
  const [up, down] = [high[1]! - high[0]!, low[0]! - low[1]!]
  let long = !(down > up && down > 0)
  let [stop, extreme] = long ? [low[0]!, high[1]!] : [high[0]!, low[1]!]
  let acceleration = step
  for (let i = 1; i < high.length; i++) {
    const before = Math.max(i - 1, 1)
    if (long ? low[i]! <= stop : high[i]! >= stop) {
      long = !long
      stop = long ? Math.min(extreme, low[before]!, low[i]!) : Math.max(extreme, high[before]!, high[i]!)
      result[i] = stop
      acceleration = step
      extreme = long ? high[i]! : low[i]!
    } else {
      result[i] = stop
      const better = long ? high[i]! > extreme : low[i]! < extreme
      if (better) {
        extreme = long ? high[i]! : low[i]!
        acceleration = Math.min(limit, acceleration + step)
      }
    }
    stop += acceleration * (extreme - stop)
    stop = long ? Math.min(stop, low[before]!, low[i]!) : Math.max(stop, high[before]!, high[i]!)
  }
  return result
}

/**
 * On-balance volume (J. Granville): volume is added on rising and subtracted on falling closes, starting with the first
 * bar's volume.
 */
export function obv({ close, volume }: BarColumns): Float64Array {
  const result = new Float64Array(close.length)
  let total = 0
  for (let i = 0; i < result.length; i++) {
    const change = i === 0 ? 1 : close[i]! - close[i - 1]!
    if (change > 0) total += volume[i]!
    else if (change < 0) total -= volume[i]!
    result[i] = total
  }
  return result
}

/** Volume-weighted average of the typical price over the last `period` bars; NaN if none of them has volume. */
export function vwap(bars: BarColumns, period: number): Float64Array {
  const amount = typicalPrice(bars)
  for (let i = 0; i < amount.length; i++) amount[i] = amount[i]! * bars.volume[i]!
  const result = sums(amount, period)
  const volume = sums(bars.volume, period)
  for (let i = 0; i < result.length; i++) result[i] = volume[i] === 0 ? Number.NaN : result[i]! / volume[i]!
  return result
}
