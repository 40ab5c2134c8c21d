import { AppError } from '../../../http/errors.ts'
import type { TimeForm } from '../../tools/rows/row-columns.ts'
import type { Instrument } from '../catalog.ts'
import type { Adjust, BarsManifest } from '../manifest.ts'
import { type AnyInterval, intervals, isIntraday } from '../periods.ts'
import { dayForm, minuteForm } from '../time-forms.ts'
import { adjustedBars } from './adjustment.ts'
import { type BarColumns, cutBars } from './bar-series.ts'
import { barWarnings, noteWarnings, sampleWarning, spanText } from './bar-warnings.ts'
import { barWindow, minuteWindow, type Range } from './bar-window.ts'
import { chooseAdjustment } from './choose-adjustment.ts'
import { resample, resampleMinutes } from './resample.ts'

export interface BarQuery {
  interval: AnyInterval
  range?: Range | undefined
  from?: string | undefined
  to?: string | undefined
  adjust?: Adjust | undefined
}

/** The bars that a query selects, not read yet. */
export interface BarView {
  manifest: BarsManifest
  adjust: Adjust
  source: string
  datasetVersion: string
  total: number
  /** Bars `first` to `end` (exclusive) of the view, in its interval and adjustment. */
  read: (first?: number, end?: number) => BarColumns
  /** The same bars as the store holds them. */
  stored: StoredBars
  /** How a time of these bars is written: a date, or the UTC instant of the open. */
  times: TimeForm
  /** What a reader of these columns must know, as sentences. */
  warnings: (columns: readonly string[]) => string[]
}

/** A view as a range of all bars that can be read in its interval and adjustment. */
export interface StoredBars {
  /** Stays the same object as long as the bars do; null if the bars are computed for this view. */
  of: object | null
  first: number
  all: number
  read: (first: number, end: number) => BarColumns
}

/**
 * The bars of an instrument. Throws invalid_parameter for contradictions, and for unavailable intervals and
 * adjustments.
 */
export function viewBars(instrument: Instrument, query: BarQuery): BarView {
  return isIntraday(query.interval) ? viewMinutes(instrument, query) : viewDays(instrument, query)
}

function viewDays(instrument: Instrument, query: BarQuery): BarView {
  const { manifest, series, datasetVersion, source } = instrument
  const interval = query.interval as Exclude<AnyInterval, '1m' | '5m' | '15m' | '30m' | '1h'>
  const { adjust, adjustment } = chooseAdjustment(instrument, query.adjust)
  const window = barWindow(series, { ...query, interval })
  const start = Math.min(Math.max(window.start, adjustment.firstIndex), window.end)
  const { firstIndex } = adjustment
  const stored: StoredBars =
    interval === '1d'
      ? {
          of: series,
          first: start - firstIndex,
          all: series.count - firstIndex,
          read: (first, end) => adjustedBars(series, adjustment, firstIndex + first, firstIndex + end),
        }
      : made(resample(adjustedBars(series, adjustment, start, window.end), interval))
  const total = interval === '1d' ? window.end - start : stored.all
  return {
    manifest,
    adjust,
    source,
    datasetVersion,
    total,
    read: reader(stored, total),
    stored,
    times: dayForm,
    warnings: (columns) => barWarnings(instrument, { interval, window, firstIndex, adjust, columns }),
  }
}

function viewMinutes(instrument: Instrument, query: BarQuery): BarView {
  const { intraday } = instrument
  const { symbol } = instrument.manifest
  if (!intraday || !isIntraday(query.interval)) {
    const held = [...intervals]
    throw new AppError('invalid_parameter', `${symbol} has no intraday bars. Available: ${held.join(', ')}.`, {
      param: 'interval',
      allowed: held,
    })
  }
  const { manifest, series, datasetVersion, source } = intraday
  const { adjust, adjustment } = chooseAdjustment(intraday, query.adjust)
  const window = minuteWindow(series, query)
  const stored: StoredBars =
    query.interval === '1m'
      ? {
          of: series,
          first: window.start,
          all: series.count,
          read: (first, end) => adjustedBars(series, adjustment, first, end),
        }
      : made(resampleMinutes(adjustedBars(series, adjustment, window.start, window.end), query.interval))
  const total = query.interval === '1m' ? window.end - window.start : stored.all
  return {
    manifest,
    adjust,
    source,
    datasetVersion,
    total,
    read: reader(stored, total),
    stored,
    times: minuteForm,
    warnings(columns) {
      const sample = sampleWarning(manifest)
      if (total > 0) return [...sample, ...noteWarnings(manifest, columns, manifest.first)]
      const asked = spanText(window, manifest.last)
      return [
        ...sample,
        `No bars ${asked}: ${symbol} has ${query.interval} bars from ${manifest.first} to ${manifest.last}.`,
      ]
    },
  }
}

/** Reads of a view, counted from its first bar. */
const reader =
  (stored: StoredBars, total: number) =>
  (first = 0, end = total) =>
    stored.read(stored.first + first, stored.first + Math.min(end, total))

const made = (bars: BarColumns): StoredBars => ({
  of: null,
  first: 0,
  all: bars.times.length,
  read: (first, end) => cutBars(bars, first, end),
})
