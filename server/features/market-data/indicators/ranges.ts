import type { BarColumns } from '../bar-series.ts'
import { blank, deviation, ema, highest, lowest, sma, wilder } from './averages.ts'
import { typicalPrice } from './oscillators.ts'

/** True range (Wilder): the greatest of high - low and the distances of both from the close before. NaN for the first bar. */
export function trueRange({ high, low, close }: BarColumns): Float64Array {
  const result = blank(high.length)
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

/** `middle` plus `width` times `spread`, itself, and minus. */
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
  return [upper, upper.map((value, i) => (value + lower[i]!) / 2), lower]
}

/**
 * Directional movement (Wilder 1978): ADX, +DI, -DI. Movements and true range are smoothed by Wilder's average seeded
 * with the first `period` of them; the first ADX, at index 2 period - 1, is the simple average of `period` DX.
 */
export function adx(bars: BarColumns, period: number): Float64Array[] {
  const { high, low } = bars
  const movement = (sign: 1 | -1) => {
    const result = blank(high.length)
    for (let i = 1; i < high.length; i++) {
      const up = high[i]! - high[i - 1]!
      const down = low[i - 1]! - low[i]!
      const own = sign === 1 ? up : down
      result[i] = own > 0 && own > (sign === 1 ? down : up) ? own : 0
    }
    return result
  }
  const range = wilder(trueRange(bars), period)
  const index = (sign: 1 | -1) =>
    wilder(movement(sign), period).map((value, i) => (range[i] === 0 ? 0 : (100 * value) / range[i]!))
  const plus = index(1)
  const minus = index(-1)
  const dx = plus.map((value, i) => {
    const sum = value + minus[i]!
    return sum === 0 ? 0 : (100 * Math.abs(value - minus[i]!)) / sum
  })
  return [wilder(dx, period), plus, minus]
}

/**
 * Parabolic stop and reverse (Wilder 1978, as in TA-Lib): starts with the direction of the greater movement between the
 * first two bars; the stop never enters the range of the last two bars. First value at index 1.
 */
export function parabolic({ high, low }: BarColumns, step: number, limit: number): Float64Array {
  const result = blank(high.length)
  if (high.length < 2) return result
  const [up, down] = [high[1]! - high[0]!, low[0]! - low[1]!]
  let long = !(down > up && down > 0)
  let [stop, extreme] = long ? [low[0]!, high[1]!] : [high[0]!, low[1]!]
  let acceleration = step
  for (let i = 1; i < high.length; i++) {
    const before = Math.max(i - 1, 0)
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

/** On-balance volume (J. Granville): volume added on rising and taken away on falling closes; begins with the first bar's volume. */
export function obv({ close, volume }: BarColumns): Float64Array {
  let total = 0
  return close.map((value, i) => {
    const direction = i === 0 ? 1 : Math.sign(value - close[i - 1]!)
    total += direction * volume[i]!
    return total
  })
}

/** Volume-weighted average of the typical price over the last `period` bars; NaN where none of them has volume. */
export function vwap(bars: BarColumns, period: number): Float64Array {
  const price = typicalPrice(bars)
  const result = blank(price.length)
  for (let i = period - 1; i < price.length; i++) {
    let amount = 0
    let volume = 0
    for (let j = i - period + 1; j <= i; j++) {
      amount += price[j]! * bars.volume[j]!
      volume += bars.volume[j]!
    }
    if (volume !== 0) result[i] = amount / volume
  }
  return result
}
