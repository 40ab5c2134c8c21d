import type Stripe from 'stripe'
import { annualCents, isPayAsYouGo } from '../plans/plan-rules.ts'
import type { CatalogEntry } from '../plans/publish-plans.ts'
import { seedPack, seedPlans } from '../plans/seed-plans.ts'
import type { StripeAccess } from './client.ts'
import { isMissing } from './failure.ts'
import { type TaxBehavior, taxBehaviorOf } from './taxes.ts'

/** Name of the meter events that count pay-as-you-go requests. */
export const METER_EVENT = 'finmeter_requests'

/**
 * Creates the missing products, prices and the meter of a new installation. Products are known by id, prices by lookup
 * key: repeating it changes nothing, and an operator's edits stay.
 */
export async function seedCatalog({ client, taxes }: StripeAccess): Promise<void> {
  // What was made before taxes were on says nothing of them; said once, it stays.
  const tax = taxes === 'off' ? {} : ({ tax_behavior: 'exclusive' } as const)
  const priceOf = (key: string, make: () => Promise<Stripe.PriceCreateParams>) => findOrMake(client, key, tax, make)
  for (const plan of seedPlans) {
    const product = await productOf(client, plan)
    const monthly = await priceOf(lookupKey(plan, 'month'), async () => ({
      product: product.id,
      currency: plan.currency,
      nickname: plan.name,
      ...(isPayAsYouGo(plan)
        ? await meteredAmount(client, plan.unitAmountDecimal ?? '0')
        : fixedAmount(plan.priceCents, 'month')),
    }))
    if (plan.priceCents > 0)
      await priceOf(lookupKey(plan, 'year'), async () => ({
        product: product.id,
        currency: plan.currency,
        nickname: `${plan.name} yearly`,
        ...fixedAmount(annualCents(plan.priceCents), 'year'),
      }))
    if (!product.default_price) await client.products.update(product.id, { default_price: monthly.id })
  }
  const pack = await productOf(client, seedPack)
  const price = await priceOf('finmeter_credits', async () => ({
    product: pack.id,
    currency: 'usd',
    unit_amount: seedPack.priceCents,
  }))
  if (!pack.default_price) await client.products.update(pack.id, { default_price: price.id })
}

const lookupKey = (plan: CatalogEntry, interval: string) =>
  `finmeter_${plan.productId.replace(/^prod_/, '')}_${interval}`

const fixedAmount = (cents: number, interval: 'month' | 'year') => ({ unit_amount: cents, recurring: { interval } })

/** A monthly price of counted requests; makes the meter if there is none. `unitCents`: cents of a request, as a decimal string. */
export async function meteredAmount(client: Stripe, unitCents: string) {
  const meters = await client.billing.meters.list({ status: 'active', limit: 100 })
  const meter =
    meters.data.find((one) => one.event_name === METER_EVENT) ??
    (await client.billing.meters.create({
      display_name: 'Requests',
      event_name: METER_EVENT,
      default_aggregation: { formula: 'sum' },
    }))
  return {
    unit_amount_decimal: unitCents as unknown as Stripe.Decimal,
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id } as const,
  }
}

type SeedProduct = Pick<CatalogEntry, 'productId' | 'name' | 'description' | 'features' | 'metadata'>

async function productOf(client: Stripe, seed: SeedProduct): Promise<Stripe.Product> {
  try {
    return await client.products.retrieve(seed.productId)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  return client.products.create({
    id: seed.productId,
    name: seed.name,
    description: seed.description,
    marketing_features: seed.features.map((name) => ({ name })),
    metadata: seed.metadata,
  })
}

async function findOrMake(
  client: Stripe,
  key: string,
  tax: { tax_behavior?: TaxBehavior },
  make: () => Promise<Stripe.PriceCreateParams>,
): Promise<Stripe.Price> {
  const found = (await client.prices.list({ lookup_keys: [key], limit: 1 })).data[0]
  if (!found) return client.prices.create({ lookup_key: key, ...(await make()), ...tax })
  return tax.tax_behavior && taxBehaviorOf(found) === null ? client.prices.update(found.id, tax) : found
}
