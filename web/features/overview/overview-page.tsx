import { useQuery } from '@tanstack/react-query'
import { Fragment, lazy, Suspense, useState } from 'react'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useRemembered } from '../../lib/use-remembered.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { KeysCard } from '../keys/keys-card.tsx'
import { NewKeyNotice } from '../keys/new-key-notice.tsx'
import { keysQuery } from '../keys/queries.ts'
import { currentSubscription } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { UsageCard } from '../usage/usage-card.tsx'
import { useMayManage } from '../workspaces/queries.ts'
import { CreditsCard } from './credits-card.tsx'
import { CurrentPlan } from './current-plan.tsx'
import { TrialBanner } from './trial-banner.tsx'

// Everything below the first screen loads after it.
const CallsCard = lazy(() => import('../usage/calls-card.tsx'))
const FirstCallCard = lazy(() =>
  import('./first-call-card.tsx').then(({ FirstCallCard }) => ({ default: FirstCallCard })),
)
const McpCards = lazy(() => import('../mcp/mcp-cards.tsx').then(({ McpCards }) => ({ default: McpCards })))
const TopKeysCard = lazy(() =>
  import('../usage/top-keys-card.tsx').then(({ TopKeysCard }) => ({ default: TopKeysCard })),
)
// Matches the banner's height with its text on three lines, or on one.
const bannerPlace = <div className="min-h-41 rounded-card border border-line bg-surface sm:min-h-19" />
const place = <div className="h-96 rounded-card border border-line bg-surface" />

/**
 * The first page after sign-in. Before the first call, the steps to it come first; once keys have been used, the
 * figures do. The order never changes while the page is open: until the keys are known, it is that of the last visit.
 */
export function OverviewPage() {
  const { data: keys, isError: keysFailed } = useQuery(keysQuery)
  const { data: subscription, isError: subscriptionFailed } = useQuery(subscriptionQuery)
  const isFailed = keysFailed || subscriptionFailed
  const mayManage = useMayManage()
  const [used, setUsed] = useState<boolean>()
  if (keys && used === undefined) setUsed(keys.some((key) => key.usage_count > 0))
  const usedBefore = useRemembered('used', used, false)
  const isTrialOffered =
    keys && subscription
      ? mayManage && keys.length === 0 && currentSubscription(subscription) === null
      : isFailed
        ? false
        : undefined
  // Once mounted it stays, hidden when no longer offered: it reports how the redemption went.
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
      <UsageCard keys={keys} />
      <Suspense fallback={place}>
        <TopKeysCard />
        <CallsCard keys={keys} />
      </Suspense>
    </Fragment>
  )
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/']} />
      <NewKeyNotice />
      {offered ? <TrialBanner shown={isTrialOffered === true} /> : trialPlace && bannerPlace}
      <div className="grid gap-5 md:grid-cols-2">
        <CurrentPlan />
        <CreditsCard />
      </div>
      <KeysCard summary />
      {usedBefore ? [figures, ways] : [ways, figures]}
    </>
  )
}
