import type { Plan } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { isPayAsYouGo, priceText } from './plan-price.ts'

/** What a month of pay-as-you-go costs at least, in the plan's currency: 100 cents, unless the product names another amount. */
export const paygMinimum = ({ metadata, currency }: Pick<Plan, 'metadata' | 'currency'>): number =>
  Number(metadata[`minimum_${currency}`]) || 100

type WithTerms = Pick<Plan, 'type' | 'metadata' | 'currency'>

/** Days that a plan is free at first; 0: it has no trial. */
export const trialDays = ({ metadata: { trial_days: days = '' } }: Pick<Plan, 'metadata'>): number =>
  /^\d{1,9}$/.test(days) ? Number(days) : 0

/** What stands below the price, on Pricing and on Billing. */
export function planTerms(plan: WithTerms): string {
  if (isPayAsYouGo(plan)) return `${formatMoney(paygMinimum(plan), plan.currency, true)}/month minimum`
  return trialDays(plan) > 0 ? `${trialDays(plan)}-day free trial` : ''
}

/** The list of a plan's card, without what its price already says. */
export function planFeatures(
  plan: WithTerms & Parameters<typeof priceText>[0] & Pick<Plan, 'marketing_features'>,
): string[] {
  const names = plan.marketing_features.map(({ name }) => name)
  if (!isPayAsYouGo(plan)) return names
  const { amount, per } = priceText(plan)
  const said = [`${amount} ${per}`, planTerms(plan)]
  return ['Monthly billing cycle', ...names.filter((name) => !said.includes(name)), 'Spend cap you set']
}
