import { lazy } from 'react'
import { Card } from '../../../ui/card.tsx'
import { ChartOrTable } from '../../../ui/chart/chart-or-table.tsx'
import { ChartColumn, ChartLine } from '../../../ui/icons/dashboard.ts'
import { Loading, Skeleton } from '../../../ui/skeleton.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { csvOf } from '../../lib/csv.ts'
import { count } from '../../lib/format.ts'
import type { Series } from './series.ts'

const SeriesChart = lazy(() => import('./series-chart.tsx'))

interface ChartCardProps {
  title: string
  /** What is counted, in a sentence. */
  about: string
  look: 'columns' | 'lines'
  /** The name of the points: Hour (UTC), Day (UTC). */
  head: string
  /** A point in the table and on the axis, and as it is in the CSV file. */
  points: readonly { shown: string; raw: string }[]
  series: readonly Series[]
  format?: (value: number) => string
  fileName: string
  empty: { title: string; about: string }
}

/** A chart with its definition, its numbers as a table, and as CSV. */
export function ChartCard({
  title,
  about,
  look,
  head,
  points,
  series,
  format = count,
  fileName,
  empty,
}: ChartCardProps) {
  const none = series.every(({ values }) => values.every((value) => value === 0))
  return (
    <Card title={title} about={about}>
      {none ? (
        <EmptyState {...empty} />
      ) : (
        <ChartOrTable
          label={title}
          chartIcon={look === 'lines' ? ChartLine : ChartColumn}
          chart={
            <SeriesChart
              label={title}
              look={look}
              points={points.map(({ shown }) => shown)}
              series={series}
              format={format}
            />
          }
          waiting={
            <Loading label={`Loading ${title}`}>
              <Skeleton className="h-52 w-full" />
            </Loading>
          }
          heads={[head, ...series.map(({ name }) => name)]}
          rows={points.map(({ shown }, index) => [shown, ...series.map(({ values }) => format(values[index] ?? 0))])}
          csv={csvOf(
            [head, ...series.map(({ name }) => name)],
            points.map(({ raw }, index) => [raw, ...series.map(({ values }) => values[index] ?? 0)]),
          )}
          fileName={fileName}
        />
      )}
    </Card>
  )
}
