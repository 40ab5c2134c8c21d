import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { assertPayable } from '../billing/currency.ts'
import { assign, type Handler, pick } from './assign.ts'
import type { Body, CurrencyOption, Fields, Price } from './bodies.ts'
import type { Session } from './session.ts'

interface Product extends Body {
  name: string
  default_price: string | null
}

const productFields = [
  'name',
  'active',
  'description',
  'metadata',
  'marketing_features',
  'images',
  'statement_descriptor',
  'tax_code',
  'unit_label',
  'url',
  'shippable',
]
const priceFields = ['nickname', 'lookup_key', 'metadata', 'tax_behavior', 'active']

async function createProduct(tx: Session, params: Stripe.ProductCreateParams): Promise<Body> {
  if (params.id && (await tx.maybe(params.id))) {
    throw invalid('Product already exists.', { code: 'resource_already_exists', param: 'id' })
  }
  const product = await tx.create<Product>('product', 'prod', {
    active: true,
    type: 'service',
    default_price: null,
    updated: tx.now,
    ...pick(params, 'id', ...productFields),
  })
  await tx.emit('product.created', product)
  if (params.default_price_data) {
    const price = await createPrice(tx, {
      ...params.default_price_data,
      product: product.id,
    } as Stripe.PriceCreateParams)
    product.default_price = price.id
    await tx.save(product)
  }
  return product
}

async function updateProduct(tx: Session, params: Stripe.ProductUpdateParams, id: string): Promise<Body> {
  const product = await tx.get<Product>('product', id)
  if (params.default_price) {
    const price = await tx.get<Price>('price', params.default_price, 'default_price')
    if (price.product !== id) throw invalid(`The price ${price.id} is not of this product.`, { param: 'default_price' })
  }
  assign(product, params, 'default_price', ...productFields)
  product.updated = tx.now
  await tx.save(product, 'product.updated')
  return product
}

/** A whole amount of cents in both fields; a fraction of a cent only as a decimal string. */
function amounts(params: { unit_amount?: number; unit_amount_decimal?: unknown }, currency: string) {
  const decimal = params.unit_amount_decimal === undefined ? undefined : String(params.unit_amount_decimal)
  if (params.unit_amount === undefined && decimal === undefined) {
    throw invalid('You must pass one of `unit_amount`, `unit_amount_decimal`, or `custom_unit_amount`.', {
      code: 'parameter_missing',
    })
  }
  const whole = decimal !== undefined && /^\d+(\.0+)?$/.test(decimal) ? Number(decimal) : null
  const cents = params.unit_amount ?? whole
  if ((cents ?? 0) < 0)
    throw invalid('Invalid non-negative integer', { code: 'parameter_invalid_integer', param: 'unit_amount' })
  if (cents !== null) assertPayable(cents, currency, 'unit_amount')
  return { unit_amount: cents, unit_amount_decimal: cents === null ? (decimal as string) : String(cents) }
}

const settled = (behavior: unknown) => behavior === 'inclusive' || behavior === 'exclusive'

/** A tax behavior, once it is set, stays. */
function assertBehavior(current: string | null | undefined, wanted: string | undefined): void {
  if (wanted === undefined || !settled(current) || wanted === current) return
  throw invalid('You cannot change the `tax_behavior` of a price after it was set to `inclusive` or `exclusive`.', {
    param: 'tax_behavior',
  })
}

/** Adds or replaces amounts in further currencies; an empty value removes them all. */
function mergeOptions(price: Price, given: Stripe.PriceUpdateParams['currency_options']): void {
  const options = given ? { ...price._options } : {}
  for (const [key, wanted] of Object.entries(given || {})) {
    const name = key.toLowerCase()
    if (name === price.currency)
      throw invalid(`The currency of the price, ${name}, cannot be one of its currency options.`, {
        param: `currency_options[${key}]`,
      })
    const before: CurrencyOption | undefined = price._options?.[name]
    assertBehavior(before?.tax_behavior, wanted.tax_behavior)
    const cost = amounts(wanted as Parameters<typeof amounts>[0], name)
    options[name] = { ...cost, tax_behavior: wanted.tax_behavior ?? before?.tax_behavior ?? 'unspecified' }
  }
  price._options = options
}

/** `currency_options` as a request expands them: the price's own currency and the further ones. */
export function currencyOptions(price: Price): Fields {
  const own: CurrencyOption = { ...price, tax_behavior: price.tax_behavior ?? 'unspecified' }
  return Object.fromEntries(
    Object.entries({ [price.currency]: own, ...price._options }).map(([name, one]) => [
      name,
      {
        custom_unit_amount: null,
        tax_behavior: one.tax_behavior,
        unit_amount: one.unit_amount,
        unit_amount_decimal: one.unit_amount_decimal,
      },
    ]),
  )
}

async function readRecurring(tx: Session, given: Stripe.PriceCreateParams.Recurring): Promise<Fields> {
  const usage = given.usage_type ?? 'licensed'
  if (usage === 'metered') {
    if (!given.meter) throw invalid('A metered price needs a billing meter.', { param: 'recurring[meter]' })
    await tx.get('billing.meter', given.meter, 'recurring[meter]')
  }
  return {
    interval: given.interval,
    interval_count: given.interval_count ?? 1,
    usage_type: usage,
    meter: given.meter ?? null,
    trial_period_days: null,
  }
}

async function freeLookupKey(tx: Session, params: Stripe.PriceCreateParams | Stripe.PriceUpdateParams): Promise<void> {
  if (!params.lookup_key) return
  for (const holder of await tx.find<Price>('price', { lookup_key: params.lookup_key })) {
    if (!params.transfer_lookup_key) {
      const text = `A price (\`${holder.id}\`) already uses that lookup key.`
      throw invalid(text, { code: 'resource_already_exists', param: 'lookup_key' })
    }
    holder.lookup_key = null
    await tx.save(holder, 'price.updated')
  }
}

/** Creates a price, on its own or as the `default_price_data` of a product. */
export async function createPrice(tx: Session, params: Stripe.PriceCreateParams): Promise<Price> {
  await freeLookupKey(tx, params)
  const product = params.product_data
    ? await createProduct(tx, params.product_data as Stripe.ProductCreateParams)
    : await tx.get('product', params.product ?? '', 'product')
  const currency = params.currency.toLowerCase()
  const price = await tx.create<Price>('price', 'price', {
    active: true,
    currency,
    product: product.id,
    type: params.recurring ? 'recurring' : 'one_time',
    billing_scheme: params.billing_scheme ?? 'per_unit',
    recurring: params.recurring ? await readRecurring(tx, params.recurring) : null,
    ...amounts(params as Parameters<typeof amounts>[0], currency),
    ...pick(params, ...priceFields),
  })
  if (params.currency_options) {
    mergeOptions(price, params.currency_options)
    await tx.save(price)
  }
  await tx.emit('price.created', price)
  return price
}

async function updatePrice(tx: Session, params: Stripe.PriceUpdateParams, id: string): Promise<Body> {
  const price = await tx.get<Price>('price', id)
  await freeLookupKey(tx, params)
  assertBehavior(price.tax_behavior, params.tax_behavior)
  if (params.currency_options !== undefined) mergeOptions(price, params.currency_options)
  assign(price, params, ...priceFields)
  await tx.save(price, 'price.updated')
  return price
}

export const catalogHandlers: Record<string, Handler> = {
  'POST /v1/products': createProduct,
  'POST /v1/products/{id}': updateProduct,
  'POST /v1/prices': createPrice,
  'POST /v1/prices/{id}': updatePrice,
}
