import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import type { Plan } from '#contract/billing.ts'
import { formatCurrency } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { isMostPopular } from './annual-price.ts'
import { holdsPaidPlan, isCurrentPlan } from './current-plan.ts'
import { priceText } from './plan-price.ts'
import type { SubscriptionAnswer } from './queries.ts'
import { billingText as text } from './text.ts'
import type { PlanSelection } from './use-select-plan.ts'

interface PlanChoiceProps {
  plan: Plan
  /** Priced for a year at once, where the plan is sold so. */
  yearly: boolean
  answer: SubscriptionAnswer | undefined
  selection: PlanSelection
}

/** One plan: price, what it includes, and its button. */
export function PlanChoice({ plan, yearly, answer, selection }: PlanChoiceProps) {
  const annual = yearly ? plan.annual : undefined
  const priceId = annual?.priceId ?? plan.priceId
  const current = isCurrentPlan({ priceId }, answer)
  const price = annual
    ? { amount: formatCurrency(annual.price / 100, plan.currency), per: 'per year' }
    : priceText(plan)
  const popular = isMostPopular(plan)
  const busy = selection.processing === priceId
  // A paid plan is changed or cancelled in the portal, which works out what is owed: beside it, nothing can be bought or redeemed.
  const inPortal = holdsPaidPlan(answer)
  return (
    <li
      className={clsx(
        'flex min-w-0 flex-col rounded-card border bg-surface p-5',
        current ? 'border-accent-line' : 'border-line',
      )}
    >
      <div className="flex min-h-6 items-start justify-between gap-2">
        <h3 className="min-w-0 text-prose font-strong [overflow-wrap:anywhere]">{plan.name}</h3>
        {popular && <Badge tone="accent">{text.popular}</Badge>}
      </div>
      <p className="mt-2 flex flex-wrap items-baseline gap-x-1.5">
        <span className="text-title font-strong figures">{price.amount}</span>{' '}
        <span className="text-muted">{price.per}</span>
      </p>
      <p className="mt-1 text-muted">{plan.description}</p>
      <ul className="mt-4 mb-6 space-y-1.5 border-t border-line pt-4">
        {plan.marketing_features.map(({ name }) => (
          <li key={name} className="flex gap-2">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            <span className="min-w-0">{name}</span>
          </li>
        ))}
      </ul>
      <Button
        wide
        className="mt-auto"
        look={popular && !current ? 'primary' : 'secondary'}
        busy={busy}
        disabled={current || !plan.active || (selection.processing !== null && !busy)}
        aria-label={busy || current ? undefined : `${buttonText()}: ${plan.name}`}
        onClick={() => (inPortal ? selection.manage(priceId) : selection.select({ priceId, type: plan.type }))}
      >
        {busy ? text.processing : buttonText()}
      </Button>
    </li>
  )

  function buttonText(): string {
    if (current) return text.current
    if (!plan.active) return text.unavailable
    if (inPortal) return text.change
    return plan.type === 'free' ? text.redeem : text.choose
  }
}
