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
import { Legend } from './legend.tsx'
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
  /** In place of the sums of the chart's colors: figures that have these colors, and a sentence. */
  figures?: ReactNode
  about?: ReactNode
}

/** Requests over time for all keys or one, by their result; also as a table and CSV. */
export function UsageCard({ of, keys, choice = true, figures, about }: UsageCardProps) {
  const range = useRange()
  const hourly = isHourly(range)
  const all = useQuery({ ...usageQuery(range), enabled: !of })
  const one = useQuery({ ...keyUsageQuery(of?.id ?? '', range), enabled: Boolean(of) })
  const query = of ? one : all
  const { data } = query
  const used = (of ? [of] : keys)?.some((key) => key.usage_count > 0)
  const now = useNow(60_000)
  const buckets = useMemo(
    () => (data ? toBuckets(data.analytics, data.refusals ?? [], range, now) : []),
    [data, range, now],
  )
  const isEmpty = buckets.every(({ success, failed, refused }) => success + failed + refused === 0)
  // With figures it is the page's main chart, as high as what is beside it.
  const height = figures ? 'h-48 xl:h-81' : 'h-48'
  const waiting = (
    <Loading label={text.loading}>
      <Skeleton className={`${height} w-full`} />
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
      // The line is there before its text: what is below does not move.
      about={figures ? about : isEmpty ? '\u00a0' : <Legend buckets={buckets} />}
      aside={choice && <RangeChoice range={range} />}
    >
      {figures}
      <QueryState query={query} failed={text.failed}>
        {waiting}
        <div className="h-8 max-sm:h-15" />
      </QueryState>
      {data && isEmpty && (
        <EmptyState
          title={used ? text.noneInRange : text.none}
          about={used ? text.noneInRangeAbout(range === '90d') : text.noneAbout}
        />
      )}
      {data && !isEmpty && (
        <ChartOrTable
          label={text.title}
          chartIcon={ChartColumn}
          chart={<UsageChart buckets={buckets} hourly={hourly} height={height} />}
          waiting={waiting}
          heads={[hourly ? 'Hour (UTC)' : 'Day (UTC)', text.succeeded, text.failedCalls, text.refused]}
          rows={buckets.map(({ start, success, failed, refused }) => [
            formatUtcDay(start) + (hourly ? `, ${formatUtcHour(start)}` : ''),
            formatWhole(success),
            formatWhole(failed),
            formatWhole(refused),
          ])}
          csv={toCsv(buckets)}
          fileName={`${shopSlug()}-requests-${range}.csv`}
        >
          <span className="ml-auto flex flex-wrap gap-x-6 pl-2.5 text-small text-muted max-sm:w-full max-sm:justify-between">
            {of && data.latency && (
              <Suspense>
                <Percentiles latency={data.latency} />
              </Suspense>
            )}
            <span className="max-sm:ml-auto">Times in UTC</span>
          </span>
        </ChartOrTable>
      )}
    </Card>
  )
}
