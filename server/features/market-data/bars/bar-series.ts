import type { Adjust } from '../manifest.ts'
import type { Action, Adjustment } from './adjustment.ts'

/** Bars in columns, oldest first; all arrays have the same length. Times are days since 1970, or minutes for bars within a day. */
export interface BarColumns {
  times: Int32Array
  open: Float64Array
  high: Float64Array
  low: Float64Array
  close: Float64Array
  volume: Float64Array
}

/** The bars of one symbol as published, and how to convert them to each available adjustment. 44 bytes per bar. */
export interface BarSeries extends BarColumns {
  /** Splits and dividends, oldest first. */
  actions: readonly Action[]
  adjustments: Partial<Record<Adjust, Adjustment>>
}

/** Index of the first bar at or after `time`; the length if there is none. */
export function firstOnOrAfter(times: Int32Array, time: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! < time) low = middle + 1
    else high = middle
  }
  return low
}
