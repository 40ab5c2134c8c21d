import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Subscription } from '#contract/billing.ts'
import { ApiError } from '../../lib/http/api-error.ts'
import { Card } from '../../ui/card.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { namedSubscription } from './current-plan.ts'
import { planDate } from './plan-date.ts'
import { subscriptionQuery } from './queries.ts'
import { SubscriptionBadge } from './subscription-badge.tsx'

interface SubscriptionCardProps {
  cost: (subscription: Subscription) => ReactNode
  /** Below the other facts. */
  more?: (subscription: Subscription) => ReactNode
  footer?: (subscription: Subscription) => ReactNode
  /** The text for a workspace without a plan. */
  noPlan: ReactNode
}

/** The current or past-due plan: cost, next date, status. */
export function SubscriptionCard({ cost, more, footer, noPlan }: SubscriptionCardProps) {
  const query = useQuery(subscriptionQuery)
  const subscription = namedSubscription(query.data)
  return (
    <Card
      title="Current plan"
      aside={subscription && <SubscriptionBadge subscription={subscription} />}
      footer={subscription && footer?.(subscription)}
    >
      <QueryState
        query={query}
        loading="Loading plan..."
        className="space-y-1.5"
        bars={['h-8 w-32', 'h-4 w-48', 'h-4 w-36']}
        failed={(error) =>
          `Failed to fetch subscription: ${error.message} (Code: ${error instanceof ApiError ? error.code : 'unknown'})`
        }
      />
      {query.data && !subscription && (
        <>
          <p className="text-title font-strong">No plan yet</p>
          {noPlan}
        </>
      )}
      {subscription && (
        <>
          <p className="text-title font-strong [overflow-wrap:anywhere]">{subscription.plan.name}</p>
          <p className="mt-1 text-muted">{cost(subscription)}</p>
          <p className="text-muted">{planDate(subscription)}</p>
          {more?.(subscription)}
        </>
      )}
    </Card>
  )
}
