import { MINUTES_PER_DAY } from '../dates.ts'
import { type Interval, type IntradayInterval, minutesOf, periodStart } from '../periods.ts'
import { type BarColumns, type BarSeries, heldSeries } from './bar-series.ts'

/**
 * One bar for each calendar period with daily bars: open of the first, highest high, lowest low, close of the last, sum
 * of volume. A bar is dated by its last session, so it contains nothing later than its date.
 */
export function resample(bars: BarColumns, interval: Interval): BarColumns {
  if (interval === '1d') return bars
  return group(
    bars,
    (day) => periodStart(interval, day),
    (times, end) => times[end - 1]!,
  )
}

/** Longer intraday bars from minutes, dated by the start of their span on the UTC clock. */
export function resampleMinutes(bars: BarColumns, interval: IntradayInterval): BarColumns {
  if (interval === '1m') return bars
  const minutes = minutesOf[interval]
  const spanOf = (minute: number) => Math.floor(minute / minutes) * minutes
  return group(bars, spanOf, (times, end) => spanOf(times[end - 1]!))
}

/**
 * Daily bars by UTC day, for markets that trade around the clock. Nothing is adjusted: such data has no corporate
 * actions.
 */
export function daysOfMinutes(minutes: BarColumns): BarColumns {
  const dayOf = (minute: number) => Math.floor(minute / MINUTES_PER_DAY)
  return group(minutes, dayOf, (times, end) => dayOf(times[end - 1]!))
}

const plain = { firstIndex: 0, steps: null, publishedClose: null }
/** How days made of minutes are adjusted: not at all. */
export const plainAdjustments = { none: plain, splits: plain, all: plain }

/** The days of minutes that stay in memory. */
export const heldDays = (minutes: BarSeries): BarSeries =>
  heldSeries(daysOfMinutes(minutes.columns(0, minutes.count)), { actions: [], adjustments: plainAdjustments })

function group(
  bars: BarColumns,
  periodOf: (time: number) => number,
  dateOf: (times: Int32Array, end: number) => number,
): BarColumns {
  const starts: number[] = []
  let period = Number.NaN
  for (let i = 0; i < bars.times.length; i++) {
    const start = periodOf(bars.times[i]!)
    if (start !== period) starts.push(i)
    period = start
  }
  const size = starts.length
  const result: BarColumns = {
    times: new Int32Array(size),
    open: new Float64Array(size),
    high: new Float64Array(size),
    low: new Float64Array(size),
    close: new Float64Array(size),
    volume: new Float64Array(size),
  }
  for (let p = 0; p < size; p++) {
    const first = starts[p]!
    const end = starts[p + 1] ?? bars.times.length
    let high = bars.high[first]!
    let low = bars.low[first]!
    let volume = 0
    for (let i = first; i < end; i++) {
      if (bars.high[i]! > high) high = bars.high[i]!
      if (bars.low[i]! < low) low = bars.low[i]!
      volume += bars.volume[i]!
    }
    result.times[p] = dateOf(bars.times, end)
    result.open[p] = bars.open[first]!
    result.high[p] = high
    result.low[p] = low
    result.close[p] = bars.close[end - 1]!
    result.volume[p] = volume
  }
  return result
}
