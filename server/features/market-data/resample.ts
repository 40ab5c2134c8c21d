import type { BarColumns } from './bar-series.ts'
import { type Interval, periodStart } from './periods.ts'

/**
 * One bar for each calendar period that has daily bars: open of the first, highest high, lowest low, close of the last,
 * sum of volume. A bar is dated by its last session, so that nothing in it is later than its date.
 */
export function resample(bars: BarColumns, interval: Interval): BarColumns {
  if (interval === '1d') return bars
  const starts: number[] = []
  let period = Number.NaN
  for (let i = 0; i < bars.days.length; i++) {
    const start = periodStart(interval, bars.days[i]!)
    if (start !== period) starts.push(i)
    period = start
  }
  const size = starts.length
  const result: BarColumns = {
    days: new Int32Array(size),
    open: new Float64Array(size),
    high: new Float64Array(size),
    low: new Float64Array(size),
    close: new Float64Array(size),
    volume: new Float64Array(size),
  }
  for (let p = 0; p < size; p++) {
    const first = starts[p]!
    const end = starts[p + 1] ?? bars.days.length
    let high = bars.high[first]!
    let low = bars.low[first]!
    let volume = 0
    for (let i = first; i < end; i++) {
      if (bars.high[i]! > high) high = bars.high[i]!
      if (bars.low[i]! < low) low = bars.low[i]!
      volume += bars.volume[i]!
    }
    result.days[p] = bars.days[end - 1]!
    result.open[p] = bars.open[first]!
    result.high[p] = high
    result.low[p] = low
    result.close[p] = bars.close[end - 1]!
    result.volume[p] = volume
  }
  return result
}
