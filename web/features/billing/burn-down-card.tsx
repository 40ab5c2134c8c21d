import { useQuery } from '@tanstack/react-query'
import { ChartLine, Download, Table2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Subscription } from '#contract/billing.ts'
import { downloadText } from '../../lib/download.ts'
import { formatUtcDay, formatWhole } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { usageText } from '../usage/text.ts'
import { type CreditDay, daysToCome, periodDays, toCsv } from './burn-down.ts'
import { creditHistoryQuery } from './queries.ts'
import { billingText as text } from './text.ts'

const BurnDownChart = lazy(() => import('./burn-down-chart.tsx'))

/** How the credits of the period went down, day by day. */
export function BurnDownCard({ current }: { current: Subscription }) {
  const { data, error, isPending, isFetching, refetch } = useQuery(creditHistoryQuery)
  const [asTable, setAsTable] = useState(false)
  const { interval, credits_included: included } = current.plan
  const days = data ? periodDays(data, current.current_period_end, interval) : []
  const waiting = (
    <Loading label={text.burnDownLoading}>
      <Skeleton className="h-48 w-full" />
    </Loading>
  )
  const Icon = asTable ? ChartLine : Table2
  return (
    <Card title={text.burnDown} about={text.burnDownAbout}>
      {isPending && (
        <>
          {waiting}
          <div className="h-8" />
        </>
      )}
      {error && !data && (
        <ErrorState title={text.burnDownFailed} error={error} onRetry={refetch} retrying={isFetching} />
      )}
      {data && (
        <>
          {asTable ? (
            <DayTable days={days} />
          ) : (
            <Suspense fallback={waiting}>
              <BurnDownChart
                days={days}
                toCome={daysToCome(days, current.current_period_end, interval)}
                included={included}
              />
            </Suspense>
          )}
          <div className="mt-2 -mb-2 -ml-2.5 flex flex-wrap gap-1">
            <Button look="quiet" size="small" onClick={() => setAsTable(!asTable)}>
              <Icon aria-hidden="true" className="size-4" />
              {asTable ? usageText.asChart : usageText.asTable}
            </Button>
            <Button look="quiet" size="small" onClick={() => downloadText(toCsv(days), 'finmeter-credits.csv')}>
              <Download aria-hidden="true" className="size-4" />
              {usageText.csv}
            </Button>
          </div>
        </>
      )}
    </Card>
  )
}

function DayTable({ days }: { days: CreditDay[] }) {
  return (
    <div className="max-h-64 overflow-y-auto rounded-control border border-line">
      <Table
        label={text.burnDown}
        head={
          <>
            <HeadCell>Day (UTC)</HeadCell>
            <HeadCell align="right">Credits left</HeadCell>
            <HeadCell align="right">Spent</HeadCell>
          </>
        }
      >
        {days.toReversed().map(({ date, remaining, spent }) => (
          <tr key={date}>
            <Cell>{formatUtcDay(date)}</Cell>
            <Cell align="right">{formatWhole(remaining)}</Cell>
            <Cell align="right">{formatWhole(spent)}</Cell>
          </tr>
        ))}
      </Table>
    </div>
  )
}
