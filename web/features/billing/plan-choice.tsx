import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Plan } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { formatInterval } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { isMostPopular } from '../plans/annual-price.ts'
import { heldPaidPlan, isCurrentPlan } from '../plans/current-plan.ts'
import { PlanCard } from '../plans/plan-card.tsx'
import { changesInPortal, priceText, withTax } from '../plans/plan-price.ts'
import { planFeatures, planTerms } from '../plans/plan-terms.ts'
import { PopularBadge } from '../plans/popular-badge.tsx'
import type { SubscriptionAnswer } from '../plans/queries.ts'
import { billingText as text } from './text.ts'
import type { PlanSelection } from './use-select-plan.ts'

const ChangePlanDialog = lazy(() => import('./change-plan-dialog.tsx'))

interface PlanChoiceProps {
  plan: Plan
  /** Billed annually, where the plan has an annual price. */
  yearly: boolean
  /** What it is paid in; null where one currency is sold. */
  currency: string | null
  answer: SubscriptionAnswer | undefined
  selection: PlanSelection
}

export function PlanChoice({ plan, yearly, currency, answer, selection }: PlanChoiceProps) {
  const annual = yearly ? plan.annual : undefined
  const priceId = annual?.priceId ?? plan.priceId
  const current = isCurrentPlan({ priceId }, answer)
  const price = annual
    ? { amount: formatMoney(annual.price, plan.currency), per: formatInterval('year') }
    : priceText(plan)
  const popular = isMostPopular(plan)
  // Without a plan, the free one is the first step.
  const suggested = answer?.subscription === null ? plan.type === 'free' : popular && !current
  const busy = selection.processing === priceId
  // Paid plans are changed or canceled in the portal, which prorates: nothing else can be bought or redeemed in the
  // meantime.
  const held = heldPaidPlan(answer)
  const [asking, setAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const pressed = useRef(false)
  useEffect(() => {
    // The pressed button is now disabled and would lose the focus.
    if (current && pressed.current) button.current?.closest('li')?.querySelector<HTMLElement>('h3')?.focus()
    pressed.current = false
  }, [current])
  const onClick = () => {
    pressed.current = true
    if (!held) selection.select({ priceId, type: plan.type, currency })
    else if (changesInPortal(plan, held)) selection.manage(priceId)
    else setAsking(true)
  }
  return (
    <PlanCard
      name={plan.name}
      about={plan.description}
      price={price.amount}
      per={withTax(price.per, plan)}
      note={annual ? '' : planTerms(plan)}
      features={planFeatures(plan)}
      badge={popular && <PopularBadge />}
      marked={current}
      action={
        <Button
          ref={button}
          wide
          look={suggested ? 'primary' : 'secondary'}
          busy={busy}
          disabled={current || !plan.active || (selection.processing !== null && !busy)}
          aria-label={busy || current ? undefined : `${buttonText()}: ${plan.name}`}
          onClick={onClick}
        >
          {busy ? text.processing : buttonText()}
        </Button>
      }
      dialog={
        <Suspense>
          {asking && held && <ChangePlanDialog to={plan.name} held={held} onClose={() => setAsking(false)} />}
        </Suspense>
      }
    />
  )

  function buttonText(): string {
    if (current) return text.current
    if (!plan.active) return text.unavailable
    if (held) return text.change
    return plan.type === 'free' ? text.redeem : text.choose
  }
}
