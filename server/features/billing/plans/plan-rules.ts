/** The fields of a plan that the rules read, whatever its source. */
export interface PlanFacts {
  priceCents: number
  metadata: Record<string, string>
  /** Credits set on the plan itself, not in its metadata. */
  credits?: number
}

const DEFAULT_CREDITS = 1_000
const RATE_LIMIT_PER_MINUTE = { free: 120, paid: 1_200, payg: 3_000 }

export const isPayAsYouGo = ({ metadata }: Pick<PlanFacts, 'metadata'>): boolean => metadata.type === 'payg'

/** Metadata `unlimited: 'true'`: calls are recorded and the balance does not change. */
export const isUnlimited = ({ metadata }: { metadata: unknown }): boolean =>
  (metadata as Record<string, unknown>).unlimited === 'true'

/** A plan is free if its price is 0. Pay-as-you-go costs per call, so it never is. */
export const planType = (plan: PlanFacts): 'free' | 'paid' =>
  plan.priceCents === 0 && !isPayAsYouGo(plan) ? 'free' : 'paid'

/**
 * Credits per period: the plan's own if above 0, else metadata `credits`, else `credit` (integers above 0), else 1,000.
 * Pay-as-you-go grants none.
 */
export function planCredits(plan: PlanFacts): number {
  if (isPayAsYouGo(plan)) return 0
  if (plan.credits !== undefined && plan.credits > 0) return plan.credits
  return namedCredits(plan.metadata) ?? DEFAULT_CREDITS
}

/** Credits in a plan's metadata, or null, in which case the default of 1,000 applies. */
export const namedCredits = (metadata: Record<string, string>): number | null =>
  wholeAboveZero(metadata.credits) ?? wholeAboveZero(metadata.credit)

/** Requests per minute: metadata `rate_limit`, else 120 for free, 1,200 for paid, 3,000 for pay-as-you-go plans. */
export const planRateLimit = (plan: PlanFacts): number =>
  wholeAboveZero(plan.metadata.rate_limit) ?? RATE_LIMIT_PER_MINUTE[isPayAsYouGo(plan) ? 'payg' : planType(plan)]

/** The yearly price: twelve months minus 20 percent, in whole cents. */
export const annualCents = (monthlyCents: number): number => Math.round(monthlyCents * 9.6)

/** The least that a month of pay-as-you-go costs in a currency: metadata `minimum_eur`, in minor units; null: not set. */
export const leastCents = ({ metadata }: Pick<PlanFacts, 'metadata'>, currency: string): number | null =>
  wholeAboveZero(metadata[`minimum_${currency}`])

/** Days of the free trial: metadata `trial_days`, else none. */
export const trialDays = (metadata: Record<string, string>): number => wholeAboveZero(metadata.trial_days) ?? 0

function wholeAboveZero(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return null
  return Number(text) || null
}
