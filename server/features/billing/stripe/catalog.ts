import type Stripe from 'stripe'
import type { Leaving } from '../plans/leaving.ts'
import { annualCents, isPayAsYouGo, leastCents } from '../plans/plan-rules.ts'
import type { CurrencyOptions } from '../plans/price-in.ts'
import type { CatalogEntry } from '../plans/publish-plans.ts'
import type { StripeAccess } from './client.ts'
import { type TaxBehavior, taxBehaviorOf } from './taxes.ts'

/** A product with metadata `type: 'credits'`: a pack of `credits` credits, bought once. */
export interface CreditPack {
  productId: string
  priceId: string
  name: string
  description: string
  priceCents: number
  currency: string
  currencyOptions: CurrencyOptions
  credits: number
  taxBehavior: TaxBehavior | null
  taxCode: string | null
}

export interface Catalog {
  /** Listed plans in display order, each followed by its yearly price. */
  plans: CatalogEntry[]
  packs: CreditPack[]
  /** Products that are not sold as configured, each with the reason. */
  notices: { product: string; problem: string }[]
}

/** Active products with an active default price, without what is leaving. Free first, then by price; pay-as-you-go last. */
export async function fetchCatalog({ client }: StripeAccess, leaving: Leaving): Promise<Catalog> {
  const products: Stripe.Product[] = []
  for await (const product of client.products.list({
    active: true,
    limit: 100,
    expand: ['data.default_price.currency_options'],
  }))
    if (!leaving.products.has(product.id)) products.push(product)
  const yearly = new Map<string, Stripe.Price>()
  for await (const price of client.prices.list({
    active: true,
    type: 'recurring',
    limit: 100,
    expand: ['data.currency_options'],
  }))
    if (price.recurring?.interval === 'year' && !leaving.prices.has(price.id)) yearly.set(idOf(price.product), price)

  const plans: CatalogEntry[] = []
  const packs: CreditPack[] = []
  const notices: Catalog['notices'] = []
  for (const product of products) {
    const price = product.default_price as Stripe.Price | null
    const pack = price?.active ? packOf(product, price) : null
    const problem = pack ? null : whyNoPlan(product, price)
    if (pack) packs.push(pack)
    else if (problem !== null) notices.push({ product: product.id, problem })
    else if (price) plans.push(entryOf(product, price))
    if (price && problem === null)
      for (const currency of unsold(product, price)) notices.push({ product: product.id, problem: whyNotIn(currency) })
  }
  const rank = (entry: CatalogEntry) => (isPayAsYouGo(entry) ? Number.MAX_SAFE_INTEGER : entry.priceCents)
  plans.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
  const withYears = plans.flatMap((plan) => {
    const year = yearly.get(plan.productId)
    const product = products.find(({ id }) => id === plan.productId)
    if (!year || !product || year.id === plan.priceId) return [plan]
    if (year.unit_amount !== annualCents(plan.priceCents))
      notices.push({
        product: product.id,
        problem: `its yearly price must be ${annualCents(plan.priceCents)} cents (twelve months minus 20 percent)`,
      })
    return [plan, { ...entryOf(product, year), listed: false }]
  })
  return { plans: withYears, packs: packs.sort((a, b) => a.priceCents - b.priceCents), notices }
}

/**
 * Why a product cannot be offered as a plan; null: it can. A tiered price has no amount, so it would look like a free
 * plan.
 */
function whyNoPlan({ metadata }: Stripe.Product, price: Stripe.Price | null): string | null {
  if (!price?.active) return 'it has no active default price'
  if (metadata.type === 'credits') return 'a credit pack needs a one-time price and an integer metadata.credits'
  if (!price.recurring) return 'its default price is not recurring'
  const { interval, interval_count: count } = price.recurring
  if (!['month', 'year'].includes(interval) || count !== 1) return 'its price must be monthly or yearly'
  if (price.unit_amount_decimal === null && !isPayAsYouGo({ metadata }))
    return 'its price has tiers, which are not supported'
  return null
}

/** One price with its product, whatever its state: old subscriptions may use it. Null for a one-time price. */
export async function fetchPlan({ client }: StripeAccess, priceId: string): Promise<CatalogEntry | null> {
  const price = await client.prices.retrieve(priceId, { expand: ['product', 'currency_options'] })
  if (!price.recurring) return null
  const entry = entryOf(price.product as Stripe.Product, price)
  // What its customers got when it was retired.
  return { ...entry, metadata: { ...entry.metadata, ...price.metadata } }
}

function entryOf(product: Stripe.Product, price: Stripe.Price): CatalogEntry {
  return {
    productId: product.id,
    priceId: price.id,
    name: product.name,
    description: product.description ?? '',
    priceCents: price.unit_amount ?? 0,
    unitAmountDecimal: decimalOf(price),
    currency: price.currency,
    currencyOptions: optionsOf(product, price),
    interval: price.recurring?.interval === 'year' ? 'year' : 'month',
    features: (product.marketing_features ?? []).flatMap(({ name }) => name ?? []),
    metadata: product.metadata ?? {},
    listed: true,
    taxBehavior: taxBehaviorOf(price),
    taxCode: product.tax_code ? idOf(product.tax_code) : null,
  }
}

function packOf(product: Stripe.Product, price: Stripe.Price): CreditPack | null {
  const credits = Number(product.metadata.credits)
  if (product.metadata.type !== 'credits' || price.recurring || !price.unit_amount) return null
  if (!Number.isSafeInteger(credits) || credits < 1) return null
  return {
    productId: product.id,
    priceId: price.id,
    name: product.name,
    description: product.description ?? '',
    priceCents: price.unit_amount,
    currency: price.currency,
    currencyOptions: optionsOf(product, price),
    credits,
    taxBehavior: taxBehaviorOf(price),
    taxCode: product.tax_code ? idOf(product.tax_code) : null,
  }
}

/** The other currencies that a price can be sold in. */
function optionsOf(product: Stripe.Product, price: Stripe.Price): CurrencyOptions {
  return Object.fromEntries(
    otherCurrencies(price).flatMap(([currency, option]) =>
      isSellable(product, price, currency, option)
        ? [[currency, { priceCents: option.unit_amount ?? 0, unitAmountDecimal: decimalOf(option) }]]
        : [],
    ),
  )
}

const unsold = (product: Stripe.Product, price: Stripe.Price): string[] =>
  otherCurrencies(price)
    .filter(([currency, option]) => !isSellable(product, price, currency, option))
    .map(([currency]) => currency)

const whyNotIn = (currency: string): string =>
  `it is not sold in ${currency}: that needs an amount above 0, and pay-as-you-go a monthly minimum in metadata.minimum_${currency}`

/** Stripe lists the price's own currency among the options. */
const otherCurrencies = ({ currency: own, currency_options: options = {} }: Stripe.Price) =>
  Object.entries(options).filter(([currency]) => currency !== own)

/** Free plans are free everywhere, and what costs money costs some in each currency. */
function isSellable(product: Stripe.Product, price: Stripe.Price, currency: string, option: Option): boolean {
  if (isPayAsYouGo(product)) return decimalOf(option) !== null && leastCents(product, currency) !== null
  return option.unit_amount !== null && option.unit_amount > 0 === (price.unit_amount ?? 0) > 0
}

type Option = Stripe.Price.CurrencyOptions
const decimalOf = ({ unit_amount_decimal: decimal }: Pick<Option, 'unit_amount_decimal'>): string | null =>
  decimal === null || decimal === undefined ? null : String(decimal)

/** The id of a reference, expanded or not. */
export const idOf = (reference: string | { id: string }): string =>
  typeof reference === 'string' ? reference : reference.id
