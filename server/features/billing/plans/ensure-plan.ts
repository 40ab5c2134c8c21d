import type { Selectable } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Plans } from '../../../db/schema.gen.ts'
import type { EventContext } from '../events/event-context.ts'
import { fetchPlan } from '../stripe/catalog.ts'
import { priceIn } from './price-in.ts'
import { keepRetiredPlan } from './publish-plans.ts'

/**
 * The plan of a price, copied from Stripe if it is not offered here, or not known in the currency that is paid; null for a one-time
 * price.
 */
export async function ensurePlan(
  { tx, stripe }: EventContext,
  priceId: string,
  currency: string,
): Promise<Selectable<Plans> | null> {
  const known = await planOf(tx, priceId)
  if (known && (known.type === 'free' || priceIn(known, currency))) return known
  const entry = await fetchPlan(stripe, priceId)
  if (!entry) return null
  await keepRetiredPlan(tx, entry)
  return (await planOf(tx, priceId)) ?? null
}

const planOf = (tx: Queryable, priceId: string) =>
  tx.selectFrom('plans').selectAll().where('price_id', '=', priceId).executeTakeFirst()
