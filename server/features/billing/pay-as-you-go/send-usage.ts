import { sql } from 'kysely'
import { eachBucket } from '../../../db/buckets.ts'
import type { Database } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { sendUsage } from '../stripe/usage.ts'

/** Calls that ended in an hour may be written after it; the meter gives up on them long before this. */
const CLOSED = sql`interval '1 hour 1 minute'`
/** Stripe accepts usage of the last 35 days. */
const FURTHEST = sql`interval '34 days'`

interface Hour {
  account_id: number
  account: string
  hour: Date
  at: Date
  units: number
  customer_id: string
}

/**
 * Reports the pay-as-you-go units of closed hours to Stripe's meter, once per account and hour. What cannot be sent
 * waits for the next run. Returns how many hours were sent.
 */
export async function sendPaygUsage({ db, log, stripe }: Pick<Deps, 'db' | 'log' | 'stripe'>): Promise<number> {
  if (!stripe) return 0
  await eachBucket(db, closeHours)
  const { rows } = await sql<Hour>`
    select h.account_id, a.public_id as account, h.hour, h.at, h.units, h.customer_id
    from payg_hours h join accounts a on a.id = h.account_id where h.sent_at is null order by h.hour, h.account_id`.execute(
    db.kysely,
  )
  let sent = 0
  for (const { account_id, account, hour, at, units, customer_id: customerId } of rows) {
    try {
      await sendUsage(stripe, { customerId, identifier: `${account}:${hour.toISOString()}`, units, at })
    } catch (error) {
      log.error({ account: account_id, error: (error as Error).message }, 'could not send usage to Stripe')
      continue
    }
    await db.kysely
      .updateTable('payg_hours')
      .set({ sent_at: sql`app_now()` })
      .where('account_id', '=', account_id)
      .where('hour', '=', hour)
      .execute()
    sent++
  }
  return sent
}

/**
 * An hour belongs to the subscription that was active in it. The partial first hour counts from the subscription's
 * start.
 */
async function closeHours(db: Database, bucket: number): Promise<void> {
  await sql`
    with u as materialized (
      select account_id, hour, sum(from_payg) as units from usage_by_hour
      where from_payg > 0 and hour <= app_now() - ${CLOSED} and hour > app_now() - ${FURTHEST} group by 1, 2
    )
    insert into payg_hours (account_id, hour, units, customer_id, at)
    select u.account_id, u.hour, u.units, b.id, greatest(u.hour, s.anchor_at)
    from u
    join accounts a on a.id = u.account_id and a.bucket = ${bucket}
    join billing_customers b using (account_id)
    cross join lateral (
      select anchor_at from subscriptions s join plans p using (price_id)
      where s.account_id = u.account_id and s.source = 'stripe' and p.metadata ->> 'type' = 'payg'
        and s.anchor_at < u.hour + interval '1 hour' order by s.anchor_at desc limit 1) s
    on conflict do nothing`.execute(db.kysely)
}
