import type { Selectable } from 'kysely'
import type { ProductFields } from '#contract/operator/product-routes.ts'
import type { CreditPacks, Plans } from '../../../db/schema.gen.ts'
import { annualCents, isPayAsYouGo, isUnlimited, trialDays } from '../../billing/plans/plan-rules.ts'
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
  credits: pack.credits,
  ...taxOf(pack),
})

const taxOf = ({ tax_behavior, tax_code }: Pick<Plan, 'tax_behavior' | 'tax_code'>) => ({
  ...(tax_behavior && { tax_behavior: tax_behavior as 'exclusive' | 'inclusive' }),
  ...(tax_code && { tax_code }),
})

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
  if (fields.kind === 'payg') return [{ unitCents: fields.unit_cents }]
  if (fields.kind === 'pack') return [{ interval: null, cents: fields.price_cents }]
  const { interval, price_cents: cents, yearly } = fields
  return [{ interval, cents }, ...(yearly ? [{ interval: 'year' as const, cents: annualCents(cents) }] : [])]
}

/** What the rules of plans read. An empty value removes its key. */
function metadataOf(fields: ProductFields): Record<string, string> {
  if (fields.kind === 'pack') return { type: 'credits', credits: String(fields.credits) }
  const rate_limit = String(fields.rate_limit_per_minute)
  if (fields.kind === 'payg') return { type: 'payg', rate_limit }
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
  const names = Object.entries(after).flatMap(([name, value]) => (same(old[name], value) ? [] : [name]))
  const only = (from: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, from[name] ?? null]))
  return { before: before ? only(old) : {}, after: only(after) }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Whether two are the same, whatever the order of their keys: PostgreSQL keeps none. */
export const sameFields = (one: ProductFields | null, other: ProductFields | null): boolean =>
  one === null || other === null
    ? one === other
    : one.kind === other.kind && Object.keys(changedFields(one, other).after).length === 0
