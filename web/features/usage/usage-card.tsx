import { useQuery } from '@tanstack/react-query'
import { ChartColumn, Download, Table2 } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { downloadText } from '../../lib/download.ts'
import { formatWhole } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { keysQuery } from '../keys/queries.ts'
import { BucketTable } from './bucket-table.tsx'
import { isHourly, toBuckets, toCsv } from './buckets.ts'
import { keyUsageQuery, usageQuery } from './queries.ts'
import { RangeChoice, useRange } from './range-choice.tsx'
import { usageText as text } from './text.ts'

const UsageChart = lazy(() => import('./usage-chart.tsx'))
const Percentiles = lazy(() => import('./percentiles.tsx'))

/** Requests over time of all keys, or of one: successes and failures stacked; the same as a table, and as CSV. */
export function UsageCard({ of }: { of?: Pick<ApiKey, 'id' | 'name' | 'usage_count'> }) {
  const range = useRange()
  const all = useQuery({ ...usageQuery(range), enabled: !of })
  const one = useQuery({ ...keyUsageQuery(of?.id ?? '', range), enabled: Boolean(of) })
  const { data, error, isPending, isFetching, refetch } = of ? one : all
  const { data: keys } = useQuery({ ...keysQuery, enabled: !of })
  const used = (of ? [of] : keys)?.some((key) => key.usage_count > 0)
  const [asTable, setAsTable] = useState(false)
  const now = useNow(60_000)
  const buckets = useMemo(() => (data ? toBuckets(data.analytics, range, now) : []), [data, range, now])
  const total = buckets.reduce((sum, bucket) => sum + bucket.success + bucket.failed, 0)
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  const waiting = (
    <Loading label={text.loading}>
      <Skeleton className={'h-56 w-full'} />
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
        data &&
        total + data.refusedRequests > 0 && <Sums total={total} failed={failed} refused={data.refusedRequests} />
      }
      aside={<RangeChoice range={range} />}
    >
      {isPending && (
        <>
          {waiting}
          <div className="h-20" />
        </>
      )}
      {error && !data && <ErrorState title={text.failed} error={error} onRetry={refetch} retrying={isFetching} />}
      {data && total === 0 && (
        <EmptyState
          title={used ? text.noneInRange : text.none}
          about={used ? text.noneInRangeAbout(range === '90d') : text.noneAbout}
        />
      )}
      {data && total > 0 && (
        <>
          {asTable ? (
            <BucketTable buckets={buckets} hourly={isHourly(range)} />
          ) : (
            <Suspense fallback={waiting}>
              <UsageChart buckets={buckets} hourly={isHourly(range)} />
            </Suspense>
          )}
          {data.latency && (
            <Suspense fallback={<div className="mt-3 h-4" />}>
              <Percentiles latency={data.latency} />
            </Suspense>
          )}
          <ChartActions
            asTable={asTable}
            onToggle={() => setAsTable(!asTable)}
            csv={toCsv(buckets)}
            fileName={`finmeter-requests-${range}.csv`}
          />
        </>
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

function ChartActions({
  asTable,
  onToggle,
  csv,
  fileName,
}: {
  asTable: boolean
  onToggle: () => void
  csv: string
  fileName: string
}) {
  const Icon = asTable ? ChartColumn : Table2
  return (
    <div className="mt-2 -mb-2 -ml-2.5 flex flex-wrap gap-1">
      <Button look="quiet" size="small" onClick={onToggle}>
        <Icon aria-hidden="true" className="size-4" />
        {asTable ? text.asChart : text.asTable}
      </Button>
      <Button look="quiet" size="small" onClick={() => downloadText(csv, fileName)}>
        <Download aria-hidden="true" className="size-4" />
        {text.csv}
      </Button>
    </div>
  )
}
