import { lazy, Suspense, useState } from 'react'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useCode } from '../../lib/use-code.ts'
import { useRemembered } from '../../lib/use-remembered.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { KeysCard } from '../keys/keys-card.tsx'
import { NewKeyNotice } from '../keys/new-key-notice.tsx'
import { RangeChoice, useRange } from '../usage/range-choice.tsx'
import { CreditsCard } from './credits-card.tsx'
import { CurrentPlan } from './current-plan.tsx'
import { RequestsCard } from './requests-card.tsx'
import { ToCome } from './to-come.tsx'
import { useCourse } from './use-course.ts'
import { useStart } from './use-start.ts'

// Everything below the first screen of an account in use loads after it.
const CallsCard = lazy(() => import('../usage/calls-card.tsx'))
const loadChecklist = () => import('./checklist.tsx')
const FirstCallCard = lazy(() =>
  import('./first-call-card.tsx').then(({ FirstCallCard }) => ({ default: FirstCallCard })),
)
const McpCards = lazy(() => import('../mcp/mcp-cards.tsx').then(({ McpCards }) => ({ default: McpCards })))
const place = <div className="h-96 rounded-card border border-line bg-surface" />

/**
 * The first page after sign-in: figures and chart beside credits and plan, then keys, calls, clients. Before the first call, the steps toward it come first,
 * and figures and chart come with it.
 * The order never changes while the page is open: until the account is known, the order of the last visit is used.
 */
export function OverviewPage() {
  const range = useRange()
  const { keys, progress, isTrialOffered, isPaymentDue, isFresh, isCounted, isFailed } = useStart()
  const course = useCourse()
  const [used, setUsed] = useState<boolean>()
  if (progress && used === undefined) setUsed(progress.call)
  const usedBefore = useRemembered('used', used, false)
  const counted = usedBefore || isCounted
  const fresh = useRemembered('fresh', isFresh, !usedBefore)
  const trialPlace = useRemembered('trial', isTrialOffered, true)
  // Once mounted, it stays: it reports the result of the redemption, and shows the response to the call.
  const [started, setStarted] = useState(false)
  if (progress && !started && (isTrialOffered || !progress.call || !progress.client)) setStarted(true)
  const Checklist = useCode(loadChecklist, started)
  const startedBefore = useRemembered('started', progress ? started : undefined, true)
  // As high as the checklist with the free plan, or with the first call.
  const waiting = (
    <div
      className={`rounded-card border border-line bg-surface ${trialPlace ? 'h-101.5 lg:h-56.5' : 'h-138 lg:h-66'}`}
    />
  )
  const checklist =
    progress && started && Checklist ? (
      <Checklist progress={progress} isTrialOffered={isTrialOffered} isPaymentDue={isPaymentDue} waiting={waiting} />
    ) : (
      !isFailed && startedBefore && waiting
    )
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/']} action={usedBefore && <RangeChoice range={range} />} />
      <NewKeyNotice />
      {!usedBefore && checklist}
      <div
        className={`grid gap-5 empty:hidden ${counted && !fresh ? 'xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]' : ''}`}
      >
        {counted && <RequestsCard keys={keys} />}
        {!fresh && (
          <div
            className={`grid min-w-0 gap-5 md:grid-cols-2 ${counted ? 'xl:grid-cols-1 xl:grid-rows-[1fr_auto]' : ''}`}
          >
            <CreditsCard course={course} />
            <CurrentPlan />
          </div>
        )}
      </div>
      {usedBefore && checklist}
      {fresh ? <ToCome /> : <KeysCard summary />}
      <Suspense fallback={place}>
        {!fresh && <CallsCard keys={keys} summary />}
        <div
          id="clients"
          className={`grid scroll-mt-20 gap-5 xl:grid-cols-2 ${usedBefore && started ? '' : 'xl:[&>:first-child]:col-span-2'}`}
        >
          {usedBefore && started && <FirstCallCard />}
          <McpCards quiet={started} folded={usedBefore && !started} />
        </div>
      </Suspense>
    </>
  )
}
