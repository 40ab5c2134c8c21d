import { useQuery } from '@tanstack/react-query'
import { Fragment, lazy, Suspense, useState } from 'react'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useRemembered } from '../../lib/use-remembered.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { currentSubscription } from '../billing/current-plan.ts'
import { subscriptionQuery } from '../billing/queries.ts'
import { KeysCard } from '../keys/keys-card.tsx'
import { keysQuery } from '../keys/queries.ts'
import { UsageCard } from '../usage/usage-card.tsx'
import { useMayManage } from '../workspaces/queries.ts'
import { CreditsCard } from './credits-card.tsx'
import { PlanCard } from './plan-card.tsx'
import { TrialBanner } from './trial-banner.tsx'

// What lies below the first screen comes after it.
const CallsCard = lazy(() => import('../usage/calls-card.tsx'))
const FirstCallCard = lazy(() =>
  import('./first-call-card.tsx').then(({ FirstCallCard }) => ({ default: FirstCallCard })),
)
const McpCards = lazy(() => import('../mcp/mcp-cards.tsx').then(({ McpCards }) => ({ default: McpCards })))
const TopKeysCard = lazy(() =>
  import('../usage/top-keys-card.tsx').then(({ TopKeysCard }) => ({ default: TopKeysCard })),
)
// As high as the banner with its sentence on three lines, or on one.
const bannerPlace = <div className="min-h-41 rounded-card border border-line bg-surface sm:min-h-19" />
const place = <div className="h-96 rounded-card border border-line bg-surface" />

/**
 * The first page after sign-in. Before the first call: the way to it, then what calls add up to; whose keys were used
 * before this visit sees the figures first. Nothing changes its place while somebody looks: until the keys are known, the
 * order is that of the visit before.
 */
export function OverviewPage() {
  const { data: keys, isError: keysFailed } = useQuery(keysQuery)
  const { data: subscription, isError: subscriptionFailed } = useQuery(subscriptionQuery)
  const isFailed = keysFailed || subscriptionFailed
  const mayManage = useMayManage()
  const [used, setUsed] = useState<boolean>()
  if (keys && used === undefined) setUsed(keys.some((key) => key.usage_count > 0))
  const usedBefore = useRemembered('used', used, false)
  // While the key list has loaded empty and there is no current plan.
  const isTrialOffered =
    keys && subscription
      ? mayManage && keys.length === 0 && currentSubscription(subscription) === null
      : isFailed
        ? false
        : undefined
  // Once there it stays, out of sight when it is no longer offered: it tells how its redemption went.
  const [offered, setOffered] = useState(false)
  if (isTrialOffered && !offered) setOffered(true)
  const trialPlace = useRemembered('trial', isTrialOffered, true)
  const ways = (
    <div key="ways" className="grid gap-5 xl:grid-cols-2">
      <Suspense fallback={place}>
        <FirstCallCard again={usedBefore} />
        <McpCards />
      </Suspense>
    </div>
  )
  const figures = (
    <Fragment key="figures">
      <UsageCard />
      <Suspense fallback={place}>
        <TopKeysCard />
        <CallsCard />
      </Suspense>
    </Fragment>
  )
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/']} />
      {offered ? <TrialBanner shown={isTrialOffered === true} /> : trialPlace && bannerPlace}
      <div className="grid gap-5 md:grid-cols-2">
        <PlanCard />
        <CreditsCard />
      </div>
      <KeysCard summary />
      {usedBefore ? [figures, ways] : [ways, figures]}
    </>
  )
}
