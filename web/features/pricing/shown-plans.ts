import type { Plan } from '#contract/billing.ts'
import { formatCurrency } from '../../lib/format.ts'
import { annualCents } from '../plans/annual-price.ts'
import { isPayAsYouGo } from '../plans/plan-price.ts'
import type { ShownPlan } from './fallback-plans.ts'
import { pricingText as text } from './text.ts'

/** The plans to show to visitors; pay-as-you-go has its own card. */
export const shownPlans = (plans: readonly Plan[]): readonly ShownPlan[] =>
  plans.filter((plan) => plan.active && !isPayAsYouGo(plan))

/** A plan's monthly price, or the monthly share of its annual price, and the note below it. */
export function shownPrice(plan: ShownPlan, annual: boolean): { price: string; note: string } {
  const yearly = annual && plan.price > 0
  const monthly = yearly ? annualCents(plan.price) / 12 : plan.price
  const trial = plan.type === 'paid' ? text.trial : ''
  return {
    price: formatCurrency(Math.round(monthly) / 100, plan.currency),
    note: yearly ? text.annualNote(formatCurrency(annualCents(plan.price) / 100, plan.currency)) : trial,
  }
}
