import type { Plan } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { formatWhole } from '../../lib/format.ts'
import { isPayAsYouGo } from '../plans/plan-price.ts'
import { planFacts } from './plan-facts.ts'

/** A line for each plan that the quick start names: two of the demonstration, of a named shop all but pay-as-you-go. */
export function planLines(plans: readonly Plan[] | null, named: boolean): string[] {
  if (named)
    return (plans ?? [])
      .filter((plan) => plan.active && !isPayAsYouGo(plan))
      .map(({ name, price, credits, currency, interval, metadata }) => {
        const cost = price === 0 ? 'free' : `${formatMoney(price, currency)}/${interval}`
        const amount = metadata.unlimited === 'true' ? 'unlimited' : formatWhole(credits)
        return `${name}: ${cost}, with ${amount} credits`
      })
  const { freeRequests, proRequests, proPriceCents, currency } = planFacts(plans)
  return [
    `Free tier: ${formatWhole(freeRequests)} requests/month`,
    `Pro: ${formatMoney(proPriceCents, currency)}/month with ${formatWhole(proRequests)} requests`,
  ]
}
