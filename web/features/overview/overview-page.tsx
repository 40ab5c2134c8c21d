import { useQuery } from '@tanstack/react-query'
import { Fragment, lazy, Suspense, useEffect, useState } from 'react'
import { personalStorage } from '../../lib/personal-storage.ts'
import { useSession } from '../../lib/session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { currentSubscription } from '../billing/current-plan.ts'
import { subscriptionQuery } from '../billing/queries.ts'
import { KeysCard } from '../keys/keys-card.tsx'
import { keysQuery } from '../keys/queries.ts'
import { UsageCard } from '../usage/usage-card.tsx'
import { useMayManage } from '../workspaces/queries.ts'
import { CreditsCard } from './credits-card.tsx'
import { PlanCard } from './plan-card.tsx'
import { overviewText } from './text.ts'

// What lies below the first screen comes after it, and what few visits show.
const TrialBanner = lazy(() => import('./trial-banner.tsx'))
const CallsCard = lazy(() => import('../usage/calls-card.tsx'))
const FirstCallCard = lazy(() =>
  import('./first-call-card.tsx').then(({ FirstCallCard }) => ({ default: FirstCallCard })),
)
const McpCards = lazy(() => import('../mcp/mcp-cards.tsx').then(({ McpCards }) => ({ default: McpCards })))
const TopKeysCard = lazy(() =>
  import('../usage/top-keys-card.tsx').then(({ TopKeysCard }) => ({ default: TopKeysCard })),
)
const place = <div className="h-96 rounded-card border border-line bg-surface" />

/**
 * The first page after sign-in. Before the first call: the way to it, then what calls add up to; whose keys were used
 * before this visit sees the figures first. Nothing changes its place while somebody looks: until the keys are known, the
 * order is that of the visit before.
 */
export function OverviewPage() {
  const { data: keys } = useQuery(keysQuery)
  const { data: subscription } = useQuery(subscriptionQuery)
  const mayManage = useMayManage()
  const { user } = useSession()
  const userId = user?.id
  const [known, setKnown] = useState<boolean>()
  if (keys && known === undefined) setKnown(keys.some((key) => key.usage_count > 0))
  const [lastTime] = useState(() => userId !== undefined && personalStorage.read(userId, 'used') === true)
  const usedBefore = known ?? lastTime
  useEffect(() => {
    if (userId !== undefined && known !== undefined) personalStorage.write(userId, 'used', known)
  }, [userId, known])
  // While the key list has loaded empty and there is no current plan.
  const isTrialOffered =
    mayManage && keys?.length === 0 && subscription !== undefined && currentSubscription(subscription) === null
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
      <PageHeader title={overviewText.title} about={overviewText.about} />
      <Suspense>{isTrialOffered && <TrialBanner />}</Suspense>
      <div className="grid gap-5 md:grid-cols-2">
        <PlanCard />
        <CreditsCard />
      </div>
      <KeysCard summary />
      {usedBefore ? [figures, ways] : [ways, figures]}
    </>
  )
}
