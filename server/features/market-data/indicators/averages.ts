import { columnFrom, firstNumber, sums, weightedSums } from './windows.ts'

/** Columns in, columns out: NaN marks bars before an indicator has enough history. */

/** Arithmetic mean of the last `period` values. First value at index period - 1. */
export function sma(values: Float64Array, period: number): Float64Array {
  const result = sums(values, period)
  for (let i = 0; i < result.length; i++) result[i] = result[i]! / period
  return result
}

/**
 * Exponential average, weight 2 / (period + 1) on the newest value, seeded with the simple average of the first `period`
 * values (TA-Lib's default). First value at index period - 1.
 */
export function ema(values: Float64Array, period: number): Float64Array {
  return smooth(values, period, 2 / (period + 1))
}

/** Wilder's average: weight 1 / period on the newest value, seeded with the simple average (Wilder 1978). */
export function wilder(values: Float64Array, period: number): Float64Array {
  return smooth(values, period, 1 / period)
}

function smooth(values: Float64Array, period: number, weight: number): Float64Array {
  const first = firstNumber(values) + period - 1
  const result = columnFrom(first, values.length)
  if (first >= values.length) return result
  let sum = 0
  for (let j = first - period + 1; j <= first; j++) sum += values[j]!
  let average = sum / period
  result[first] = average
  for (let i = first + 1; i < values.length; i++) {
    average += weight * (values[i]! - average)
    result[i] = average
  }
  return result
}

/** Linearly weighted average: the newest value weighs `period`, the oldest 1. */
export function wma(values: Float64Array, period: number): Float64Array {
  const result = weightedSums(values, period)
  const weights = (period * (period + 1)) / 2
  for (let i = 0; i < result.length; i++) result[i] = result[i]! / weights
  return result
}

/** Hull average: WMA over sqrt(period) of 2 WMA(period / 2) - WMA(period) (A. Hull 2005; halves and roots are rounded down). */
export function hma(values: Float64Array, period: number): Float64Array {
  const half = wma(values, Math.max(1, Math.floor(period / 2)))
  const full = wma(values, period)
  for (let i = 0; i < full.length; i++) full[i] = 2 * half[i]! - full[i]!
  return wma(full, Math.max(1, Math.floor(Math.sqrt(period))))
}

/** Population standard deviation of the last `period` values; `means` are their averages. */
export function deviation(values: Float64Array, period: number, means: Float64Array): Float64Array {
  const first = firstNumber(means)
  const result = columnFrom(first, values.length)
  for (let i = first; i < values.length; i++) {
    const mean = means[i]!
    let squares = 0
    for (let j = i - period + 1; j <= i; j++) {
      const distance = values[j]! - mean
      squares += distance * distance
    }
    result[i] = Math.sqrt(squares / period)
  }
  return result
}
