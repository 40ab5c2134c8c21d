import { AppError } from '../../../http/errors.ts'
import { checkOrder } from '../check-order.ts'
import { civil, type Day, dayOf, MINUTES_PER_DAY, monthsBefore, parseDay } from '../dates.ts'
import { type Interval, periodStart } from '../periods.ts'
import type { BarSeries } from './bar-series.ts'

export const ranges = ['1mo', '3mo', '6mo', '1y', '5y', 'ytd', 'max'] as const
export type Range = (typeof ranges)[number]

const monthsOf = { '1mo': 1, '3mo': 3, '6mo': 6, '1y': 12, '5y': 60 } as const
/** The default without `from` and `range`: few enough bars to read, and enough to be useful. */
export const defaultRange = {
  '1d': '3mo',
  '1w': '1y',
  '1mo': '5y',
  '1q': 'max',
  '1y': 'max',
} as const satisfies Record<Interval, Range>

export interface WindowRequest {
  interval: Interval
  /** YYYY-MM-DD, inclusive, both. */
  from?: string | undefined
  to?: string | undefined
  range?: Range | undefined
}

/** The requested daily bars: index `start` to `end` (exclusive), from `from` to `to`. */
export interface BarWindow {
  start: number
  end: number
  from: Day
  to: Day
}

/**
 * The bars that a request selects. `range`, or a missing `from`, counts back from `to` or, if earlier, the last
 * available bar, and starts with a whole period of `interval`. Throws invalid_parameter for contradictions.
 */
export function barWindow(series: BarSeries, request: WindowRequest): BarWindow {
  checkWindow(request)
  const first = series.timeAt(0)
  const last = series.timeAt(series.count - 1)
  const asked = request.to ? parseDay(request.to) : last
  const from = request.from ? parseDay(request.from) : countBack(Math.min(asked, last), first, request)
  const to = Math.max(asked, from)
  const end = series.indexOf(to + 1)
  return { start: Math.min(series.indexOf(from), end), end, from, to }
}

/** The same for intraday bars: whole UTC days, and without `from` and `range` the last day that has bars. */
export function minuteWindow(series: BarSeries, request: Omit<WindowRequest, 'interval'>): BarWindow {
  checkWindow(request)
  const dayAt = (index: number) => Math.floor(series.timeAt(index) / MINUTES_PER_DAY)
  const asked = request.to ? parseDay(request.to) : dayAt(series.count - 1)
  const held = series.indexOf((asked + 1) * MINUTES_PER_DAY) - 1
  const last = held < 0 ? asked : dayAt(held)
  const from = request.from
    ? parseDay(request.from)
    : request.range
      ? countBack(last, dayAt(0), { ...request, interval: '1d' })
      : last
  const to = Math.max(asked, from)
  const end = series.indexOf((to + 1) * MINUTES_PER_DAY)
  return { start: Math.min(series.indexOf(from * MINUTES_PER_DAY), end), end, from, to }
}

function checkWindow({ from, to, range }: Omit<WindowRequest, 'interval'>): void {
  if (from && range) {
    throw new AppError(
      'invalid_parameter',
      'Send either from or range: range counts back from `to` or from the last bar.',
      { param: 'range' },
    )
  }
  checkOrder({ from, to })
}

function countBack(anchor: Day, first: Day, { interval, range = defaultRange[interval] }: WindowRequest): Day {
  if (range === 'max') return Math.min(first, anchor)
  const from = range === 'ytd' ? dayOf(civil(anchor).year, 1, 1) : monthsBefore(anchor, monthsOf[range]) + 1
  return periodStart(interval, from)
}
