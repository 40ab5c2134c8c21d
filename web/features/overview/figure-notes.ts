import type { PreviousUsage, Usage, UsageRange } from '#contract/usage.ts'
import { formatWhole } from '../../lib/format.ts'

export interface Figure {
  value: string
  /** The change from the previous range, or another fact about this one. */
  note: string
}

const periods: Record<UsageRange, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' }

type Figures = Pick<
  Usage,
  'totalRequests' | 'successfulRequests' | 'failedRequests' | 'refusedRequests' | 'latency' | 'requestsThisMonth'
>

/** The period that the figures cover. */
export const rangeText = (range: UsageRange, previous: PreviousUsage | null): string =>
  previous === null
    ? `Last ${periods[range]}.`
    : `Last ${periods[range]}, compared with the previous ${periods[range]}, up to the same hour.`

/** The calls that succeeded. */
function succeededFigure(
  { successfulRequests: now, requestsThisMonth }: Figures,
  before: PreviousUsage | null,
): Figure {
  const value = formatWhole(now)
  if (!before)
    return {
      value,
      note: `${formatWhole(requestsThisMonth)} ${requestsThisMonth === 1 ? 'request' : 'requests'} this month`,
    }
  const then = Math.round((before.totalRequests * before.avgSuccessRate) / 100)
  if (then === 0) return { value, note: now === 0 ? 'None in the previous period' : 'Up from none' }
  const percent = Math.round(Math.abs(now / then - 1) * 100)
  return {
    value,
    note: change(now - then, percent === 0 ? 'less than 1%' : `${formatWhole(percent)}%`, formatWhole(then)),
  }
}

/** The requests by result. Those that failed or were refused are free. */
export function figuresOf(
  usage: Figures,
  before: PreviousUsage | null,
): Record<'success' | 'failed' | 'refused', Figure> {
  const { totalRequests, failedRequests, refusedRequests } = usage
  const share = (count: number): Figure => {
    const percent = (100 * count) / (totalRequests + refusedRequests || 1)
    const shown = percent > 0 && percent < 1 ? '< 1' : Math.round(percent)
    return { value: formatWhole(count), note: `${shown}% of requests` }
  }
  return {
    success: succeededFigure(usage, before),
    failed: share(failedRequests),
    refused: share(refusedRequests),
  }
}

/** The duration that 95 of 100 calls stay within. */
export function latencyFigure({ latency }: Figures, before: PreviousUsage | null): Figure {
  if (!latency) return { value: '–', note: 'No requests' }
  const value = msText(latency.p95)
  if (!before?.latency) return { value, note: `Median ${msText(latency.p50)}` }
  const ms = latency.p95 - before.latency.p95
  return { value, note: change(ms, `${formatWhole(Math.abs(ms))} ms`, msText(before.latency.p95)) }
}

const change = (difference: number, by: string, from: string): string =>
  difference === 0 ? 'No change' : `${difference > 0 ? 'Up' : 'Down'} ${by} from ${from}`

const msText = (ms: number): string => (ms < 1 ? '< 1 ms' : `${formatWhole(ms)} ms`)
