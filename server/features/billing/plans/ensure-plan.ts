import type { Selectable } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Plans } from '../../../db/schema.gen.ts'
import type { EventContext } from '../events/event-context.ts'
import { fetchPlan } from '../stripe/catalog.ts'
import { keepRetiredPlan } from './publish-plans.ts'

/** The plan of a price, copied from Stripe if it is not offered here; null for a one-time price. */
export async function ensurePlan({ tx, stripe }: EventContext, priceId: string): Promise<Selectable<Plans> | null> {
  const known = await planOf(tx, priceId)
  if (known) return known
  const entry = await fetchPlan(stripe, priceId)
  if (!entry) return null
  await keepRetiredPlan(tx, entry)
  return (await planOf(tx, priceId)) ?? null
}

const planOf = (tx: Queryable, priceId: string) =>
  tx.selectFrom('plans').selectAll().where('price_id', '=', priceId).executeTakeFirst()
