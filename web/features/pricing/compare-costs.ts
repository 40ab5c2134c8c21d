import { formatMoney } from '#contract/currency.ts'
import { formatWhole } from '../../lib/format.ts'
import { isPayAsYouGo, unitCents } from '../plans/plan-price.ts'
import { calculatorText as text } from './calculator-text.ts'
import type { ShownPlan } from './fallback-plans.ts'

interface Cost {
  plan: ShownPlan
  /** Null: the plan does not include as many requests. */
  cents: number | null
}

/** The cheapest plan for so many requests, and a sentence that sets fixed prices against pay-as-you-go. */
export function compareCosts(costs: readonly Cost[], requests: number): { lowest: ShownPlan | null; said: string } {
  const priced = costs.flatMap(({ plan, cents }) => (cents === null ? [] : [{ plan, cents }]))
  const payg = priced.find(({ plan }) => isPayAsYouGo(plan))
  const [fixed] = priced.filter(({ plan }) => !isPayAsYouGo(plan)).sort((a, b) => a.cents - b.cents)
  if (!fixed) return { lowest: payg?.plan ?? null, said: payg ? text.onlyPayg(payg.plan.name) : text.none }
  const { plan, cents } = fixed
  if (!payg) return { lowest: plan, said: text.onlyFixed(plan.name) }
  const name = payg.plan.name.toLowerCase()
  if (cents === payg.cents) return { lowest: plan, said: text.same(plan.name, name) }
  if (cents < payg.cents)
    return {
      lowest: plan,
      said: text.fixedIsLess(plan.name, formatMoney(payg.cents - cents, plan.currency, true), name),
    }
  const less = formatMoney(cents - payg.cents, plan.currency, true)
  return { lowest: payg.plan, said: text.paygIsLess(payg.plan.name, less, plan.name, formatWhole(requests)) }
}

/** From how many requests a month on the fixed price is not above pay-as-you-go; null: the plan does not include as many. */
export function evenRequests(plan: ShownPlan, payg: ShownPlan): number | null {
  const even = Math.ceil(plan.price / unitCents(payg))
  return plan.metadata.unlimited === 'true' || even <= plan.credits ? even : null
}
