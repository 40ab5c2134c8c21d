import { formatCents, formatWhole } from '../../lib/format.ts'
import { isPayAsYouGo, unitCents } from '../plans/plan-price.ts'
import { calculatorText as text } from './calculator-text.ts'
import type { ShownPlan } from './fallback-plans.ts'

interface Cost {
  plan: ShownPlan
  /** Null: the plan does not include as many requests. */
  cents: number | null
}

/** The cheapest plan with a fixed price that includes so many requests, and a sentence that sets it against pay-as-you-go. */
export function compareCosts(costs: readonly Cost[], requests: number): { fixed: ShownPlan | null; said: string } {
  const priced = costs.flatMap(({ plan, cents }) => (cents === null ? [] : [{ plan, cents }]))
  const payg = priced.find(({ plan }) => isPayAsYouGo(plan))
  const [fixed] = priced.filter(({ plan }) => !isPayAsYouGo(plan)).sort((a, b) => a.cents - b.cents)
  if (!fixed) return { fixed: null, said: payg ? text.onlyPayg(payg.plan.name) : text.none }
  const { plan, cents } = fixed
  if (!payg) return { fixed: plan, said: text.onlyFixed(plan.name) }
  const name = payg.plan.name.toLowerCase()
  if (cents === payg.cents) return { fixed: plan, said: text.same(plan.name, name) }
  if (cents < payg.cents)
    return { fixed: plan, said: text.fixedIsLess(plan.name, formatCents(payg.cents - cents, plan.currency), name) }
  // From there on the fixed price is the lower one, if the plan includes as many.
  const even = Math.ceil(cents / unitCents(payg.plan))
  const reachable = plan.metadata.unlimited === 'true' || even <= plan.credits
  return {
    fixed: plan,
    said: [
      text.paygIsLess(payg.plan.name, formatCents(cents - payg.cents, plan.currency), formatWhole(requests)),
      text.fixedStays(plan.name),
      ...(reachable ? [text.even(formatWhole(even))] : []),
    ].join(' '),
  }
}
