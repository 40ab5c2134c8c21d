import type { BarColumns } from '../bars/bar-series.ts'
import { ema, sma } from './averages.ts'
import { columnFrom, extremePlaces, highest, lowest, sums } from './windows.ts'

/** (high + low + close) / 3 of each bar. */
export function typicalPrice({ high, low, close }: BarColumns): Float64Array {
  const result = new Float64Array(close.length)
  for (let i = 0; i < result.length; i++) result[i] = (high[i]! + low[i]! + close[i]!) / 3
  return result
}

/**
 * Relative strength, 0 to 100: Wilder's averages of gains and losses, the first ones simple (Wilder 1978). First value
 * at index period. Without any move it is 0, as in TA-Lib.
 */
export function rsi(close: Float64Array, period: number): Float64Array {
  const result = columnFrom(period, close.length)
  let gain = 0
  let loss = 0
  for (let i = 1; i < close.length; i++) {
    const change = close[i]! - close[i - 1]!
    const up = Math.max(change, 0)
    const down = Math.max(-change, 0)
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
  const line = minus(ema(close, fast), ema(close, slow))
  const signalLine = ema(line, signal)
  return [line, signalLine, minus(line, signalLine)]
}

/** Rate of change in percent over `period` bars. */
export function roc(close: Float64Array, period: number): Float64Array {
  const result = columnFrom(period, close.length)
  for (let i = period; i < close.length; i++) result[i] = 100 * (close[i]! / close[i - period]! - 1)
  return result
}

/** Slow stochastic (G. Lane): %K is the place of the close in the range of `period` bars, averaged over `slowing`; %D its average over `signal`. A flat range gives 0. */
export function stochastic(bars: BarColumns, period: number, slowing: number, signal: number): Float64Array[] {
  const { close } = bars
  const top = highest(bars.high, period)
  const bottom = lowest(bars.low, period)
  const fast = columnFrom(period - 1, close.length)
  for (let i = period - 1; i < close.length; i++) {
    const range = top[i]! - bottom[i]!
    fast[i] = range === 0 ? 0 : (100 * (close[i]! - bottom[i]!)) / range
  }
  const k = sma(fast, slowing)
  return [k, sma(k, signal)]
}

/** Williams %R, -100 to 0. A flat range gives 0. */
export function williamsR({ high, low, close }: BarColumns, period: number): Float64Array {
  const top = highest(high, period)
  const bottom = lowest(low, period)
  const result = columnFrom(period - 1, close.length)
  for (let i = period - 1; i < close.length; i++) {
    const range = top[i]! - bottom[i]!
    result[i] = range === 0 ? 0 : (100 * (close[i]! - top[i]!)) / range
  }
  return result
}

/** Commodity channel index (D. Lambert): distance of the typical price from its average in units of 0.015 mean deviations. No deviation gives 0. */
export function cci(bars: BarColumns, period: number): Float64Array {
  const price = typicalPrice(bars)
  const means = sma(price, period)
  const result = columnFrom(period - 1, price.length)
  for (let i = period - 1; i < price.length; i++) {
    const mean = means[i]!
    let deviation = 0
    for (let j = i - period + 1; j <= i; j++) deviation += Math.abs(price[j]! - mean)
    result[i] = deviation === 0 ? 0 : (price[i]! - mean) / ((0.015 * deviation) / period)
  }
  return result
}

/**
 * Money flow index, 0 to 100: RSI applied to typical price times volume, with plain sums over `period` bars. No flow
 * gives 0, as in TA-Lib.
 */
export function mfi(bars: BarColumns, period: number): Float64Array {
  const price = typicalPrice(bars)
  const gains = new Float64Array(price.length)
  const losses = new Float64Array(price.length)
  for (let i = 1; i < price.length; i++) {
    const flow = price[i]! * bars.volume[i]!
    if (price[i]! > price[i - 1]!) gains[i] = flow
    else if (price[i]! < price[i - 1]!) losses[i] = flow
  }
  const up = sums(gains, period)
  const down = sums(losses, period)
  const result = columnFrom(period, price.length)
  for (let i = period; i < price.length; i++) {
    const flow = up[i]! + down[i]!
    result[i] = flow === 0 ? 0 : (100 * up[i]!) / flow
  }
  return result
}

/** Aroon (T. Chande): 100 (period - bars since the extreme) / period over period + 1 bars, the latest of equals; up, down, and up - down. */
export function aroon({ high, low }: BarColumns, period: number): Float64Array[] {
  const since = (values: Float64Array, sign: 1 | -1) => {
    const places = extremePlaces(values, period + 1, sign)
    const result = columnFrom(period, values.length)
    for (let i = period; i < values.length; i++) result[i] = (100 * (period - (i - places[i]!))) / period
    return result
  }
  const up = since(high, 1)
  const down = since(low, -1)
  return [up, down, minus(up, down)]
}

function minus(left: Float64Array, right: Float64Array): Float64Array {
  const result = new Float64Array(left.length)
  for (let i = 0; i < result.length; i++) result[i] = left[i]! - right[i]!
  return result
}
