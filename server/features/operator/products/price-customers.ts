import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { soldCurrencies } from '../../billing/account-currency.ts'

/** The customers of a price. */
export interface PriceCustomers {
  /** Active, or late with a payment for less than seven days. */
  subscribers: number
  /** Of them, those in a trial. */
  trials: number
  /** Without those in a trial, by currency. */
  paying: Record<string, number>
}

/** From so many on, counting takes longer than a page may. */
const MANY = 50_000
const REMEMBERED_MS = 30_000
const remembered = new WeakMap<Database, { at: number; found: Map<string, PriceCustomers> }>()

/**
 * Customers by price id, of every price that has any. With more than 50,000 customers they are counted at most every 30 seconds in
 * each process. The index of migration 0030 has all that is read while one currency is sold.
 */
export async function priceCustomers(db: Database): Promise<ReadonlyMap<string, PriceCustomers>> {
  const known = remembered.get(db)
  if (known && performance.now() - known.at < REMEMBERED_MS) return known.found
  const currency = (await soldCurrencies(db.kysely)).length > 1 ? sql`s.currency` : sql`null::text`
  const { rows } = await sql<PriceCustomers & { price_id: string }>`
    with counted as (
    select price_id, ${currency} as currency, count(*)::int as subscribers, count(*) filter (where provider_status = 'trialing')::int as trials
    from subscriptions s
    where status in ('active', 'past_due')
      and (status = 'active' or coalesce(past_due_since, (select app_now())) > (select app_now()) - interval '7 days')
    group by 1, 2)
    select price_id, sum(subscribers)::int as subscribers, sum(trials)::int as trials,
      jsonb_object_agg(currency, paying) as paying
    from (select c.price_id, coalesce(c.currency, p.currency) as currency, sum(subscribers) as subscribers, sum(trials) as trials,
        sum(subscribers - trials) as paying from counted c join plans p using (price_id) group by 1, 2) c
    group by 1`.execute(db.kysely)
  const found = new Map(rows.map(({ price_id, ...customers }) => [price_id, customers]))
  const total = rows.reduce((sum, { subscribers }) => sum + subscribers, 0)
  if (total > MANY) remembered.set(db, { at: performance.now(), found })
  return found
}
