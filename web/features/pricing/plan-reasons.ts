import { formatMoney } from '#contract/currency.ts'
import { formatWhole } from '../../lib/format.ts'
import { isPayAsYouGo } from '../plans/plan-price.ts'
import { paygMinimum } from '../plans/plan-terms.ts'
import { calculatorText as text } from './calculator-text.ts'
import { evenRequests } from './compare-costs.ts'
import type { ShownPlan } from './fallback-plans.ts'

/** For each plan, what speaks for it and what against it, beside the others. */
export function planReasons(plans: readonly ShownPlan[]): { plan: ShownPlan; reason: string }[] {
  const payg = plans.find(isPayAsYouGo)
  const fixed = plans.find((plan) => !isPayAsYouGo(plan) && plan.price > 0)
  return plans.map((plan) => ({ plan, reason: reasonFor(plan, payg, fixed) }))
}

function reasonFor(plan: ShownPlan, payg: ShownPlan | undefined, fixed: ShownPlan | undefined): string {
  if (plan === payg) {
    const even = fixed && evenRequests(fixed, plan)
    const cost = even === null ? text.alwaysLess(fixed!.name) : even && text.lessUpTo(fixed!.name, formatWhole(even))
    return [text.payForUse(formatMoney(paygMinimum(plan), plan.currency, true)), cost].filter(Boolean).join(' ')
  }
  if (plan.price === 0)
    return plan.metadata.unlimited === 'true' ? text.freeUnlimited : text.freeUpTo(formatWhole(plan.credits))
  const even = payg && evenRequests(plan, payg)
  const other = payg?.name.toLowerCase() ?? ''
  const cost = even === null ? text.notForPrice(other) : even && text.lessFrom(other, formatWhole(even))
  return [text.sameBill(extras(plan, payg)), cost].filter(Boolean).join(' ')
}

/** What the plan has and pay-as-you-go lacks. Amounts are on the cards. */
const extras = ({ marketing_features: own }: ShownPlan, payg: ShownPlan | undefined): string[] =>
  own
    .map(({ name }) => name)
    .filter((name) => !/\d/.test(name) && !payg?.marketing_features.some((other) => other.name === name))
    .map((name) => name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()))
