import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Credits, Subscription } from '#contract/billing.ts'
import { formatDate, formatWhole } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { creditHint } from '../credits/credit-outlook.ts'
import { creditsQuery } from '../credits/queries.ts'
import { currentSubscription, holdsPaidPlan } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { runOutOn } from './credits-figure.ts'
import { overviewText as text } from './text.ts'

/** The balance: green on the free plan, with a way to upgrade. */
export function CreditsCard() {
  const credits = useQuery(creditsQuery)
  const subscription = useQuery(subscriptionQuery)
  const mayManage = useMayManage()
  const current = currentSubscription(subscription.data)
  const isFree =
    credits.data !== undefined &&
    subscription.data !== undefined &&
    !holdsPaidPlan(subscription.data) &&
    !credits.data.unlimited &&
    credits.data.remaining > 0
  return (
    <Card
      title={isFree ? text.freeCredits : text.credits}
      tone={isFree ? 'success' : 'plain'}
      aside={
        credits.data &&
        (current !== null || hasCredits(credits.data)) && (
          <Badge tone={hasCredits(credits.data) ? 'success' : 'neutral'}>
            {isFree ? text.trial : credits.data.unlimited ? text.unlimited : text.active}
          </Badge>
        )
      }
    >
      <QueryState
        query={credits}
        loading="Loading credits..."
        className="space-y-2.5"
        bars={['h-8 w-28', 'h-1.5 w-full', 'h-4 w-40']}
        failed={text.creditsFailed}
      />
      {credits.data && <Balance credits={credits.data} subscription={current} />}
      {isFree && mayManage && (
        <Link to="/dashboard/billing" className={buttonClass({ size: 'small', className: 'mt-3' })}>
          {text.upgrade}
        </Link>
      )}
    </Card>
  )
}

const hasCredits = ({ unlimited, remaining, payAsYouGoEnabled }: Credits) =>
  unlimited || remaining > 0 || payAsYouGoEnabled

function Balance({ credits, subscription }: { credits: Credits; subscription: Subscription | null }) {
  const now = useNow(60_000)
  if (credits.unlimited)
    return (
      <>
        <p className="text-title font-strong">
          <span aria-hidden="true">∞</span>
          <span className="sr-only">{text.unlimited}</span>
        </p>
        <p className="mt-1 text-muted">{text.unlimited}: calls are recorded and cost no credits.</p>
      </>
    )
  const { remaining, payAsYouGoEnabled } = credits
  const included = subscription?.plan.credits_included ?? 0
  const emptyOn = runOutOn(remaining, subscription, now)
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-title font-strong figures">{formatWhole(remaining)}</span>
        <span className="text-muted">
          {included > 0 && remaining <= included ? `of ${formatWhole(included)} credits left` : 'credits left'}
        </span>
      </p>
      {included > 0 && (
        <meter
          aria-label="Credits left"
          min={0}
          max={Math.max(included, remaining)}
          value={remaining}
          className="credit-meter mt-2 block h-1.5 w-full"
        />
      )}
      <p className="mt-2 text-muted">
        {payAsYouGoEnabled && remaining === 0 ? 'Calls are billed as pay-as-you-go' : creditHint(remaining)}
        {emptyOn && <>. At this pace they run out on {formatDate(emptyOn)}</>}
      </p>
    </>
  )
}
