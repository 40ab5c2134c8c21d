import { useQuery } from '@tanstack/react-query'
import type { Subscription } from '#contract/billing.ts'
import { ApiError } from '../../lib/api-error.ts'
import { Card } from '../../ui/card.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { heldSubscription } from './current-plan.ts'
import { planDate } from './plan-date.ts'
import { isMetered, subscriptionPrice } from './plan-price.ts'
import { subscriptionQuery } from './queries.ts'
import { SpendCapLine } from './spend-cap-line.tsx'
import { SubscriptionBadge } from './subscription-badge.tsx'
import { billingText as text } from './text.ts'

/** The plan in force, or the one that is past due: price, next billing date, status. */
export function PlanSummary() {
  const { data, error, isPending, refetch, isFetching } = useQuery(subscriptionQuery)
  const subscription = heldSubscription(data)
  return (
    <Card
      title={text.plan}
      aside={subscription && <SubscriptionBadge subscription={subscription} />}
      footer={subscription && isMetered(subscription) && <SpendCapLine />}
    >
      {isPending && (
        <Loading label={text.planLoading} className="space-y-3">
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
      {data && !subscription && (
        <>
          <p className="text-title font-strong">{text.noPlan}</p>
          <p className="mt-1 text-muted">{text.noPlanAbout}</p>
        </>
      )}
      {subscription && <Facts subscription={subscription} />}
    </Card>
  )
}

function Facts({ subscription }: { subscription: Subscription }) {
  return (
    <>
      <p className="text-title font-strong [overflow-wrap:anywhere]">{subscription.plan.name}</p>
      <p className="mt-1 text-muted">{subscriptionPrice(subscription)}</p>
      <p className="text-muted">{planDate(subscription)}</p>
    </>
  )
}
