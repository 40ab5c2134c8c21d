import type { Plan } from '#contract/billing.ts'
import { isPayAsYouGo } from '../plans/plan-price.ts'

/** The plan numbers used in running text. */
export interface PlanFacts {
  freeRequests: number
  proRequests: number
  proPriceCents: number
  currency: string
}

/** The catalog of a new installation, for texts that are shown before the catalog is known. */
const newCatalog: PlanFacts = { freeRequests: 1000, proRequests: 100_000, proPriceCents: 1900, currency: 'usd' }

/** The cheapest free plan and Pro, or else the cheapest paid plan, of the catalog. */
export function planFacts(plans: readonly Plan[] | null): PlanFacts {
  const active = plans?.filter((plan) => plan.active && !isPayAsYouGo(plan)) ?? []
  const free = active.find((plan) => plan.type === 'free')
  const pro =
    active.find((plan) => plan.type === 'paid' && plan.name === 'Pro') ?? active.find((plan) => plan.type === 'paid')
  if (!free || !pro) return newCatalog
  return { freeRequests: free.credits, proRequests: pro.credits, proPriceCents: pro.price, currency: pro.currency }
}
