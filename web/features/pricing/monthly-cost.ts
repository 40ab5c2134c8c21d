import type { Plan } from '#contract/billing.ts'
import { annualCents } from '../plans/annual-price.ts'
import { isPayAsYouGo, unitCents } from '../plans/plan-price.ts'
import { paygMinimum } from '../plans/plan-terms.ts'

type Priced = Pick<Plan, 'price' | 'currency' | 'credits' | 'metadata' | 'default_price'>

/** Cents that a month with this many requests, of one credit each, costs; null: the plan does not include as many. */
export function monthlyCents(plan: Priced, requests: number, annual: boolean): number | null {
  if (isPayAsYouGo(plan)) return Math.max(paygMinimum(plan), Math.round(requests * unitCents(plan)))
  if (plan.metadata.unlimited !== 'true' && requests > plan.credits) return null
  return annual ? Math.round(annualCents(plan.price) / 12) : plan.price
}
