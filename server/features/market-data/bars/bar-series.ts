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

/**
 * The bars of one symbol as published, and how to convert them to each available adjustment. Bars that are not in memory
 * are reported by throwing `NotInMemory`.
 */
export interface BarSeries {
  /** How many bars there are; at least one. */
  readonly count: number
  /** Splits and dividends, oldest first. */
  readonly actions: readonly Action[]
  readonly adjustments: Partial<Record<Adjust, Adjustment>>
  timeAt: (index: number) => number
  /** Index of the first bar at or after `time`; the count if there is none. */
  indexOf: (time: number) => number
  /** Bars `first` to `end` (exclusive), not adjusted. They may be views of the store: do not write to them. */
  columns: (first: number, end: number) => BarColumns
}

/** A series that stays in memory. 44 bytes per bar. */
export function heldSeries(bars: BarColumns, { actions, adjustments }: Pick<BarSeries, 'actions' | 'adjustments'>) {
  const { times } = bars
  return {
    count: times.length,
    actions,
    adjustments,
    timeAt: (index) => times[index]!,
    indexOf: (time) => firstOnOrAfter(times, time),
    columns: (first, end) => cutBars(bars, first, end),
  } satisfies BarSeries as BarSeries
}

/** A series that is made when something of it is first read. A start does not wait for bars that nobody has asked for. */
export function seriesOnFirstRead(make: () => BarSeries): BarSeries {
  let made: BarSeries | undefined
  const series = () => (made ??= make())
  return {
    get count() {
      return series().count
    },
    get actions() {
      return series().actions
    },
    get adjustments() {
      return series().adjustments
    },
    timeAt: (index) => series().timeAt(index),
    indexOf: (time) => series().indexOf(time),
    columns: (first, end) => series().columns(first, end),
  }
}

export const cutBars = (bars: BarColumns, first: number, end: number): BarColumns => ({
  times: bars.times.subarray(first, end),
  open: bars.open.subarray(first, end),
  high: bars.high.subarray(first, end),
  low: bars.low.subarray(first, end),
  close: bars.close.subarray(first, end),
  volume: bars.volume.subarray(first, end),
})

/** Index of the first time at or after `time`; the length if there is none. */
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
