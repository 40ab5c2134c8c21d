import { type BarColumns, firstOnOrAfter } from '../market-data/bars/bar-series.ts'
import { type Exchange, exchanges } from '../market-data/calendar/exchanges.ts'
import { closedBecause, sessionOf } from '../market-data/calendar/sessions.ts'
import { civil, type Day, dayText, MINUTES_PER_DAY, minuteText } from '../market-data/dates.ts'
import type { BarsFile } from './dataset-file.ts'
import type { Findings } from './report.ts'

/** A close that changes by more than this factor without a split on that day is reported. */
const JUMP = 1.8

/**
 * Checks that need all bars of a symbol: duplicates, gaps and extra days by the calendar, jumps, bars without volume.
 */
export function checkBars(
  dataset: BarsFile,
  symbol: string,
  bars: BarColumns,
  splits: ReadonlyMap<number, { split: number }>,
  findings: Findings,
): void {
  const { times, close, volume } = bars
  const shown = dataset.interval === '1d' ? dayText : minuteText
  let silent = 0
  for (let i = 0; i < times.length; i++) {
    if (volume[i] === 0) silent += 1
    if (i === 0) continue
    if (times[i] === times[i - 1]) findings.error('duplicate', `${symbol} has two bars for ${shown(times[i]!)}`)
    const change = close[i]! / close[i - 1]!
    const split = splits.get(times[i]!)?.split ?? 1
    const expected = dataset.basis === 'none' ? change * split : change
    if (expected > JUMP || expected < 1 / JUMP)
      findings.warn(
        'jump',
        `${symbol} moves by ${((change - 1) * 100).toFixed(0)} % on ${shown(times[i]!)}, and no split is given`,
      )
  }
  if (silent > 0) findings.warn('no_volume', `${symbol} has ${silent} bars without volume`)
  const exchange = exchanges.find(({ mic }) => mic === dataset.calendar)
  if (!exchange) return
  checkSessions(dataset, exchange, symbol, times, findings)
  if (dataset.interval === '1m') checkHours(exchange, symbol, times, findings)
}

/** Minutes outside the sessions, one finding per day: the sign of a wrong time zone. */
function checkHours(exchange: Exchange, symbol: string, minutes: Int32Array, findings: Findings): void {
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  for (let at = 0; at < minutes.length; ) {
    const day = Math.floor(minutes[at]! / MINUTES_PER_DAY)
    const next = firstOnOrAfter(minutes, (day + 1) * MINUTES_PER_DAY)
    const session = isKnown(exchange, day) ? sessionOf(exchange, day) : null
    if (session) {
      const [open, close] = [session.openMs / 60_000, session.closeMs / 60_000]
      const outside = minutes.subarray(at, next).filter((minute) => minute < open || minute >= close)
      if (outside.length > 0)
        findings.warn(
          'outside_session',
          `${symbol} has ${outside.length} bars outside the session of ${dayText(day)}, which is from ${clock(session.openMs)} to ${clock(session.closeMs)} UTC; the first is at ${minuteText(outside[0]!)}. Is the time zone right?`,
        )
    }
    at = next
  }
}

function checkSessions(
  { calendar, interval }: BarsFile,
  exchange: Exchange,
  symbol: string,
  times: Int32Array,
  findings: Findings,
): void {
  const days = new Set(interval === '1d' ? times : times.map((minute) => Math.floor(minute / MINUTES_PER_DAY)))
  const [first, last] = [Math.min(...range(days)), Math.max(...range(days))]
  for (let day = first; day <= last; day++) {
    if (!isKnown(exchange, day)) continue
    const closed = closedBecause(exchange, day)
    if (closed === null && !days.has(day))
      findings.warn('gap', `${symbol} has no bar for ${dayText(day)}, a session of ${calendar}`)
    if (closed !== null && days.has(day))
      findings.warn(
        'no_session',
        `${symbol} has a bar for ${dayText(day)}, when ${calendar} is closed (${closed}); is the time zone right?`,
      )
  }
}

/** Whether the closures of the day's year are known. */
function isKnown({ years: [first, last] }: Exchange, day: Day): boolean {
  const { year } = civil(day)
  return year >= first && year <= last
}

function range(days: ReadonlySet<number>): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const day of days) {
    if (day < least) least = day
    if (day > most) most = day
  }
  return [least, most]
}
