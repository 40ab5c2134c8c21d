import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { readMeter } from '../stripe/usage.ts'

interface Day {
  account_id: number
  customer_id: string
  from: Date
  to: Date
  units: number
}

/**
 * Compares the usage that we sent with Stripe's meter, per account and closed day of the last week. Returns one line
 * per difference.
 */
export async function compareMeter({ db, stripe }: Pick<Deps, 'db' | 'stripe'>): Promise<string[]> {
  if (!stripe) return []
  const { rows } = await sql<Day>`
    select account_id, customer_id, day as "from", day + interval '24 hours' as "to", sum(units)::bigint as units from (
      select account_id, customer_id, date_trunc('day', at, 'UTC') as day, units from payg_hours where sent_at is not null) h
    where day > app_now() - interval '8 days' and day < date_trunc('day', app_now(), 'UTC') group by 1, 2, 3 order by 3, 1`.execute(
    db.kysely,
  )
  const differences: string[] = []
  for (const { account_id, customer_id: customerId, from, to, units } of rows) {
    const counted = await readMeter(stripe, { customerId, from, to })
    if (counted !== null && counted !== units)
      differences.push(
        `account ${account_id}, ${from.toISOString().slice(0, 10)}: sent ${units}, Stripe counted ${counted}`,
      )
  }
  return differences
}
