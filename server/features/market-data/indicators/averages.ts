/** Columns in, columns out: NaN marks bars before an indicator has enough history. */

export const blank = (size: number): Float64Array => new Float64Array(size).fill(Number.NaN)

/** Index of the first number; the length if there is none. */
export function firstNumber(values: Float64Array): number {
  let at = 0
  while (at < values.length && Number.isNaN(values[at])) at++
  return at
}

/** Arithmetic mean of the last `period` values. First value at index period - 1. */
export function sma(values: Float64Array, period: number): Float64Array {
  const result = blank(values.length)
  for (let i = firstNumber(values) + period - 1; i < values.length; i++) {
    let sum = 0
    for (let j = i - period + 1; j <= i; j++) sum += values[j]!
    result[i] = sum / period
  }
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
  const result = blank(values.length)
  const first = firstNumber(values) + period - 1
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
  const result = blank(values.length)
  const weights = (period * (period + 1)) / 2
  for (let i = firstNumber(values) + period - 1; i < values.length; i++) {
    let sum = 0
    for (let j = 0; j < period; j++) sum += values[i - j]! * (period - j)
    result[i] = sum / weights
  }
  return result
}

/** Hull average: WMA over sqrt(period) of 2 WMA(period / 2) - WMA(period) (A. Hull 2005; halves and roots are rounded down). */
export function hma(values: Float64Array, period: number): Float64Array {
  const half = wma(values, Math.max(1, Math.floor(period / 2)))
  const full = wma(values, period)
  return wma(
    full.map((value, i) => 2 * half[i]! - value),
    Math.max(1, Math.floor(Math.sqrt(period))),
  )
}

/** Population standard deviation of the last `period` values; `means` are their averages. */
export function deviation(values: Float64Array, period: number, means: Float64Array): Float64Array {
  const result = blank(values.length)
  for (let i = firstNumber(means); i < values.length; i++) {
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

/** Greatest of the last `period` values. */
export const highest = (values: Float64Array, period: number): Float64Array => extreme(values, period, 1)
/** Least of the last `period` values. */
export const lowest = (values: Float64Array, period: number): Float64Array => extreme(values, period, -1)

function extreme(values: Float64Array, period: number, sign: 1 | -1): Float64Array {
  const result = blank(values.length)
  const places = extremePlaces(values, period, sign)
  for (let i = period - 1; i < values.length; i++) result[i] = values[places[i]!]!
  return result
}

/**
 * Where the greatest (`sign` 1) or least (-1) of the last `period` values is, the latest of equals; from index period - 1.
 * The window is read again only when its extreme has left it.
 */
export function extremePlaces(values: Float64Array, period: number, sign: 1 | -1): Int32Array {
  const places = new Int32Array(values.length)
  let best = -1
  for (let i = period - 1; i < values.length; i++) {
    const first = i - period + 1
    if (best < first) {
      best = first
      for (let j = first + 1; j <= i; j++) if (sign * values[j]! >= sign * values[best]!) best = j
    } else if (sign * values[i]! >= sign * values[best]!) best = i
    places[i] = best
  }
  return places
}
