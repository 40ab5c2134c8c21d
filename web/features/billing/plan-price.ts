import type { Plan, Subscription } from '#contract/billing.ts'
import { formatCurrency, formatInterval } from '../../lib/format.ts'

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
  if (isPayAsYouGo(plan)) return { amount: hundredUnits(unitCents(plan), plan.currency), per: 'per 100 requests' }
  return {
    amount: formatCurrency(plan.price / 100, plan.currency),
    per: plan.interval === 'year' ? 'per year' : 'per month',
  }
}

/** A metered price has no amount of its own, only one for a unit. */
export const isMetered = ({ items }: Pick<Subscription, 'items'>): boolean => items.data[0]?.price.unit_amount === null

/** What a subscription costs: its price for an interval, or for 100 requests where calls are billed as they go. */
export function subscriptionPrice(subscription: Pick<Subscription, 'items' | 'plan' | 'currency'>): string {
  const { items, plan, currency } = subscription
  const per = formatInterval(plan.interval)
  if (!isMetered(subscription)) return `${formatCurrency(plan.amount / 100, currency)} ${per}`
  return `${hundredUnits(Number(items.data[0]?.price.unit_amount_decimal ?? 0), currency)} per 100 requests, ${per}`
}

/** 100 units of so many cents each are as many dollars as one unit has cents. */
const hundredUnits = (cents: number, currency: string): string => formatCurrency(cents, currency)
