import { useQuery } from '@tanstack/react-query'
import { formatCents, formatDate } from '../../lib/format.ts'
import { Card } from '../../ui/card.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { upcomingQuery } from './queries.ts'
import { billingText as text } from './text.ts'

/** What the paid plan will charge next, line by line. */
export function UpcomingInvoice() {
  const { data, error, isPending, isFetching, refetch } = useQuery(upcomingQuery)
  return (
    <Card title={text.upcoming} about={data && text.upcomingOn(formatDate(data.at))}>
      {isPending && (
        <Loading label={text.upcomingLoading} className="space-y-3">
          <Skeleton className="h-5 w-full" />
          <Skeleton className="h-5 w-full" />
        </Loading>
      )}
      {error && data === undefined && (
        <ErrorState title={text.upcomingFailed} error={error} onRetry={refetch} retrying={isFetching} />
      )}
      {data === null && <p className="text-muted">{text.upcomingNone}</p>}
      {data && (
        <dl className="divide-y divide-line figures">
          {data.lines.map(({ description, amount }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of an invoice have no identity and never move
            <div key={index} className="flex justify-between gap-6 py-2">
              <dt className="min-w-0 text-muted">{description}</dt>
              <dd>{formatCents(amount, data.currency)}</dd>
            </div>
          ))}
          <div className="flex justify-between gap-6 pt-2 font-strong">
            <dt>Total</dt>
            <dd>{formatCents(data.amount, data.currency)}</dd>
          </div>
        </dl>
      )}
    </Card>
  )
}
