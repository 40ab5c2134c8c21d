import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { formatWhole } from '../../lib/format.ts'
import { Card } from '../../ui/card.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { heldSubscription } from '../billing/current-plan.ts'
import { planDate } from '../billing/plan-date.ts'
import { subscriptionPrice } from '../billing/plan-price.ts'
import { creditsQuery, subscriptionQuery } from '../billing/queries.ts'
import { SubscriptionBadge } from '../billing/subscription-badge.tsx'
import { overviewText as text } from './text.ts'

/** The plan in force, or the one that waits for a payment: its price, what it includes, what happens next. */
export function PlanCard() {
  const { data, error, isPending, refetch, isFetching } = useQuery(subscriptionQuery)
  const { data: credits } = useQuery(creditsQuery)
  const subscription = heldSubscription(data)
  return (
    <Card title={text.plan} aside={subscription && <SubscriptionBadge subscription={subscription} />}>
      {isPending && (
        <Loading label="Loading plan..." className="space-y-1.5">
          <Skeleton className="h-8 w-32" />
          <Skeleton className="h-4 w-48" />
          <Skeleton className="h-4 w-36" />
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
          <ToBilling>{text.seePlans}</ToBilling>
        </>
      )}
      {subscription && (
        <>
          <p className="text-title font-strong [overflow-wrap:anywhere]">{subscription.plan.name}</p>
          <p className="mt-1 text-muted">
            {subscriptionPrice(subscription)}
            {subscription.plan.credits_included > 0 && !credits?.unlimited && (
              <>, {formatWhole(subscription.plan.credits_included)} credits included</>
            )}
          </p>
          <p className="text-muted">{planDate(subscription)}</p>
          {subscription.status !== 'active' && <ToBilling>{text.toBilling}</ToBilling>}
        </>
      )}
    </Card>
  )
}

const ToBilling = ({ children }: { children: ReactNode }) => (
  <Link
    to="/dashboard/billing"
    className="inline-flex min-h-6 items-center text-accent underline-offset-4 hover:underline"
  >
    {children}
  </Link>
)
