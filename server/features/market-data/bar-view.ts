import { AppError } from '../../http/errors.ts'
import { adjustedBars } from './adjustment.ts'
import type { BarColumns } from './bar-series.ts'
import { barWarnings, noteWarnings, sampleWarning } from './bar-warnings.ts'
import { barWindow, minuteWindow, type Range } from './bar-window.ts'
import type { Instrument } from './catalogue.ts'
import { chooseAdjustment } from './choose-adjustment.ts'
import { dayText, minuteText } from './dates.ts'
import type { Adjust, BarsManifest } from './manifest.ts'
import { type AnyInterval, intervals, isIntraday } from './periods.ts'
import { resample, resampleMinutes } from './resample.ts'

export interface BarQuery {
  interval: AnyInterval
  range?: Range | undefined
  from?: string | undefined
  to?: string | undefined
  adjust?: Adjust | undefined
}

/** The bars that a query means, not read yet. */
export interface BarView {
  manifest: BarsManifest
  adjust: Adjust
  source: string
  datasetVersion: string
  total: number
  /** Bars `first` to `end` (exclusive) of the view, in its interval and adjustment. */
  read: (first?: number, end?: number) => BarColumns
  /** How a time of these bars is written: a date, or the UTC instant of the open. */
  timeText: (time: number) => string
  /** What a reader of these columns must know. */
  warnings: (columns: readonly string[]) => string[]
}

/** The bars of an instrument. Throws invalid_parameter for contradictions, and for intervals and adjustments that are not held. */
export function viewBars(instrument: Instrument, query: BarQuery): BarView {
  return isIntraday(query.interval) ? viewMinutes(instrument, query) : viewDays(instrument, query)
}

function viewDays(instrument: Instrument, query: BarQuery): BarView {
  const { manifest, series, datasetVersion, source } = instrument
  const interval = query.interval as Exclude<AnyInterval, '1m' | '5m' | '15m' | '30m' | '1h'>
  const { adjust, adjustment } = chooseAdjustment(instrument, query.adjust)
  const window = barWindow(series.times, { ...query, interval })
  const start = Math.min(Math.max(window.start, adjustment.firstIndex), window.end)
  const days = (first: number, end: number) => adjustedBars(series, adjustment, start + first, start + end)
  const longer = interval === '1d' ? null : resample(days(0, window.end - start), interval)
  const total = longer ? longer.times.length : window.end - start
  return {
    manifest,
    adjust,
    source,
    datasetVersion,
    total,
    read: (first = 0, end = total) => (longer ? slice(longer, first, end) : days(first, Math.min(end, total))),
    timeText: dayText,
    warnings: (columns) =>
      barWarnings(instrument, { interval, window, firstIndex: adjustment.firstIndex, adjust, columns }),
  }
}

function viewMinutes(instrument: Instrument, query: BarQuery): BarView {
  const { intraday } = instrument
  const { symbol } = instrument.manifest
  if (!intraday || !isIntraday(query.interval)) {
    const held = [...intervals]
    throw new AppError('invalid_parameter', `${symbol} has no bars within the day. Possible: ${held.join(', ')}.`, {
      param: 'interval',
      allowed: held,
    })
  }
  const { manifest, series, datasetVersion, source } = intraday
  const { adjust, adjustment } = chooseAdjustment(intraday, query.adjust)
  const window = minuteWindow(series.times, query)
  const bars = resampleMinutes(adjustedBars(series, adjustment, window.start, window.end), query.interval)
  const total = bars.times.length
  return {
    manifest,
    adjust,
    source,
    datasetVersion,
    total,
    read: (first = 0, end = total) => slice(bars, first, end),
    timeText: minuteText,
    warnings(columns) {
      const sample = sampleWarning(manifest)
      if (total > 0) return [...sample, ...noteWarnings(manifest, columns, manifest.first)]
      const asked = `from ${dayText(window.from)} to ${dayText(window.to)}`
      return [
        ...sample,
        `No bars ${asked}: ${symbol} has ${query.interval} bars from ${manifest.first} to ${manifest.last}.`,
      ]
    },
  }
}

const slice = (bars: BarColumns, first: number, end: number): BarColumns => ({
  times: bars.times.subarray(first, end),
  open: bars.open.subarray(first, end),
  high: bars.high.subarray(first, end),
  low: bars.low.subarray(first, end),
  close: bars.close.subarray(first, end),
  volume: bars.volume.subarray(first, end),
})
