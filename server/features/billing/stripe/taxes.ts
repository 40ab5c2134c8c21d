import type Stripe from 'stripe'
import type { StripeAccess } from './client.ts'

/** How a price and tax go together: tax on top of it, or in it. Null: nobody has said. */
export type TaxBehavior = 'exclusive' | 'inclusive'

export const taxBehaviorOf = ({ tax_behavior }: Pick<Stripe.Price, 'tax_behavior'>): TaxBehavior | null =>
  (['exclusive', 'inclusive'] as const).find((one) => one === tax_behavior) ?? null

/** What a checkout page is told of taxes; nothing while they are off. */
export function checkoutTaxes({ taxes }: StripeAccess) {
  if (taxes === 'off') return {}
  return {
    ...(taxes === 'stripe' && { automatic_tax: { enabled: true } }),
    billing_address_collection: 'required',
    tax_id_collection: { enabled: true },
    // Without it, Stripe refuses a page for a customer who has no address yet.
    customer_update: { address: 'auto', name: 'auto' },
  } as const
}

/** The same for an invoice that we make. */
export const invoiceTaxes = ({ taxes }: StripeAccess) =>
  taxes === 'stripe' ? { automatic_tax: { enabled: true } } : {}

export interface ItemTax {
  behavior: TaxBehavior | null
  code: string | null
  /** The operator's own rate that applies; null: none. */
  rateId: string | null
}

/** The same for a line that we add to an invoice: it has no price that would say so. */
export function itemTaxes({ taxes }: StripeAccess, { behavior, code, rateId }: ItemTax) {
  if (taxes === 'off') return {}
  if (taxes === 'rates') return rateId ? { tax_rates: [rateId] } : {}
  return { tax_behavior: behavior ?? ('exclusive' as const), ...(code && { tax_code: code }) }
}

/**
 * The operator's own rate of a country: active, of the whole country or of its state, and added to or part of the price as the
 * price says. Null: they have none, or use Stripe Tax.
 */
export async function findTaxRate(
  { client, taxes }: StripeAccess,
  where: { country: string; state: string | null } | null,
  behavior: TaxBehavior | null,
): Promise<string | null> {
  if (taxes !== 'rates' || !where) return null
  const found: Stripe.TaxRate[] = []
  for await (const rate of client.taxRates.list({ active: true, limit: 100 }))
    if (rate.country === where.country && rate.inclusive === (behavior === 'inclusive')) found.push(rate)
  const ofState = found.find(({ state }) => state !== null && state === where.state)
  return (ofState ?? found.find(({ state }) => state === null))?.id ?? null
}

/** Stripe computes the tax of this subscription again, from its next invoice on. */
export async function resumeTax({ client }: StripeAccess, subscriptionId: string): Promise<void> {
  await client.subscriptions.update(subscriptionId, { automatic_tax: { enabled: true } })
}

/** Applies the operator's own rate, or none, from the next invoice on. */
export async function setSubscriptionRate(
  { client }: StripeAccess,
  subscriptionId: string,
  rateId: string | null,
): Promise<void> {
  await client.subscriptions.update(subscriptionId, { default_tax_rates: rateId === null ? '' : [rateId] })
}

/** Whether what is sold here has taxes. */
export const sellsWithTax = (stripe: StripeAccess | null): boolean => stripe !== null && stripe.taxes !== 'off'
