import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { Subscription } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { formatUnixDay } from '../../lib/format.ts'
import { useRemembered } from '../../lib/use-remembered.ts'
import { Button } from '../../ui/button.tsx'
import { ArrowUpRight } from '../../ui/icons/dashboard.ts'
import { withTax } from '../plans/plan-price.ts'
import { plansQuery, type SubscriptionAnswer } from '../plans/queries.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { billingText as text } from './text.ts'
import { useOpenPortal } from './use-open-portal.ts'

/** Notices about the subscription: a trial that will be charged, a failed payment. */
export function SubscriptionNotice({ answer }: { answer: SubscriptionAnswer | undefined }) {
  const all = answer?.subscriptions ?? []
  const place = useRemembered('billing-notice', answer && (isUnpaid(all) || onTrial(all) !== undefined), false)
  const trial = onTrial(all)
  const { data } = useQuery({ ...plansQuery, enabled: trial !== undefined })
  if (!answer && place) return <div className="min-h-27 rounded-card border border-line bg-surface sm:min-h-19" />
  if (isUnpaid(all))
    return (
      <Notice tone="danger" title={text.pastDueTitle} about={text.pastDueAbout}>
        <UpdateCard />
      </Notice>
    )
  if (!trial) return null
  const sold = data?.plans.find(({ productId }) => productId === trial.plan.product)
  const price = withTax(formatMoney(trial.plan.amount, trial.currency), sold ?? {})
  return (
    <Notice
      tone="accent"
      title={text.trialTitle(trial.plan.name)}
      about={text.trialAbout(price, formatUnixDay(trial.trial_end))}
    />
  )
}

const isUnpaid = (all: Subscription[]) => all.some(({ status }) => status === 'past_due' || status === 'unpaid')

const onTrial = (all: Subscription[]) =>
  all.find(({ trial_end: end, cancels_at: cancels }) => end !== null && cancels === null)

/** The card is changed in the portal. */
function UpdateCard() {
  const mayManage = useMayManage()
  const { busy, error, open } = useOpenPortal()
  if (!mayManage) return null
  return (
    <>
      <Button size="small" className="mt-3" busy={busy} onClick={open}>
        {busy ? text.managing : text.updateCard}
        {!busy && <ArrowUpRight aria-hidden="true" className="size-4" />}
      </Button>
      <p role="alert" className="text-danger not-empty:mt-2">
        {error}
      </p>
    </>
  )
}

interface NoticeProps {
  tone: 'danger' | 'accent'
  title: string
  about: string
  children?: ReactNode
}

function Notice({ tone, title, about, children }: NoticeProps) {
  return (
    <section
      aria-label={title}
      className={clsx(
        'rounded-card border px-5 py-4',
        tone === 'danger' ? 'border-danger-line bg-danger-soft' : 'border-accent-line bg-accent-soft',
      )}
    >
      <h2 className={clsx('font-strong', tone === 'danger' && 'text-danger')}>{title}</h2>
      <p className="mt-0.5">{about}</p>
      {children}
    </section>
  )
}
