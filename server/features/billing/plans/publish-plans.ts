import type { Queryable } from '../../../db/database.ts'
import type { TaxBehavior } from '../stripe/taxes.ts'
import { planCredits, planRateLimit, planType } from './plan-rules.ts'
import type { CurrencyOptions } from './price-in.ts'

/** A plan as described by its source: one recurring price of one product. */
export interface CatalogEntry {
  productId: string
  priceId: string
  name: string
  description: string
  priceCents: number
  /** Cents per unit as a decimal string: pay-as-you-go prices are fractions of a cent. */
  unitAmountDecimal: string | null
  currency: string
  /** Other currencies that the price is sold in. Default: none. */
  currencyOptions?: CurrencyOptions
  interval: 'month' | 'year'
  /** The product's marketing features. */
  features: string[]
  metadata: Record<string, string>
  /** Whether the plan is listed on its own; false for another plan's yearly price. Default true. */
  listed?: boolean
  /** Whether tax is added to the price or part of it; null or absent: not said. */
  taxBehavior?: TaxBehavior | null
  /** Stripe's code for the kind of product. */
  taxCode?: string | null
}

/**
 * Replaces the catalog by `entries`, in their order. A plan that is no longer listed is kept as inactive, since
 * subscriptions may still use it. Repeating it changes nothing.
 */
export async function publishPlans(tx: Queryable, entries: CatalogEntry[]): Promise<void> {
  const rows = entries.map((entry, position) => ({ ...rowOf(entry), active: true, position }))
  await tx
    .updateTable('plans')
    .set({ active: false })
    .where('active', '=', true)
    .where('price_id', 'not in', ['', ...rows.map((row) => row.price_id)])
    .execute()
  // One row at a time in a fixed order, so that instances that start together wait for each other instead of
  // deadlocking.
  for (const row of (await withEnded(tx, rows)).sort((a, b) => a.price_id.localeCompare(b.price_id))) {
    await tx
      .insertInto('plans')
      .values(row)
      .onConflict((conflict) => conflict.column('price_id').doUpdateSet(row))
      .execute()
  }
}

/** Formerly sold currencies stay with the prices, because subscriptions in those go on. */
async function withEnded<R extends { price_id: string; currency_options: string }>(
  tx: Queryable,
  rows: R[],
): Promise<R[]> {
  const known = await tx
    .selectFrom('plans')
    .select(['price_id', 'currency_options'])
    .where('price_id', 'in', ['', ...rows.map((row) => row.price_id)])
    .execute()
  const before = new Map(known.map((row) => [row.price_id, row.currency_options as unknown as CurrencyOptions]))
  return rows.map((row) => {
    const ended = Object.entries(before.get(row.price_id) ?? {}).map(([currency, one]) => [
      currency,
      { ...one, ended: true },
    ])
    return {
      ...row,
      currency_options: JSON.stringify({ ...Object.fromEntries(ended), ...JSON.parse(row.currency_options) }),
    }
  })
}

/** Stores a plan that is not offered, so that a subscription can refer to it. Of one that is stored, only its currencies change. */
export async function keepRetiredPlan(tx: Queryable, entry: CatalogEntry): Promise<void> {
  const [row] = await withEnded(tx, [rowOf(entry)])
  await tx
    .insertInto('plans')
    .values({ ...row!, active: false, listed: false, position: 0 })
    .onConflict((conflict) => conflict.column('price_id').doUpdateSet({ currency_options: row!.currency_options }))
    .execute()
}

const rowOf = (entry: CatalogEntry) => ({
  price_id: entry.priceId,
  product_id: entry.productId,
  name: entry.name,
  description: entry.description,
  price_cents: entry.priceCents,
  unit_amount_decimal: entry.unitAmountDecimal,
  currency: entry.currency,
  currency_options: JSON.stringify(entry.currencyOptions ?? {}),
  interval: entry.interval,
  features: entry.features,
  metadata: JSON.stringify(entry.metadata),
  type: planType(entry),
  credits: planCredits(entry),
  rate_limit_per_minute: planRateLimit(entry),
  listed: entry.listed ?? true,
  tax_behavior: entry.taxBehavior ?? null,
  tax_code: entry.taxCode ?? null,
})
