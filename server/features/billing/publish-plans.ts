import type { Queryable } from '../../db/database.ts'
import { planCredits, planRateLimit, planType } from './plan-rules.ts'

/** A plan as its source describes it: one recurring price of one product. */
export interface CatalogueEntry {
  productId: string
  priceId: string
  name: string
  description: string
  priceCents: number
  /** Cents for one unit, as a decimal text: pay-as-you-go prices are fractions of a cent. */
  unitAmountDecimal: string | null
  currency: string
  interval: 'month' | 'year'
  /** Names of the features that the product is advertised with. */
  features: string[]
  metadata: Record<string, string>
  /** False: shown only through another plan (its yearly price). Default true. */
  listed?: boolean
}

/**
 * Makes the catalogue equal to `entries`, in their order. A plan that is no longer among them is kept as inactive:
 * subscriptions may still stand on it. Repeating it changes nothing.
 */
export async function publishPlans(tx: Queryable, entries: CatalogueEntry[]): Promise<void> {
  const rows = entries.map((entry, position) => ({ ...rowOf(entry), active: true, position }))
  await tx
    .updateTable('plans')
    .set({ active: false })
    .where('active', '=', true)
    .where('price_id', 'not in', ['', ...rows.map((row) => row.price_id)])
    .execute()
  // One row at a time in one order: instances that start together wait for each other instead of deadlocking.
  for (const row of [...rows].sort((a, b) => a.price_id.localeCompare(b.price_id))) {
    await tx
      .insertInto('plans')
      .values(row)
      .onConflict((conflict) => conflict.column('price_id').doUpdateSet(row))
      .execute()
  }
}

/** Keeps a plan that is not offered any more, or never was, so that a subscription can stand on it. */
export async function keepRetiredPlan(tx: Queryable, entry: CatalogueEntry): Promise<void> {
  await tx
    .insertInto('plans')
    .values({ ...rowOf(entry), active: false, listed: false, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const rowOf = (entry: CatalogueEntry) => ({
  price_id: entry.priceId,
  product_id: entry.productId,
  name: entry.name,
  description: entry.description,
  price_cents: entry.priceCents,
  unit_amount_decimal: entry.unitAmountDecimal,
  currency: entry.currency,
  interval: entry.interval,
  features: entry.features,
  metadata: JSON.stringify(entry.metadata),
  type: planType(entry),
  credits: planCredits(entry),
  rate_limit_per_minute: planRateLimit(entry),
  listed: entry.listed ?? true,
})
