import type { Instrument } from '../catalog.ts'
import { dayText } from '../dates.ts'
import type { BarsManifest, Manifest } from '../manifest.ts'
import { type Interval, periodEnd, periodStart } from '../periods.ts'
import type { BarSeries } from './bar-series.ts'
import type { BarWindow } from './bar-window.ts'

interface Answer {
  interval: Interval
  window: BarWindow
  /** First daily bar in this adjustment. */
  firstIndex: number
  adjust: string
  columns: readonly string[]
}

/** What a reader must know to understand the bars of an answer, in full sentences. */
export function barWarnings(instrument: Instrument, answer: Answer): string[] {
  const { manifest, series } = instrument
  const { window, firstIndex, adjust } = answer
  const warnings = sampleWarning(manifest)
  if (firstIndex > 0 && window.from < series.timeAt(firstIndex)) {
    warnings.push(`adjust=${adjust} is available from ${dayText(series.timeAt(firstIndex))}; earlier bars are omitted.`)
  }
  const start = Math.max(window.start, firstIndex)
  if (start >= window.end) {
    warnings.push(
      `No bars ${spanText(window, manifest.last)}: ${manifest.symbol} has bars from ${manifest.first} to ${manifest.last}.`,
    )
    return warnings
  }
  return [
    ...warnings,
    ...partialPeriods(series, answer, start),
    ...noteWarnings(manifest, answer.columns, dayText(series.timeAt(start))),
  ]
}

/** The requested dates, without the end if it is after the last bar. */
export const spanText = ({ from, to }: Pick<BarWindow, 'from' | 'to'>, last: string): string => {
  if (dayText(from) > last) return `from ${dayText(from)} on`
  return from === to ? `on ${dayText(from)}` : `from ${dayText(from)} to ${dayText(to)}`
}

/** States that demo data is not live. */
export function sampleWarning({ redistribution, symbol, last }: BarsManifest): string[] {
  return redistribution === 'demo-only' ? [`Historical sample, not live: the last bar of ${symbol} is ${last}.`] : []
}

/** The dataset's notes that apply to these columns. A note with a date applies only to answers that start before it. */
export function noteWarnings({ notes }: Pick<Manifest, 'notes'>, columns: readonly string[], from = ''): string[] {
  return notes
    .filter(
      (note) =>
        (!note.columns || note.columns.some((column) => columns.includes(column))) &&
        (!note.before || from < note.before),
    )
    .map(({ text }) => text)
}

function partialPeriods(series: BarSeries, { interval, window }: Answer, start: number): string[] {
  if (interval === '1d') return []
  const warnings: string[] = []
  const first = series.timeAt(start)
  if (start > 0 && periodStart(interval, series.timeAt(start - 1)) === periodStart(interval, first)) {
    warnings.push(`The first bar is incomplete: it covers sessions from ${dayText(first)} on.`)
  }
  const last = series.timeAt(window.end - 1)
  const close = periodEnd(interval, last)
  const cut = window.end === series.count ? weekdaysBetween(last, close) : series.timeAt(window.end) <= close
  if (cut) warnings.push(`The last bar is incomplete: it covers sessions until ${dayText(last)}.`)
  return warnings
}

/** Whether there is a Monday to Friday after `last` and up to `end`. */
function weekdaysBetween(last: number, end: number): boolean {
  for (let day = last + 1; day <= end && day <= last + 3; day++) if ((((day + 3) % 7) + 7) % 7 < 5) return true
  return false
}
