import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatWhole } from '../../lib/format.ts'
import { creditsQuery } from '../credits/queries.ts'
import { subscriptionPrice } from '../plans/plan-price.ts'
import { SubscriptionCard } from '../plans/subscription-card.tsx'
import { overviewText as text } from './text.ts'

/** The current plan with its included credits, what was bought besides, and links to Billing. */
export function CurrentPlan() {
  const { data: credits } = useQuery(creditsQuery)
  return (
    <SubscriptionCard
      cost={(subscription) => {
        const { credits_included: included } = subscription.plan
        const credited = included > 0 && !credits?.unlimited && `, ${formatWhole(included)} credits included`
        return `${subscriptionPrice(subscription)}${credited || ''}`
      }}
      more={({ status }) => (
        <>
          {credits && credits.bought > 0 && (
            <p className="text-muted">
              {credits.bought < credits.remaining ? text.fromPacks(formatWhole(credits.bought)) : text.allFromPacks}
            </p>
          )}
          {status !== 'active' && <ToBilling>{text.toBilling}</ToBilling>}
        </>
      )}
      noPlan={
        <>
          <p className="mt-1 text-muted">{text.noPlanAbout}</p>
          <ToBilling>{text.seePlans}</ToBilling>
        </>
      }
    />
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
