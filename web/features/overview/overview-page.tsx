import { lazy, Suspense } from 'react'
import { PageHeader } from '../../ui/page-header.tsx'
import { KeysCard } from '../keys/keys-card.tsx'
import { McpCards } from '../mcp/mcp-cards.tsx'
import { TopKeysCard } from '../usage/top-keys-card.tsx'
import { UsageCard } from '../usage/usage-card.tsx'
import { CreditsCard } from './credits-card.tsx'
import { FirstCallCard } from './first-call-card.tsx'
import { PlanCard } from './plan-card.tsx'
import { overviewText } from './text.ts'
import { TrialBanner } from './trial-banner.tsx'

/** The lowest card, out of sight at first. */
const CallsCard = lazy(() => import('../usage/calls-card.tsx').then(({ CallsCard }) => ({ default: CallsCard })))

/** The first page after sign-in: from nothing to a call, then what the calls add up to. */
export function OverviewPage() {
  return (
    <>
      <PageHeader title={overviewText.title} about={overviewText.about} />
      <TrialBanner />
      <div className="grid gap-5 md:grid-cols-2">
        <PlanCard />
        <CreditsCard />
      </div>
      <KeysCard summary />
      <div className="grid gap-5 xl:grid-cols-2">
        <FirstCallCard />
        <McpCards />
      </div>
      <UsageCard />
      <TopKeysCard />
      <Suspense fallback={<div className="h-96 rounded-card border border-line bg-surface" />}>
        <CallsCard />
      </Suspense>
    </>
  )
}
