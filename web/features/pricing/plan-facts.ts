import type { Plan } from '#contract/billing.ts'
import { isPayAsYouGo } from '../billing/plan-price.ts'

/** The numbers of the plans that running text names. */
export interface PlanFacts {
  freeRequests: number
  proRequests: number
  proPriceCents: number
  /** The catalogue of this installation differs from the one that it is delivered with. */
  replaced: boolean
}

const seed = { freeCredits: 1000, proCredits: 100_000, proPriceCents: 1900 }

/**
 * `defaults` are the sentences' own numbers. They stand until the catalogue is known, and afterwards unless it differs
 * from the delivered one; then its cheapest free and its cheapest paid plan are named instead.
 */
export function planFacts(plans: readonly Plan[] | null, defaults: Omit<PlanFacts, 'replaced'>): PlanFacts {
  const active = plans?.filter((plan) => plan.active && !isPayAsYouGo(plan)) ?? []
  const free = active.find((plan) => plan.type === 'free')
  const pro =
    active.find((plan) => plan.type === 'paid' && plan.name === 'Pro') ?? active.find((plan) => plan.type === 'paid')
  if (!free || !pro) return { ...defaults, replaced: false }
  const same = free.credits === seed.freeCredits && pro.credits === seed.proCredits && pro.price === seed.proPriceCents
  if (same) return { ...defaults, replaced: false }
  return { freeRequests: free.credits, proRequests: pro.credits, proPriceCents: pro.price, replaced: true }
}
