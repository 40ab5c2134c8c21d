import type { Plan } from '#contract/billing.ts'
import { formatCurrency } from '../../lib/format.ts'
import { annualCents } from '../billing/annual-price.ts'
import { isPayAsYouGo } from '../billing/plan-price.ts'
import type { ShownPlan } from './fallback-plans.ts'
import { pricingText as text } from './text.ts'

/** The plans that visitors choose from; pay-as-you-go has words of its own. */
export const shownPlans = (plans: readonly Plan[]): readonly ShownPlan[] =>
  plans.filter((plan) => plan.active && !isPayAsYouGo(plan))

/** What a plan costs for a month, or for a month of a year paid at once, and what is said below it. */
export function shownPrice(plan: ShownPlan, annual: boolean): { price: string; note: string } {
  const yearly = annual && plan.price > 0
  const monthly = yearly ? annualCents(plan.price) / 12 : plan.price
  const trial = plan.type === 'paid' ? text.trial : ''
  return {
    price: formatCurrency(Math.round(monthly) / 100, plan.currency),
    note: yearly ? text.annualNote(formatCurrency(annualCents(plan.price) / 100, plan.currency)) : trial,
  }
}
