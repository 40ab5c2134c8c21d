import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { formatUtcDay, formatUtcHour, formatWhole } from '../../lib/format.ts'
import { shopSlug } from '../../lib/shop.ts'
import { useNow } from '../../lib/use-now.ts'
import { Card } from '../../ui/card.tsx'
import { ChartOrTable } from '../../ui/chart/chart-or-table.tsx'
import { ChartColumn } from '../../ui/icons/dashboard.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { isHourly, toBuckets, toCsv } from './buckets.ts'
import { keyUsageQuery, usageQuery } from './queries.ts'
import { RangeChoice, useRange } from './range-choice.tsx'
import { usageText as text } from './text.ts'

const UsageChart = lazy(() => import('./usage-chart.tsx'))
const Percentiles = lazy(() => import('./percentiles.tsx'))

interface UsageCardProps {
  /** One key; without it, all keys. */
  of?: Pick<ApiKey, 'id' | 'name' | 'usage_count'>
  /** All keys of the workspace, once loaded: the empty state depends on whether one was ever used. */
  keys?: Pick<ApiKey, 'usage_count'>[] | undefined
  /** False if the page itself has the range selector, because it applies to more than this card. */
  choice?: boolean
}

/** Requests over time for all keys or one, successes and failures stacked; also as a table and CSV. */
export function UsageCard({ of, keys, choice = true }: UsageCardProps) {
  const range = useRange()
  const hourly = isHourly(range)
  const all = useQuery({ ...usageQuery(range), enabled: !of })
  const one = useQuery({ ...keyUsageQuery(of?.id ?? '', range), enabled: Boolean(of) })
  const query = of ? one : all
  const { data } = query
  const used = (of ? [of] : keys)?.some((key) => key.usage_count > 0)
  const now = useNow(60_000)
  const buckets = useMemo(() => (data ? toBuckets(data.analytics, range, now) : []), [data, range, now])
  const total = buckets.reduce((sum, bucket) => sum + bucket.success + bucket.failed, 0)
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  const waiting = (
    <Loading label={text.loading}>
      <Skeleton className="h-62 w-full" />
    </Loading>
  )
  return (
    <Card
      title={
        of ? (
          <span className="line-clamp-2 break-words" title={of.name}>
            {text.of(of.name)}
          </span>
        ) : (
          text.title
        )
      }
      about={
        data && total + data.refusedRequests > 0 ? (
          <Sums total={total} failed={failed} refused={data.refusedRequests} />
        ) : (
          // The line is there before its text: what is below does not move.
          '\u00a0'
        )
      }
      aside={choice && <RangeChoice range={range} />}
    >
      <QueryState query={query} failed={text.failed}>
        {waiting}
        <div className="h-15" />
      </QueryState>
      {data && total === 0 && (
        <EmptyState
          title={used ? text.noneInRange : text.none}
          about={used ? text.noneInRangeAbout(range === '90d') : text.noneAbout}
        />
      )}
      {data && total > 0 && (
        <ChartOrTable
          label={text.title}
          chartIcon={ChartColumn}
          chart={<UsageChart buckets={buckets} hourly={hourly} />}
          waiting={waiting}
          heads={[hourly ? 'Hour (UTC)' : 'Day (UTC)', text.succeeded, text.failedCalls]}
          rows={buckets.map(({ start, success, failed }) => [
            formatUtcDay(start) + (hourly ? `, ${formatUtcHour(start)}` : ''),
            formatWhole(success),
            formatWhole(failed),
          ])}
          csv={toCsv(buckets)}
          fileName={`${shopSlug()}-requests-${range}.csv`}
        >
          {data.latency && (
            <Suspense fallback={<div className="mt-3 h-4" />}>
              <Percentiles latency={data.latency} />
            </Suspense>
          )}
        </ChartOrTable>
      )}
    </Card>
  )
}

const Sums = ({ total, failed, refused }: { total: number; failed: number; refused: number }): ReactNode => (
  <span className="figures">
    {formatWhole(total)} {total === 1 ? 'request' : 'requests'}, {formatWhole(failed)} failed
    {refused > 0 && `, ${formatWhole(refused)} refused`}
  </span>
)
