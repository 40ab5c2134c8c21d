import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy } from 'react'
import type { Subscription } from '#contract/billing.ts'
import { formatUtcDay, formatWhole } from '../../lib/format.ts'
import { shopSlug } from '../../lib/shop.ts'
import { useNow } from '../../lib/use-now.ts'
import { useRemembered } from '../../lib/use-remembered.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card, CardPlace, ChartCardPlace } from '../../ui/card.tsx'
import { ChartOrTable } from '../../ui/chart/chart-or-table.tsx'
import { ChartLine } from '../../ui/icons/dashboard.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { daysToCome, periodDays, toCsv } from './burn-down.ts'
import { creditForecast, upToNow } from './credit-outlook.ts'
import { creditHistoryQuery, creditsQuery } from './queries.ts'
import { creditsText as text } from './text.ts'

const BurnDownChart = lazy(() => import('./burn-down-chart.tsx'))

/** The place of the card, before the plan is known. */
export const BurnDownPlace = () =>
  useRemembered('credits-used', undefined, false) ? <ChartCardPlace /> : <CardPlace />

/** Credits left per day of the period; before the first call of the period, what will be here. */
export function BurnDownCard({ current }: { current: Subscription }) {
  const query = useQuery(creditHistoryQuery)
  const { data } = query
  const credits = useQuery(creditsQuery)
  const now = useNow(60_000)
  const { interval, credits_included: included } = current.plan
  const history = data && (credits.data ? upToNow(data, credits.data.remaining) : data)
  const plan = { included, renewsAtSeconds: current.current_period_end }
  const forecast =
    history && credits.data && !credits.data.unlimited
      ? creditForecast({ days: history, remaining: credits.data.remaining, plan, now })
      : null
  const days = history ? periodDays(history, current.current_period_end, interval) : []
  const isUsed = data && days.some(({ spent }) => spent > 0)
  const expectsChart = useRemembered('credits-used', isUsed, false)
  if (!data && !query.isError && !expectsChart) return <CardPlace />
  if (isUsed === false)
    return (
      <Card
        title={text.burnDown}
        about={text.unused}
        aside={
          <Link to="/dashboard/playground" className={buttonClass({ size: 'small' })}>
            {text.call}
          </Link>
        }
      />
    )
  const waiting = (
    <Loading label={text.burnDownLoading}>
      <Skeleton className="mb-5 h-48 w-full" />
    </Loading>
  )
  return (
    <Card title={text.burnDown}>
      <QueryState query={query} failed={text.burnDownFailed}>
        {waiting}
        <div className="h-8" />
      </QueryState>
      {forecast && (
        <p className="mb-3 text-muted">
          {text.pace(forecast.perDay)}
          {forecast.runOutOn && ` ${text.runOut(forecast.runOutOn)}`}
        </p>
      )}
      {data && (
        <ChartOrTable
          label={text.burnDown}
          chartIcon={ChartLine}
          chart={
            <BurnDownChart
              days={days}
              toCome={daysToCome(days, current.current_period_end, interval)}
              included={included}
              perDay={forecast?.perDay ?? 0}
            />
          }
          waiting={waiting}
          heads={['Day (UTC)', 'Credits left', 'Spent']}
          rows={days.map(({ date, remaining, spent }) => [
            formatUtcDay(date),
            formatWhole(remaining),
            formatWhole(spent),
          ])}
          csv={toCsv(days)}
          fileName={`${shopSlug()}-credits.csv`}
        />
      )}
    </Card>
  )
}
