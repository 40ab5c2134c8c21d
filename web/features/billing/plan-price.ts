import type { Plan } from '#contract/billing.ts'
import { formatCurrency } from '../../lib/format.ts'

type Priced = Pick<Plan, 'price' | 'currency' | 'metadata' | 'default_price'>

export const isPayAsYouGo = (plan: Pick<Plan, 'metadata'>) => plan.metadata.type === 'payg'

/** Cents a unit: the decimal price if there is one, else the price if above 0, else 0. */
export function unitCents(plan: Pick<Plan, 'price' | 'default_price'>): number {
  const decimal = plan.default_price.unit_amount_decimal
  if (decimal !== null && decimal !== '' && Number.isFinite(Number(decimal))) return Number(decimal)
  return Math.max(0, plan.price)
}

/** How a plan's price reads: an amount for an interval, or for 100 requests where calls are billed as they go. */
export function priceText(plan: Priced & Pick<Plan, 'interval'>): { amount: string; per: string } {
  // 100 units of so many cents each are as many dollars as one unit has cents.
  if (isPayAsYouGo(plan)) return { amount: formatCurrency(unitCents(plan), plan.currency), per: 'per 100 requests' }
  return {
    amount: formatCurrency(plan.price / 100, plan.currency),
    per: plan.interval === 'year' ? 'per year' : 'per month',
  }
}
