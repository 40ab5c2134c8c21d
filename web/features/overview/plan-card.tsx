import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../lib/api-error.ts'
import { formatCurrency, formatInterval, formatUnixDay, formatWhole } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { currentSubscription } from '../billing/current-plan.ts'
import { subscriptionQuery } from '../billing/queries.ts'
import { overviewText as text } from './text.ts'

/** The plan in force: its price, what it includes, when it renews. */
export function PlanCard() {
  const { data, error, isPending, refetch, isFetching } = useQuery(subscriptionQuery)
  const subscription = currentSubscription(data)
  return (
    <Card title={text.plan} aside={subscription && <Badge tone="success">{text.active}</Badge>}>
      {isPending && (
        <Loading label="Loading plan..." className="space-y-3">
          <Skeleton className="h-8 w-32" />
          <Skeleton className="h-4 w-48" />
        </Loading>
      )}
      {error && !data && (
        <ErrorState
          title={text.subscriptionFailed(error.message, error instanceof ApiError ? error.code : 'unknown')}
          error={error instanceof ApiError ? new ApiError('', error) : undefined}
          onRetry={refetch}
          retrying={isFetching}
        />
      )}
      {data && !subscription && <EmptyState title={text.noPlan} about={text.noPlanAbout} />}
      {subscription && (
        <>
          <p className="text-title font-strong">{subscription.plan.name}</p>
          <p className="mt-1 text-muted">
            {formatCurrency(subscription.plan.amount / 100, subscription.currency)}{' '}
            {formatInterval(subscription.plan.interval)}
            {subscription.plan.credits_included > 0 && (
              <>, {formatWhole(subscription.plan.credits_included)} credits included</>
            )}
          </p>
          <p className="text-muted">Renews on {formatUnixDay(subscription.current_period_end)}</p>
        </>
      )}
    </Card>
  )
}
