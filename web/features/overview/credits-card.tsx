import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Credits, Subscription } from '#contract/billing.ts'
import { formatWhole } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { creditHint } from '../credits/credit-outlook.ts'
import { creditsQuery, type Spendable, topupQuery } from '../credits/queries.ts'
import { creditsText } from '../credits/text.ts'
import { currentSubscription, holdsPaidPlan } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { overviewText as text } from './text.ts'
import type { Course } from './use-course.ts'

const BurnDownChart = lazy(() => import('../credits/burn-down-chart.tsx'))

/** The balance, its course and the day it runs out: green while it is free, with the ways to more. */
export function CreditsCard({ course }: { course: Course | null | undefined }) {
  const credits = useQuery(creditsQuery)
  const subscription = useQuery(subscriptionQuery)
  const mayManage = useMayManage()
  // Whether there is a meter depends on the plan.
  const known = subscription.data || subscription.isError ? credits.data : undefined
  const current = currentSubscription(subscription.data)
  const offer = useQuery({ ...topupQuery, enabled: mayManage })
  // Until it is known, the place is kept: most shops sell packs.
  const mayBuy = mayManage && known && !known.unlimited && offer.data?.pack !== null && !offer.isError
  const mayUpgrade =
    credits.data !== undefined &&
    subscription.data !== undefined &&
    !holdsPaidPlan(subscription.data) &&
    !credits.data.unlimited &&
    credits.data.remaining > 0
  // Credits from packs are not free.
  const isFree = mayUpgrade && !credits.data.bought
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
        query={{ ...credits, data: known }}
        loading="Loading credits..."
        className="space-y-2.5"
        bars={['h-8 w-28', 'h-1.5 w-full', 'h-4 w-40', ...(mayManage ? ['h-8.5 w-40'] : [])]}
        failed={text.creditsFailed}
      />
      {known && <Balance credits={known} subscription={current} />}
      {course !== null && <CourseChart course={course} />}
      {((mayUpgrade && mayManage) || mayBuy) && (
        <div className="mt-3 flex flex-wrap gap-2">
          {mayBuy && (
            <Link to="/dashboard/billing" hash="buy-credits" className={buttonClass({ size: 'small' })}>
              {text.buyCredits}
            </Link>
          )}
          {mayUpgrade && mayManage && (
            <Link to="/dashboard/billing" className={buttonClass({ size: 'small' })}>
              {text.upgrade}
            </Link>
          )}
        </div>
      )}
    </Card>
  )
}

const hasCredits = ({ unlimited, remaining, payAsYouGoEnabled }: Credits) =>
  unlimited || remaining > 0 || payAsYouGoEnabled

interface BalanceProps {
  credits: Spendable
  subscription: Subscription | null
}

function Balance({ credits, subscription }: BalanceProps) {
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
  const { remaining, bought, payAsYouGoEnabled } = credits
  const included = subscription?.plan.credits_included ?? 0
  const isOfPlan = included > 0 && remaining <= included && !bought
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-title font-strong figures">{formatWhole(remaining)}</span>
        <span className="text-muted">{isOfPlan ? `of ${formatWhole(included)} credits left` : 'credits left'}</span>
      </p>
      {isOfPlan && (
        <meter
          aria-label="Credits left"
          min={0}
          max={included}
          value={remaining}
          className="credit-meter mt-2 block h-1.5 w-full"
        />
      )}
      <p className="mt-2 text-muted">
        {remaining > 0 || (subscription && !payAsYouGoEnabled)
          ? creditHint(remaining)
          : payAsYouGoEnabled
            ? text.payAsYouGo
            : text.noCredits}
      </p>
    </>
  )
}

const chartHeight = 112

/** The last 30 days, with the pace and where it leads. Its room is there before it is known. */
function CourseChart({ course }: { course: Course | undefined }) {
  const days = course?.days.slice(-30) ?? []
  const shown = days.slice(
    Math.max(
      0,
      days.findIndex(({ remaining, spent }) => remaining + spent > 0),
    ),
  )
  const { perDay = 0, runOutOn = null } = course?.forecast ?? {}
  return (
    <>
      <p className="min-h-10 text-muted">
        {perDay > 0 && creditsText.pace(perDay)}
        {runOutOn && ` ${creditsText.runOut(runOutOn)}`}
      </p>
      <div className="mt-2" style={{ height: chartHeight }}>
        <Suspense>
          {shown.length > 0 && (
            <BurnDownChart
              label={text.creditsByDay}
              height={chartHeight}
              days={shown}
              toCome={runOutOn ? Math.min(Math.ceil(shown.length / 5), daysUntil(runOutOn)) : 0}
              perDay={perDay}
            />
          )}
        </Suspense>
      </div>
    </>
  )
}

const daysUntil = (time: Date) => Math.ceil((time.getTime() - Date.now()) / 86_400_000)
