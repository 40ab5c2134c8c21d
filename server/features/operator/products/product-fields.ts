import type { Selectable } from 'kysely'
import type { ProductFields } from '#contract/operator/product-routes.ts'
import type { CreditPacks, Plans } from '../../../db/schema.gen.ts'
import { annualCents, isPayAsYouGo, isUnlimited, trialDays } from '../../billing/plans/plan-rules.ts'
import { leastOf, type OtherPrice, optionsOf } from '../../billing/plans/price-in.ts'
import type { WantedPrice, WantedProduct } from '../../billing/stripe/publish-product.ts'

type Plan = Selectable<Plans>
type Pack = Selectable<CreditPacks>

/** What a plan is that is sold, or was. `yearly`: it has a yearly price too. */
export function fieldsOfPlan(plan: Plan, yearly: boolean): ProductFields {
  const metadata = plan.metadata as Record<string, string>
  const { name, description, currency, features, rate_limit_per_minute } = plan
  const tax = taxOf(plan)
  if (isPayAsYouGo({ metadata }))
    return {
      kind: 'payg',
      name,
      description,
      currency,
      features,
      unit_cents: plan.unit_amount_decimal ?? '0',
      ...othersOf(plan, ({ unitAmountDecimal }, of) => ({
        unit_cents: unitAmountDecimal ?? '0',
        minimum_cents: leastOf({ ...plan, currency: of }),
      })),
      rate_limit_per_minute,
      ...tax,
    }
  return {
    kind: 'plan',
    name,
    description,
    currency,
    features,
    price_cents: plan.price_cents,
    ...(plan.price_cents > 0 && othersOf(plan, ({ priceCents }) => priceCents)),
    interval: plan.interval as 'month' | 'year',
    yearly,
    credits: plan.credits,
    unlimited: isUnlimited(plan),
    rate_limit_per_minute,
    trial_days: trialDays(metadata),
    ...tax,
  }
}

/** What a pack is that is sold, or was. */
export const fieldsOfPack = (pack: Pack): ProductFields => ({
  kind: 'pack',
  name: pack.name,
  description: pack.description ?? '',
  currency: pack.currency,
  price_cents: pack.price_cents,
  ...othersOf(pack, ({ priceCents }) => priceCents),
  credits: pack.credits,
  ...taxOf(pack),
})

const taxOf = ({ tax_behavior, tax_code }: Pick<Plan, 'tax_behavior' | 'tax_code'>) => ({
  ...(tax_behavior && { tax_behavior: tax_behavior as 'exclusive' | 'inclusive' }),
  ...(tax_code && { tax_code }),
})

/** What it costs in other currencies, if it is sold in any. */
function othersOf<T>(
  price: Pick<Plan, 'currency' | 'currency_options'>,
  amount: (other: OtherPrice, currency: string) => T,
): { other_prices?: Record<string, T> } {
  const others = Object.entries(optionsOf(price)).sort(([a], [b]) => a.localeCompare(b))
  return others.length === 0
    ? {}
    : { other_prices: Object.fromEntries(others.map(([currency, other]) => [currency, amount(other, currency)])) }
}

/** What Stripe is to have of a version. */
export function wantedProduct(productId: string, version: number, fields: ProductFields): WantedProduct {
  const { name, description, currency } = fields
  return {
    productId,
    version,
    name,
    description,
    currency,
    features: 'features' in fields ? fields.features : [],
    metadata: metadataOf(fields),
    taxBehavior: fields.tax_behavior ?? null,
    taxCode: fields.tax_code ?? null,
    prices: pricesOf(fields),
  }
}

function pricesOf(fields: ProductFields): [WantedPrice, ...WantedPrice[]] {
  if (fields.kind === 'payg')
    return [{ unitCents: fields.unit_cents, others: each(fields.other_prices, ({ unit_cents }) => unit_cents) }]
  const others = each(fields.other_prices, String)
  if (fields.kind === 'pack') return [{ interval: null, cents: fields.price_cents, others }]
  const { interval, price_cents: cents, yearly } = fields
  const year = { interval: 'year' as const, cents: annualCents(cents) }
  const ofYear = each(fields.other_prices, (amount) => String(annualCents(amount)))
  return [{ interval, cents, others }, ...(yearly ? [{ ...year, others: ofYear }] : [])]
}

const each = <T>(prices: Record<string, T> | undefined, text: (amount: T) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(prices ?? {}).map(([currency, amount]) => [currency, text(amount)]))

/** What the rules of plans read. An empty value removes its key. */
function metadataOf(fields: ProductFields): Record<string, string> {
  if (fields.kind === 'pack') return { type: 'credits', credits: String(fields.credits) }
  const rate_limit = String(fields.rate_limit_per_minute)
  if (fields.kind === 'payg') {
    const minimums = Object.entries(fields.other_prices ?? {}).map(([currency, { minimum_cents }]) => [
      `minimum_${currency}`,
      String(minimum_cents),
    ])
    return { type: 'payg', rate_limit, ...Object.fromEntries(minimums) }
  }
  return {
    type: fields.price_cents === 0 ? 'free' : 'paid',
    credits: String(fields.credits),
    credit: '',
    rate_limit,
    trial_days: fields.trial_days > 0 ? String(fields.trial_days) : '',
    unlimited: fields.unlimited ? 'true' : '',
  }
}

/** The fields in which two versions differ, as the log keeps them. */
export function changedFields(
  before: ProductFields | null,
  after: ProductFields,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const old = (before ?? {}) as Record<string, unknown>
  const now = after as Record<string, unknown>
  const names = [...new Set([...Object.keys(after), ...Object.keys(old)])].filter((name) => !same(old[name], now[name]))
  const only = (from: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, from[name] ?? null]))
  return { before: before ? only(old) : {}, after: only(now) }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Whether two are the same, whatever the order of their keys: PostgreSQL keeps none. */
export const sameFields = (one: ProductFields | null, other: ProductFields | null): boolean =>
  one === null || other === null
    ? one === other
    : one.kind === other.kind && Object.keys(changedFields(one, other).after).length === 0
