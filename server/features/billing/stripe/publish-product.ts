import type Stripe from 'stripe'
import type { StripeAccess } from './client.ts'
import { isMissing } from './failure.ts'
import { meteredAmount } from './seed-catalog.ts'
import { type TaxBehavior, taxBehaviorOf } from './taxes.ts'

/** A price that a product is to have. `others`: the same in other currencies, in their minor units as decimal strings. */
export type WantedPrice = { others: Record<string, string> } & (
  | { interval: 'month' | 'year' | null; cents: number }
  /** Pay-as-you-go, per month. `unitCents`: cents of a request, as a decimal string. */
  | { unitCents: string }
)

export interface WantedProduct {
  productId: string
  /** Part of the lookup keys of its prices: a repeat finds what an earlier attempt made. */
  version: number
  name: string
  description: string
  features: readonly string[]
  /** An empty value removes its key; keys that are not named stay. */
  metadata: Record<string, string>
  currency: string
  /** Null: as the prices are, or as Stripe's settings say. */
  taxBehavior: TaxBehavior | null
  /** Stripe's code for the kind of product; null: none. */
  taxCode: string | null
  /** The first is the default. */
  prices: readonly [WantedPrice, ...WantedPrice[]]
}

/**
 * Gives Stripe this product: prices first, then the product with its new default in one request, so that every reader sees the old
 * offer or the new one. A price of the same amount is kept. Repeating it changes nothing. Returns the prices it has now, and the
 * other active ones, at which nothing new is sold. Stripe's errors pass through.
 */
export async function publishProduct(
  { client }: StripeAccess,
  wanted: WantedProduct,
): Promise<{ prices: string[]; replaced: string[] }> {
  const { productId, name, description, features, metadata, prices } = wanted
  const about = {
    name,
    description,
    marketing_features: features.map((feature) => ({ name: feature })),
    ...(wanted.taxCode && { tax_code: wanted.taxCode }),
  }
  await ensureProduct(client, productId, { ...about, metadata: withoutEmpty(metadata) })
  const active: Stripe.Price[] = []
  for await (const price of client.prices.list({
    product: productId,
    active: true,
    limit: 100,
    expand: ['data.currency_options'],
  }))
    active.push(price)
  const kept: string[] = []
  for (const price of prices) {
    const same = active.find((one) => isSame(one, price, wanted))
    // What was not said can be said once. What was said stays: another behavior is another price.
    if (same && wanted.taxBehavior !== null && taxBehaviorOf(same) === null)
      await client.prices.update(same.id, { tax_behavior: wanted.taxBehavior })
    kept.push((same ?? (await makePrice(client, wanted, price))).id)
  }
  await client.products.update(productId, { ...about, metadata, active: true, default_price: kept[0]! })
  return { prices: kept, replaced: active.map(({ id }) => id).filter((id) => !kept.includes(id)) }
}

/**
 * Ends a price for new customers. `metadata`: what its customers get, to be kept with it, because the product's may change.
 * Stripe's errors pass through.
 */
export async function retirePrice({ client }: StripeAccess, priceId: string, metadata: Record<string, string>) {
  await client.prices.update(priceId, { active: false, metadata })
}

/** Ends a product for new customers. Stripe's errors pass through. */
export async function archiveProduct({ client }: StripeAccess, productId: string): Promise<void> {
  await client.products.update(productId, { active: false })
}

async function ensureProduct(client: Stripe, id: string, about: Omit<Stripe.ProductCreateParams, 'id'>): Promise<void> {
  try {
    await client.products.retrieve(id)
  } catch (error) {
    if (!isMissing(error)) throw error
    await client.products.create({ id, ...about })
  }
}

async function makePrice(client: Stripe, wanted: WantedProduct, price: WantedPrice): Promise<Stripe.Price> {
  const { productId, version, currency, name } = wanted
  const interval = 'unitCents' in price ? 'month' : price.interval
  const key = `${productId}_v${version}_${interval ?? 'once'}`
  const made = await client.prices.list({ lookup_keys: [key], limit: 1 })
  if (made.data[0]) return made.data[0]
  const amount =
    'unitCents' in price
      ? await meteredAmount(client, price.unitCents)
      : { unit_amount: price.cents, ...(price.interval && { recurring: { interval: price.interval } }) }
  const others = Object.entries(price.others).map(([other, decimal]) => [
    other,
    'unitCents' in price ? { unit_amount_decimal: decimal } : { unit_amount: Number(decimal) },
  ])
  return client.prices.create({
    product: productId,
    currency,
    nickname: name,
    lookup_key: key,
    ...amount,
    ...(wanted.taxBehavior && { tax_behavior: wanted.taxBehavior }),
    ...(others.length > 0 && { currency_options: Object.fromEntries(others) }),
  })
}

function isSame(
  found: Stripe.Price,
  wanted: WantedPrice,
  { currency, taxBehavior }: Pick<WantedProduct, 'currency' | 'taxBehavior'>,
): boolean {
  if (taxBehavior !== null && (taxBehaviorOf(found) ?? taxBehavior) !== taxBehavior) return false
  if (found.currency !== currency || (found.recurring?.interval_count ?? 1) !== 1) return false
  if (!hasSameOthers(found, wanted)) return false
  if ('unitCents' in wanted)
    return found.recurring?.usage_type === 'metered' && Number(found.unit_amount_decimal) === Number(wanted.unitCents)
  const { interval = null, usage_type: usage = 'licensed' } = found.recurring ?? {}
  return interval === wanted.interval && usage === 'licensed' && found.unit_amount === wanted.cents
}

/** A price in a currency that is no longer wanted is another price. Free ones may be had in any. */
function hasSameOthers(
  { currency, currency_options: options = {}, unit_amount: own }: Stripe.Price,
  { others }: WantedPrice,
) {
  const found = Object.entries(options).filter(([name]) => name !== currency)
  if (own === 0 && found.every(([, { unit_amount: amount }]) => amount === 0)) return true
  return (
    found.length === Object.keys(others).length &&
    found.every(([name, { unit_amount_decimal: amount }]) => Number(amount) === Number(others[name]))
  )
}

const withoutEmpty = (metadata: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== ''))
