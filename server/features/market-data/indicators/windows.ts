/**
 * Sums and extremes of sliding windows in constant time per bar, whatever the period (M. van Herk 1992, J. Gil and M.
 * Werman 1993): the values are cut into blocks of `period`, and each window is the end of one block and the start of
 * the next. Unlike in a running sum nothing is subtracted, so errors do not accumulate and windows of zeros sum to
 * zero.
 */

/** A column that is NaN before `first`, to be filled from there on. */
export function columnFrom(first: number, size: number): Float64Array {
  const column = new Float64Array(size)
  return column.fill(Number.NaN, 0, first)
}

/** Index of the first number; the length if there is none. */
export function firstNumber(values: Float64Array): number {
  let at = 0
  while (at < values.length && Number.isNaN(values[at])) at++
  return at
}

/** Sums of the last `period` values. First value at index period - 1 after the first number. */
export function sums(values: Float64Array, period: number): Float64Array {
  const start = firstNumber(values)
  const result = columnFrom(start + period - 1, values.length)
  const ends = new Float64Array(period + 1)
  for (let block = start; block < values.length; block += period) {
    const after = Math.min(block + period, values.length)
    let sum = 0
    for (let i = block; i < after; i++) {
      sum += values[i]!
      const ending = ends[i - block + 1]!
      if (i >= start + period - 1) result[i] = ending + sum
    }
    sumEnds(values, block, after, ends)
  }
  return result
}

/** `ends[k]` becomes the sum of a block from place k on; after the block, 0. */
function sumEnds(values: Float64Array, block: number, after: number, ends: Float64Array): void {
  let sum = 0
  ends[after - block] = 0
  for (let i = after - 1; i >= block; i--) {
    sum += values[i]!
    ends[i - block] = sum
  }
}

/** Sums of the last `period` values, weighted `period` for the newest down to 1 for the oldest. */
export function weightedSums(values: Float64Array, period: number): Float64Array {
  const start = firstNumber(values)
  const result = columnFrom(start + period - 1, values.length)
  const ends = new Float64Array(period + 1)
  for (let block = start; block < values.length; block += period) {
    const after = Math.min(block + period, values.length)
    let sum = 0
    let older = 0
    for (let i = block; i < after; i++) {
      // Every value of this block is now one bar older.
      older += sum
      sum += values[i]!
      if (i >= start + period - 1) result[i] = ends[i - block + 1]! + period * sum - older
    }
    let end = 0
    let weighted = 0
    ends[after - block] = 0
    for (let i = after - 1; i >= block; i--) {
      end += values[i]!
      weighted += end
      ends[i - block] = weighted
    }
  }
  return result
}

/** Maximum of the last `period` values. */
export const highest = (values: Float64Array, period: number): Float64Array => extremes(values, period, 1)
/** Minimum of the last `period` values. */
export const lowest = (values: Float64Array, period: number): Float64Array => extremes(values, period, -1)

function extremes(values: Float64Array, period: number, sign: 1 | -1): Float64Array {
  const result = columnFrom(period - 1, values.length)
  const ends = new Float64Array(period + 1)
  for (let block = 0; block < values.length; block += period) {
    const after = Math.min(block + period, values.length)
    let best = Number.NEGATIVE_INFINITY
    for (let i = block; i < after; i++) {
      const value = sign * values[i]!
      if (value > best) best = value
      // The last bar of a block has the whole window in its own block.
      const ending = i === block + period - 1 ? best : ends[i - block + 1]!
      if (i >= period - 1) result[i] = sign * Math.max(ending, best)
    }
    best = Number.NEGATIVE_INFINITY
    for (let i = after - 1; i >= block; i--) {
      const value = sign * values[i]!
      if (value > best) best = value
      ends[i - block] = best
    }
  }
  return result
}

/**
 * Index of the maximum (`sign` 1) or minimum (-1) of the last `period` values, the latest of equals. The window is
 * rescanned only when its extreme has left it.
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
