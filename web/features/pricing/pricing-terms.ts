import type { Settings } from '../../lib/settings.ts'
import { isPayAsYouGo, priceText } from '../plans/plan-price.ts'
import { planTerms, trialDays } from '../plans/plan-terms.ts'
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
  questions: { title: string; content: string }[]
}

export function pricingTerms(plans: readonly ShownPlan[], { shop, links }: PricingSettings): PricingTerms {
  const ours = !shop.named
  const annual = ours || plans.some((plan) => plan.annual !== undefined)
  const trials = [...new Set(plans.map(trialDays))].filter((days) => days > 0)
  const [days] = trials
  const sameTrial = trials.length === 1 && days !== undefined
  const payg = plans.find(isPayAsYouGo)
  const free = plans.some(({ type }) => type === 'free')
  const { faq } = text
  return {
    about: ours || free ? text.about : text.aboutPaid,
    annual,
    promises: [
      ...(sameTrial ? [text.promises.trial(days)] : []),
      ...(ours ? [text.promises.refund] : []),
      ...(free ? [text.promises.free] : []),
    ],
    // Without a setting, the link is an email to support.
    enterprise: ours || !links.sales.startsWith('mailto:') ? { features: ours ? text.enterprise.features : [] } : null,
    questions: [
      ...(sameTrial ? [faq.trial(days)] : trials.length > 1 ? [faq.trials] : []),
      ...(annual ? [faq.annual] : []),
      ...(ours ? [faq.refund] : []),
      ...(payg ? [faq.payg(payg.name, priceText(payg).amount, planTerms(payg).split('/')[0]!)] : []),
    ],
  }
}
