import type { Plan } from '#contract/billing.ts'
import { isPayAsYouGo } from '../plans/plan-price.ts'

/** The plan numbers used in running text. */
export interface PlanFacts {
  freeRequests: number
  proRequests: number
  proPriceCents: number
  /** Whether this installation's catalog differs from the default one. */
  replaced: boolean
}

const seed = { freeCredits: 1000, proCredits: 100_000, proPriceCents: 1900 }

/**
 * `defaults` are the specified numbers. They are used until the catalog is known, and if it is the default one;
 * otherwise its cheapest free and cheapest paid plan replace them.
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
