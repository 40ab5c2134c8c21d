import type { Plan } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { annualCents } from '../plans/annual-price.ts'
import { isPayAsYouGo, priceText, withTax } from '../plans/plan-price.ts'
import { planTerms } from '../plans/plan-terms.ts'
import { fallbackPlans, type ShownPlan } from './fallback-plans.ts'
import { pricingText as text } from './text.ts'

/** The plans to show to visitors; pay-as-you-go comes last. The demonstration has it even while its catalog does not. */
export function shownPlans(plans: readonly Plan[], named: boolean): readonly ShownPlan[] {
  const active = plans.filter((plan) => plan.active)
  const payg = active.filter(isPayAsYouGo)
  const standard = named || payg.length > 0 ? [] : fallbackPlans.filter(isPayAsYouGo)
  return [...active.filter((plan) => !isPayAsYouGo(plan)), ...payg, ...standard]
}

/** A plan's price, or the monthly share of its annual price, and the note below it. */
export function shownPrice(plan: ShownPlan, annual: boolean): { price: string; per: string; note: string } {
  if (isPayAsYouGo(plan)) {
    const { amount, per } = priceText(plan)
    return { price: amount, per: withTax(per, plan), note: planTerms(plan) }
  }
  const yearly = annual && plan.price > 0
  const monthly = yearly ? annualCents(plan.price) / 12 : plan.price
  return {
    price: formatMoney(Math.round(monthly), plan.currency),
    per: withTax(text.perMonth, plan),
    note: yearly ? text.annualNote(formatMoney(annualCents(plan.price), plan.currency)) : planTerms(plan),
  }
}
