import { useQuery } from '@tanstack/react-query'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useRemembered } from '../../lib/use-remembered.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { useMayManage } from '../workspaces/queries.ts'
import { BurnDownCard } from './burn-down-card.tsx'
import { CheckoutReturn } from './checkout-return.tsx'
import { CreditsSummary } from './credits-summary.tsx'
import { currentSubscription } from './current-plan.ts'
import { EnterpriseCard, ManagementCard, ReadyCard } from './other-cards.tsx'
import { PlanGrid } from './plan-grid.tsx'
import { PlanSummary } from './plan-summary.tsx'
import { creditsQuery, subscriptionQuery } from './queries.ts'
import { SubscriptionNotice } from './subscription-notice.tsx'
import { billingText as text } from './text.ts'
import { UpcomingInvoice } from './upcoming-invoice.tsx'

// As high as the card with its sentence on three lines, or on one.
const cardPlace = <div className="min-h-31 rounded-card border border-line bg-surface sm:min-h-19" />

/** Plan, credits, and what they cost; every way to change them. */
export function BillingPage() {
  const subscription = useQuery(subscriptionQuery)
  const credits = useQuery(creditsQuery)
  const mayManage = useMayManage()
  const current = currentSubscription(subscription.data)
  const isNew =
    subscription.data && credits.data
      ? subscription.data.subscription === null && spendable(credits.data) === 'nothing'
      : subscription.isError || credits.isError
        ? false
        : undefined
  const burnsDown =
    subscription.data && current !== null && !credits.data?.unlimited && current.plan.credits_included > 0
  const chartPlace = useRemembered('burn-down', burnsDown, false)
  const readyPlace = useRemembered('new', isNew, true)
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/billing/']} />
      <CheckoutReturn />
      <SubscriptionNotice answer={subscription.data} />
      <div className="grid gap-5 md:grid-cols-2">
        <PlanSummary />
        <CreditsSummary />
      </div>
      {!mayManage && <p className="text-muted">{text.managersOnly}</p>}
      {readyPlace && mayManage && (isNew ? <ReadyCard /> : cardPlace)}
      {burnsDown && current && <BurnDownCard current={current} />}
      {!subscription.data && chartPlace && (
        <div className="min-h-87 rounded-card border border-line bg-surface sm:min-h-79" />
      )}
      {mayManage && <PlanGrid />}
      <div className="grid gap-5 md:grid-cols-2">
        <EnterpriseCard />
        {mayManage && <ManagementCard />}
      </div>
      {current?.plan_type === 'paid' && <UpcomingInvoice />}
    </>
  )
}

const spendable = (credits: { remaining: number; unlimited: boolean; payAsYouGoEnabled: boolean }) =>
  credits.unlimited || credits.payAsYouGoEnabled || credits.remaining > 0 ? 'something' : 'nothing'
