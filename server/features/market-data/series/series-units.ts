import { type Day, dayText, monthsBefore, parseDay } from '../dates.ts'
import { periodStart } from '../periods.ts'
import type { EconomicSeries } from './economic-series.ts'

export const units = ['level', 'change', 'pct', 'yoy', 'log'] as const
export const frequencies = ['quarterly', 'annual'] as const
export const aggregates = ['mean', 'sum', 'last'] as const
/** Months up to the last observation. */
const monthsOf = {
  '1mo': 1,
  '3mo': 3,
  '6mo': 6,
  '1y': 12,
  '5y': 60,
  '10y': 120,
  '20y': 240,
  max: Number.POSITIVE_INFINITY,
} as const
export type SeriesRange = keyof typeof monthsOf
export const seriesRanges = Object.keys(monthsOf) as [SeriesRange, ...SeriesRange[]]

export interface SeriesRequest {
  units: (typeof units)[number]
  frequency?: (typeof frequencies)[number] | undefined
  aggregate: (typeof aggregates)[number]
  range?: SeriesRange | undefined
  from?: string | undefined
  to?: string | undefined
}

export interface Observation {
  day: Day
  value: number
}

const monthsPerPeriod = { daily: 0, monthly: 1, quarterly: 3, annual: 12 } as const
const DECIMALS = 1e6

/**
 * Observations in the requested units and frequency. First they are aggregated to coarser periods, complete ones only
 * (a quarter needs three months); then converted to the units, using the history before `from`; then cut to the window.
 * `pct` and `yoy` are 100 (value / earlier value - 1); periods without the earlier value are omitted.
 */
export function readObservations(series: EconomicSeries, request: SeriesRequest): Observation[] {
  const own = monthsPerPeriod[series.manifest.frequency]
  const months = Math.max(own, monthsPerPeriod[request.frequency ?? series.manifest.frequency])
  const plain = Array.from(series.times, (day, i) => ({ day, value: series.values[i]! }))
  const coarse = months === own ? plain : aggregate(plain, months, own, request.aggregate)
  const converted = convert(coarse, months, request.units)
  const last = series.times.at(-1)!
  const to = request.to ? parseDay(request.to) : last
  const from = request.from ? parseDay(request.from) : countBack(Math.min(to, last), request.range ?? '5y')
  return converted.filter(({ day }) => day >= from && day <= to)
}

const countBack = (day: Day, range: SeriesRange): Day =>
  range === 'max' ? Number.NEGATIVE_INFINITY : monthsBefore(day, monthsOf[range]) + 1

/**
 * `own` is the number of months between observations of the source, 0 for days: then only the last period may be
 * incomplete.
 */
function aggregate(plain: Observation[], months: number, own: number, how: SeriesRequest['aggregate']): Observation[] {
  const groups = Map.groupBy(plain, ({ day }) => periodStart(months === 3 ? '1q' : '1y', day))
  const last = plain.at(-1)!.day
  const isWhole = (start: Day, size: number) =>
    own > 0 ? size === months / own : monthsBefore(start, -months) - 1 <= last + MOST_DAYS_OFF
  return [...groups]
    .filter(([day, group]) => isWhole(day, group.length))
    .map(([day, group]) => {
      const sum = group.reduce((total, { value }) => total + value, 0)
      const value = how === 'sum' ? sum : how === 'mean' ? sum / group.length : group.at(-1)!.value
      return { day, value: clean(value) }
    })
}

/** Days without an observation that may end a period: weekends and holidays. */
const MOST_DAYS_OFF = 5

function convert(observations: Observation[], months: number, unit: SeriesRequest['units']): Observation[] {
  if (unit === 'level') return observations
  if (unit === 'log')
    return observations.filter(({ value }) => value > 0).map((one) => ({ ...one, value: clean(Math.log(one.value)) }))
  const byDay = new Map(observations.map((one) => [one.day, one]))
  const back = unit === 'yoy' ? 12 : months
  const earlier = (index: number) => {
    if (back === 0) return observations[index - 1]
    const day = monthsBefore(observations[index]!.day, back)
    if (months > 0) return byDay.get(day)
    for (let off = 0; off <= MOST_DAYS_OFF; off++) if (byDay.has(day - off)) return byDay.get(day - off)
    return undefined
  }
  return observations.flatMap((one, index) => {
    const before = earlier(index)
    if (!before || (unit !== 'change' && before.value === 0)) return []
    const value = unit === 'change' ? one.value - before.value : 100 * (one.value / before.value - 1)
    return [{ day: one.day, value: clean(value) }]
  })
}

/** Days without an observation that are more than holidays. */
const GAP_DAYS = 14
const MOST_GAPS = 3

/** The longest gaps of a daily series, oldest first: no value stands for another. */
export function gapWarnings(frequency: string, observations: readonly Observation[]): string[] {
  if (frequency !== 'daily') return []
  const gaps = observations
    .slice(1)
    .map(({ day }, at) => ({ from: observations[at]!.day, to: day }))
    .filter(({ from, to }) => to - from > GAP_DAYS)
  if (gaps.length === 0) return []
  const longest = gaps.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MOST_GAPS)
  const named = longest.sort((a, b) => a.from - b.from).map(({ from, to }) => `${dayText(from)} and ${dayText(to)}`)
  const others = gaps.length > MOST_GAPS ? `, and in ${gaps.length - MOST_GAPS} shorter gaps` : ''
  return [`No observations between ${named.join(', ')}${others}.`]
}

const clean = (value: number): number => Math.round(value * DECIMALS) / DECIMALS
