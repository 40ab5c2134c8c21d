import { clsx } from 'clsx'
import { formatCurrency, formatUnixDay } from '../../lib/format.ts'
import type { SubscriptionAnswer } from './queries.ts'
import { billingText as text } from './text.ts'

/** What the customer must know about the subscription: a trial that will cost money, a payment that failed. */
export function SubscriptionNotice({ answer }: { answer: SubscriptionAnswer | undefined }) {
  const all = answer?.subscriptions ?? []
  const unpaid = all.find(({ status }) => status === 'past_due' || status === 'unpaid')
  const trial = all.find(({ trial_end: end, cancels_at: cancels }) => end !== null && cancels === null)
  if (unpaid) return <Notice tone="danger" title={text.pastDueTitle} about={text.pastDueAbout} />
  if (!trial) return null
  const price = formatCurrency(trial.plan.amount / 100, trial.currency)
  return (
    <Notice
      tone="accent"
      title={text.trialTitle(trial.plan.name)}
      about={text.trialAbout(price, formatUnixDay(trial.trial_end))}
    />
  )
}

function Notice({ tone, title, about }: { tone: 'danger' | 'accent'; title: string; about: string }) {
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
    </section>
  )
}
