import type { Selectable } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Plans } from '../../db/schema.gen.ts'
import type { Applying } from './applying.ts'
import { keepRetiredPlan } from './publish-plans.ts'
import { fetchPlan } from './stripe/catalogue.ts'

/** The plan that a price stands for, brought from Stripe if it is not offered here; null for a price that never recurs. */
export async function ensurePlan({ tx, stripe }: Applying, priceId: string): Promise<Selectable<Plans> | null> {
  const known = await planOf(tx, priceId)
  if (known) return known
  const entry = await fetchPlan(stripe, priceId)
  if (!entry) return null
  await keepRetiredPlan(tx, entry)
  return (await planOf(tx, priceId)) ?? null
}

const planOf = (tx: Queryable, priceId: string) =>
  tx.selectFrom('plans').selectAll().where('price_id', '=', priceId).executeTakeFirst()
