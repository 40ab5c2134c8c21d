import type { Adjustment } from './adjustment.ts'
import type { Day } from './dates.ts'
import type { Adjust } from './manifest.ts'

/** Bars in columns, oldest first; all arrays have the same length. */
export interface BarColumns {
  days: Int32Array
  open: Float64Array
  high: Float64Array
  low: Float64Array
  close: Float64Array
  volume: Float64Array
}

/** The daily bars of one symbol as published, and what turns them into each adjustment that can be served. 44 bytes a bar. */
export interface BarSeries extends BarColumns {
  adjustments: Partial<Record<Adjust, Adjustment>>
}

/** Index of the first bar on or after `day`; the length if there is none. */
export function firstOnOrAfter(days: Int32Array, day: Day): number {
  let low = 0
  let high = days.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (days[middle]! < day) low = middle + 1
    else high = middle
  }
  return low
}
