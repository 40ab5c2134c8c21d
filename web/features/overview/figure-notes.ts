import type { PreviousUsage, Usage, UsageRange } from '#contract/usage.ts'
import { formatWhole } from '../../lib/format.ts'

export interface Figure {
  value: string
  /** The change from the previous range, or another fact about this one. */
  note: string
}

const periods: Record<UsageRange, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' }

type Figures = Pick<Usage, 'totalRequests' | 'failedRequests' | 'avgSuccessRate' | 'latency' | 'requestsThisMonth'>

/** The period that the figures cover. */
export const rangeText = (range: UsageRange, previous: PreviousUsage | null): string =>
  previous === null
    ? `Last ${periods[range]}.`
    : `Last ${periods[range]}, compared with the previous ${periods[range]}, up to the same hour.`

/** The number of requests. */
export function requestsFigure(
  { totalRequests: now, requestsThisMonth }: Figures,
  before: PreviousUsage | null,
): Figure {
  const value = formatWhole(now)
  if (!before) return { value, note: `${formatWhole(requestsThisMonth)} this month` }
  const { totalRequests: then } = before
  if (then === 0) return { value, note: now === 0 ? 'None in the previous period' : 'Up from none' }
  const percent = Math.round(Math.abs(now / then - 1) * 100)
  return {
    value,
    note: change(now - then, percent === 0 ? 'less than 1%' : `${formatWhole(percent)}%`, formatWhole(then)),
  }
}

/** The share of requests that succeeded, rounded down, so that 100% means all. */
export function successFigure(now: Figures, before: PreviousUsage | null): Figure {
  if (now.totalRequests === 0) return none
  const value = percentText(now.avgSuccessRate)
  if (!before || before.totalRequests === 0) return { value, note: `${formatWhole(now.failedRequests)} failed` }
  const points = tenths(now.avgSuccessRate) - tenths(before.avgSuccessRate)
  return { value, note: change(points, `${Math.abs(points) / 10} points`, percentText(before.avgSuccessRate)) }
}

/** The duration that 95 of 100 calls stay within. */
export function latencyFigure({ latency }: Figures, before: PreviousUsage | null): Figure {
  if (!latency) return none
  const value = msText(latency.p95)
  if (!before?.latency) return { value, note: `Median ${msText(latency.p50)}` }
  const ms = latency.p95 - before.latency.p95
  return { value, note: change(ms, `${formatWhole(Math.abs(ms))} ms`, msText(before.latency.p95)) }
}

const none: Figure = { value: '–', note: 'No requests' }

const change = (difference: number, by: string, from: string): string =>
  difference === 0 ? 'No change' : `${difference > 0 ? 'Up' : 'Down'} ${by} from ${from}`

const tenths = (rate: number): number => Math.floor(rate * 10)
const percentText = (rate: number): string => `${tenths(rate) / 10}%`
const msText = (ms: number): string => (ms < 1 ? '< 1 ms' : `${formatWhole(ms)} ms`)
