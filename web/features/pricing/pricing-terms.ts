import type { Settings } from '../../lib/settings.ts'
import { trialDays } from '../plans/plan-terms.ts'
import type { ShownPlan } from './fallback-plans.ts'
import { pricingText as text } from './text.ts'

export type PricingSettings = Pick<Settings, 'shop' | 'links'>

/** What the page says beside the plans. A named shop promises only what its plans and settings say. */
export interface PricingTerms {
  about: string
  annual: boolean
  promises: string[]
  /** Null: no contact for sales is set. */
  enterprise: { features: typeof text.enterprise.features } | null
}

/** The different lengths of trials, in days. */
export const trialsOf = (plans: readonly ShownPlan[]): number[] =>
  [...new Set(plans.map(trialDays))].filter((days) => days > 0)

/** Whether plans can be paid by the year. */
export const isAnnual = (plans: readonly ShownPlan[], { shop }: Pick<PricingSettings, 'shop'>): boolean =>
  !shop.named || plans.some((plan) => plan.annual !== undefined)

export function pricingTerms(plans: readonly ShownPlan[], { shop, links }: PricingSettings): PricingTerms {
  const ours = !shop.named
  const trials = trialsOf(plans)
  const free = plans.some(({ type }) => type === 'free')
  return {
    about: ours || free ? text.about : text.aboutPaid,
    annual: isAnnual(plans, { shop }),
    promises: [
      ...(trials.length === 1 ? [text.promises.trial(trials[0]!)] : []),
      ...(ours ? [text.promises.refund] : []),
      ...(free ? [text.promises.free] : []),
    ],
    // Without a setting, the link is an email to support.
    enterprise: ours || !links.sales.startsWith('mailto:') ? { features: ours ? text.enterprise.features : [] } : null,
  }
}
