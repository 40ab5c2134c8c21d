import { toCsv } from '../../../features/usage/buckets.ts'
import { Legend } from '../../../features/usage/legend.tsx'
import UsageChart from '../../../features/usage/usage-chart.tsx'
import { Card } from '../../../ui/card.tsx'
import { ChartOrTable } from '../../../ui/chart/chart-or-table.tsx'
import { ChartColumn } from '../../../ui/icons/dashboard.ts'
import { EmptyState } from '../../../ui/states.tsx'
import type { Data } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'

/** Calls of the last 30 UTC days by result, as a chart, a table and CSV. */
export function CallsChart({ days, id }: { days: Data<'GET /customers/{id}/overview'>['days']; id: string }) {
  const buckets = days.map(({ day, ...sums }) => ({ ...sums, start: new Date(`${day}T00:00:00Z`) }))
  const isEmpty = days.every(({ success, failed, refused }) => success + failed + refused === 0)
  return (
    <Card title="Calls in the last 30 days" about={isEmpty ? 'Days are UTC.' : <Legend buckets={buckets} />}>
      {isEmpty ? (
        <EmptyState title="No calls in the last 30 days" about="Calls appear here within seconds." />
      ) : (
        <ChartOrTable
          label="Calls by day"
          chartIcon={ChartColumn}
          chart={<UsageChart buckets={buckets} hourly={false} height="h-48" />}
          waiting={null}
          heads={['Day (UTC)', 'Successful', 'Failed', 'Refused', 'Credits']}
          rows={days.map((day) => [
            day.day,
            count(day.success),
            count(day.failed),
            count(day.refused),
            count(day.credits),
          ])}
          csv={toCsv(buckets)}
          fileName={`calls-${id}.csv`}
        >
          <p className="mt-3 text-small text-muted">
            Days are UTC; today is not over. Refused calls, such as those over a limit, are free.
          </p>
        </ChartOrTable>
      )}
    </Card>
  )
}
