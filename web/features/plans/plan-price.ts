import type { Plan, Subscription } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { formatInterval } from '../../lib/format.ts'

type Priced = Pick<Plan, 'price' | 'currency' | 'metadata' | 'default_price'>

export const isPayAsYouGo = (plan: Pick<Plan, 'metadata'>) => plan.metadata.type === 'payg'

/** Cents per unit: the decimal price if present, else the price if above 0, else 0. */
export function unitCents(plan: Pick<Plan, 'price' | 'default_price'>): number {
  const decimal = plan.default_price.unit_amount_decimal
  if (decimal !== null && decimal !== '' && Number.isFinite(Number(decimal))) return Number(decimal)
  return Math.max(0, plan.price)
}

/** A plan's price as text: an amount per interval, or per 100 requests for pay-as-you-go. */
export function priceText(plan: Priced & Pick<Plan, 'interval'>): { amount: string; per: string } {
  if (isPayAsYouGo(plan)) return { amount: hundredUnits(unitCents(plan), plan.currency), per: 'per 100 requests' }
  return { amount: formatMoney(plan.price, plan.currency), per: formatInterval(plan.interval) }
}

/** A metered price has only a unit amount. */
export const isMetered = ({ items }: Pick<Subscription, 'items'>): boolean => items.data[0]?.price.unit_amount === null

/** Whether the payment provider's portal changes a subscription to this plan: both have a fixed price, and no tax rate is in the way. */
export const changesInPortal = (
  plan: Pick<Plan, 'price' | 'metadata' | 'tax_behavior'>,
  held: Pick<Subscription, 'items' | 'fixed_tax_behavior'>,
): boolean =>
  plan.price > 0 &&
  !isPayAsYouGo(plan) &&
  !isMetered(held) &&
  (held.fixed_tax_behavior ?? plan.tax_behavior) === plan.tax_behavior

/** A subscription's price as text: an amount per interval, or per 100 requests for pay-as-you-go. */
export function subscriptionPrice(subscription: Pick<Subscription, 'items' | 'plan' | 'currency'>): string {
  const { items, plan, currency } = subscription
  const per = formatInterval(plan.interval)
  if (!isMetered(subscription)) return `${formatMoney(plan.amount, currency)} ${per}`
  return `${hundredUnits(Number(items.data[0]?.price.unit_amount_decimal ?? 0), currency)} per 100 requests, ${per}`
}

const hundredUnits = (cents: number, currency: string): string => formatMoney(cents * 100, currency)

const taxNotes = { exclusive: 'plus tax', inclusive: 'tax included' }

/** The text after an amount, with what it says of tax; where none is computed, it says nothing. */
export const withTax = (per: string, { tax_behavior: behavior }: Pick<Plan, 'tax_behavior'>): string =>
  behavior ? (per && `${per}, `) + taxNotes[behavior] : per
