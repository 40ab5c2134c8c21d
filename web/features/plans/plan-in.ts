import type { Plan } from '#contract/billing.ts'
import { priceText } from './plan-price.ts'
import { planTerms } from './plan-terms.ts'

type Sold = Pick<Plan, 'currency' | 'type' | 'prices'>
type Priced = Sold &
  Pick<Plan, 'price' | 'interval' | 'metadata' | 'default_price' | 'marketing_features'> & { annual?: Plan['annual'] }

/** The currencies in which plans are sold: those of the first paid plan come first. */
export const currenciesOf = (plans: readonly Sold[]): string[] => {
  const paid = plans.filter(({ type }) => type === 'paid')
  return [
    ...new Set((paid.length > 0 ? paid : plans).flatMap((plan) => [plan.currency, ...Object.keys(plan.prices ?? {})])),
  ]
}

/** A plan at its price in a currency; null if it has none. A free plan is free in each. */
export function planIn<P extends Priced>(plan: P, currency: string): P | null {
  if (currency === plan.currency) return plan
  if (plan.type === 'free') return { ...plan, currency }
  const other = plan.prices?.[currency]
  if (!other) return null
  const { annual, ...rest } = plan
  const { amount, per } = priceText(plan)
  // Lines of the card that say the price say it in the plan's own currency.
  const said = [`${amount} ${per}`, planTerms(plan)]
  return {
    ...rest,
    currency,
    price: other.price,
    default_price: { ...plan.default_price, unit_amount_decimal: other.unit_amount_decimal },
    marketing_features: plan.marketing_features.filter(({ name }) => !said.includes(name)),
    ...(annual && other.annual !== undefined && { annual: { ...annual, price: other.annual } }),
  } as P
}
