import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** The customers of a price. */
export interface PriceCustomers {
  /** Active, or late with a payment for less than seven days. */
  subscribers: number
  /** Of them, those in a trial. */
  trials: number
}

/** Customers by price id, of every price that has any. The index of migration 0030 has all that it reads. */
export async function priceCustomers(db: Queryable): Promise<Map<string, PriceCustomers>> {
  const { rows } = await sql<PriceCustomers & { price_id: string }>`
    select price_id, count(*)::int as subscribers, count(*) filter (where provider_status = 'trialing')::int as trials
    from subscriptions
    where status in ('active', 'past_due')
      and (status = 'active' or coalesce(past_due_since, (select app_now())) > (select app_now()) - interval '7 days')
    group by price_id`.execute(db)
  return new Map(rows.map(({ price_id, ...customers }) => [price_id, customers]))
}
