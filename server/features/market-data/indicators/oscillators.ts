import type { BarColumns } from '../bar-series.ts'
import { blank, ema, extremePlaces, highest, lowest, sma } from './averages.ts'

/** (high + low + close) / 3 of each bar. */
export const typicalPrice = ({ high, low, close }: BarColumns): Float64Array =>
  close.map((value, i) => (high[i]! + low[i]! + value) / 3)

/**
 * Relative strength, 0 to 100: Wilder's averages of gains and losses, the first ones simple (Wilder 1978). First value
 * at index period. Without any move it is 0, as in TA-Lib.
 */
export function rsi(close: Float64Array, period: number): Float64Array {
  const result = blank(close.length)
  let [gain, loss] = [0, 0]
  for (let i = 1; i < close.length; i++) {
    const change = close[i]! - close[i - 1]!
    const [up, down] = [Math.max(change, 0), Math.max(-change, 0)]
    if (i <= period) {
      gain += up / period
      loss += down / period
    } else {
      gain += (up - gain) / period
      loss += (down - loss) / period
    }
    if (i >= period) result[i] = gain + loss === 0 ? 0 : (100 * gain) / (gain + loss)
  }
  return result
}

/** MACD (G. Appel): EMA(fast) - EMA(slow), its EMA(signal), and the difference. Both averages are seeded from the first bar. */
export function macd(close: Float64Array, fast: number, slow: number, signal: number): Float64Array[] {
  const slowAverage = ema(close, slow)
  const fastAverage = ema(close, fast)
  const line = slowAverage.map((value, i) => fastAverage[i]! - value)
  const signalLine = ema(line, signal)
  return [line, signalLine, line.map((value, i) => value - signalLine[i]!)]
}

/** Rate of change in percent over `period` bars. */
export function roc(close: Float64Array, period: number): Float64Array {
  return close.map((value, i) => (i < period ? Number.NaN : 100 * (value / close[i - period]! - 1)))
}

/** Slow stochastic (G. Lane): %K is the place of the close in the range of `period` bars, averaged over `slowing`; %D its average over `signal`. A flat range gives 0. */
export function stochastic(bars: BarColumns, period: number, slowing: number, signal: number): Float64Array[] {
  const top = highest(bars.high, period)
  const bottom = lowest(bars.low, period)
  const fast = bars.close.map((close, i) => {
    const range = top[i]! - bottom[i]!
    return range === 0 ? 0 : (100 * (close - bottom[i]!)) / range
  })
  const k = sma(fast, slowing)
  return [k, sma(k, signal)]
}

/** Williams %R, -100 to 0. A flat range gives 0. */
export function williamsR({ high, low, close }: BarColumns, period: number): Float64Array {
  const top = highest(high, period)
  const bottom = lowest(low, period)
  return close.map((value, i) => {
    const range = top[i]! - bottom[i]!
    return range === 0 ? 0 : (100 * (value - top[i]!)) / range
  })
}

/** Commodity channel index (D. Lambert): distance of the typical price from its average in units of 0.015 mean deviations. No deviation gives 0. */
export function cci(bars: BarColumns, period: number): Float64Array {
  const price = typicalPrice(bars)
  const means = sma(price, period)
  const result = blank(price.length)
  for (let i = period - 1; i < price.length; i++) {
    const mean = means[i]!
    let deviation = 0
    for (let j = i - period + 1; j <= i; j++) deviation += Math.abs(price[j]! - mean)
    result[i] = deviation === 0 ? 0 : (price[i]! - mean) / ((0.015 * deviation) / period)
  }
  return result
}

/** Money flow index, 0 to 100: RSI's idea on typical price times volume, with plain sums over `period` bars. No flow gives 0, as in TA-Lib. */
export function mfi(bars: BarColumns, period: number): Float64Array {
  const price = typicalPrice(bars)
  const gains = new Float64Array(price.length)
  const losses = new Float64Array(price.length)
  for (let i = 1; i < price.length; i++) {
    const flow = price[i]! * bars.volume[i]!
    if (price[i]! > price[i - 1]!) gains[i] = flow
    else if (price[i]! < price[i - 1]!) losses[i] = flow
  }
  const result = blank(price.length)
  for (let i = period; i < price.length; i++) {
    let up = 0
    let down = 0
    for (let j = i - period + 1; j <= i; j++) {
      up += gains[j]!
      down += losses[j]!
    }
    result[i] = up + down === 0 ? 0 : (100 * up) / (up + down)
  }
  return result
}

/** Aroon (T. Chande): 100 (period - bars since the extreme) / period over period + 1 bars, the latest of equals; up, down, and up - down. */
export function aroon({ high, low }: BarColumns, period: number): Float64Array[] {
  const since = (values: Float64Array, sign: 1 | -1) => {
    const places = extremePlaces(values, period + 1, sign)
    const result = blank(values.length)
    for (let i = period; i < values.length; i++) result[i] = (100 * (period - (i - places[i]!))) / period
    return result
  }
  const up = since(high, 1)
  const down = since(low, -1)
  return [up, down, up.map((value, i) => value - down[i]!)]
}
