import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useSettings } from '../../lib/settings.ts'
import { useRemembered } from '../../lib/use-remembered.ts'
import { CardPlace } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { BurnDownCard, BurnDownPlace } from '../credits/burn-down-card.tsx'
import { CreditsSummary } from '../credits/credits-summary.tsx'
import { isNewAccount } from '../credits/is-new-account.ts'
import { creditHistoryQuery, creditsQuery } from '../credits/queries.ts'
import { SpendCapLine } from '../credits/spend-cap-line.tsx'
import { NewKeyNotice } from '../keys/new-key-notice.tsx'
import { currentSubscription } from '../plans/current-plan.ts'
import { isMetered, subscriptionPrice } from '../plans/plan-price.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { SubscriptionCard } from '../plans/subscription-card.tsx'
import { useMayManage } from '../workspaces/queries.ts'
import { BillingSkeleton } from './billing-skeleton.tsx'
import { CheckoutReturn } from './checkout-return.tsx'
import { EnterpriseCard, ManagementCard, ReadyCard } from './other-cards.tsx'
import { PaidLately } from './paid-lately.tsx'
import { PlanGrid } from './plan-grid.tsx'
import { SubscriptionNotice } from './subscription-notice.tsx'
import { billingText as text } from './text.ts'
import { UpcomingInvoice } from './upcoming-invoice.tsx'

// Where taxes are off, nobody loads it.
const TaxCard = lazy(() => import('./tax/tax-card.tsx'))

/** Plan, credits and costs, and every way to change them. */
export function BillingPage() {
  const subscription = useQuery(subscriptionQuery)
  const credits = useQuery(creditsQuery)
  const mayManage = useMayManage()
  const { taxes } = useSettings()
  const current = currentSubscription(subscription.data)
  const isNew =
    subscription.data && credits.data
      ? isNewAccount(subscription.data, credits.data)
      : subscription.isError || credits.isError
        ? false
        : undefined
  const burnsDown =
    subscription.data && current !== null && !credits.data?.unlimited && current.plan.credits_included > 0
  const history = useQuery({ ...creditHistoryQuery, enabled: burnsDown === true })
  const burnPlace = useRemembered('burn-down', burnsDown, false)
  const readyPlace = useRemembered('new', isNew, true)
  const isKnown = isNew !== undefined && !(burnsDown && history.isPending)
  const seen = useRemembered('billing-seen', isKnown || undefined, false)
  if (!seen)
    return (
      <>
        <PageHeader {...pageHeadings['/dashboard/billing/']} />
        <CheckoutReturn />
        <NewKeyNotice />
        <BillingSkeleton />
      </>
    )
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/billing/']} />
      <CheckoutReturn />
      <NewKeyNotice />
      <SubscriptionNotice answer={subscription.data} />
      <div className="grid gap-5 md:grid-cols-2">
        <SubscriptionCard
          cost={subscriptionPrice}
          more={({ currency }) => mayManage && <PaidLately currency={currency} />}
          footer={(subscription) => isMetered(subscription) && <SpendCapLine currency={subscription.currency} />}
          noPlan={<p className="mt-1 text-muted">{text.noPlanAbout}</p>}
        />
        <CreditsSummary />
      </div>
      {!mayManage && <p className="text-muted">{text.managersOnly}</p>}
      {readyPlace && mayManage && (isNew ? <ReadyCard /> : <CardPlace />)}
      {burnsDown && current ? <BurnDownCard current={current} /> : !subscription.data && burnPlace && <BurnDownPlace />}
      {current?.plan_type === 'paid' && <UpcomingInvoice />}
      {mayManage && <PlanGrid />}
      <div className="grid gap-5 md:grid-cols-2">
        <EnterpriseCard />
        {mayManage && <ManagementCard />}
      </div>
      {taxes && mayManage && (
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <TaxCard />
        </Suspense>
      )}
    </>
  )
}
