import { isPayAsYouGo, priceText } from '../plans/plan-price.ts'
import { planTerms } from '../plans/plan-terms.ts'
import type { ShownPlan } from './fallback-plans.ts'
import { isAnnual, type PricingSettings, trialsOf } from './pricing-terms.ts'
import { questionsText as text } from './questions-text.ts'

/** What people ask about these plans, and the answers. A named shop's say only what its plans do. */
export function pricingQuestions(
  plans: readonly ShownPlan[],
  settings: PricingSettings,
): { title: string; content: string }[] {
  const trials = trialsOf(plans)
  const payg = plans.find(isPayAsYouGo)
  return [
    ...(trials.length === 1 ? [text.trial(trials[0]!)] : trials.length > 1 ? [text.trials] : []),
    ...(isAnnual(plans, settings) ? [text.annual] : []),
    ...(settings.shop.named ? [] : [text.refund]),
    ...(payg ? [text.payg(payg.name, priceText(payg).amount, planTerms(payg).split('/')[0]!)] : []),
  ]
}
