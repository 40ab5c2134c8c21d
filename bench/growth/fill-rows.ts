import type { Database } from '../../server/db/database.ts'
import { settleAccounts } from '../../server/features/credits/settle.ts'
import { rollUsage } from '../../server/features/metering/fold.ts'

const DAYS = 50
/** Calls of one commit, and how long its result is kept. */
const BATCH = 10
const BATCHES_KEPT = '6 hours'

/**
 * Adds at least `rows` calls of the last 50 days by all keys in turn, for 1 credit each, with everything else that such calls would have
 * written: results of batches, sums, histograms and burned credits. Returns how many calls it added.
 */
export async function fillRows(
  db: Database,
  { rows, toolId, say }: { rows: number; toolId: number; say: (line: string) => void },
): Promise<number> {
  const days = Math.min(DAYS, rows)
  let filled = 0
  for (let ago = days - 1; ago >= 0; ago--) {
    filled += await fillDay(db, { ago, rows: Math.ceil(rows / days), toolId })
    if (rows > 1_000_000 && ago % 10 === 0) say(`${filled.toLocaleString('en-US')} rows`)
  }
  await db.pool.query(
    `insert into meter_batches (id, at, balances)
     select distinct batch, at, (select array_agg(balance order by account_id) from credit_accounts)
     from usage_events where at > app_now() - interval '${BATCHES_KEPT}'`,
  )
  await db.pool.query(
    `update credit_accounts a set balance = balance - charged, unsettled = unsettled + charged
     from (select account_id, sum(from_credits) as charged from usage_open group by 1) c where c.account_id = a.account_id`,
  )
  await rollUsage(db)
  await settleAccounts(db)
  return filled
}

/** In the order of time, as the meter writes them; up to now. */
async function fillDay(db: Database, day: { ago: number; rows: number; toolId: number }): Promise<number> {
  const client = await db.pool.connect()
  try {
    // One transaction: a server without replicas then writes the new partition without logging it.
    await client.query('begin')
    const { rows: made } = await client.query<{ start: string }>(
      `select start, usage_partition_create((start at time zone 'UTC')::date)
       from (select date_trunc('day', app_now(), 'UTC') - $1::int * interval '24 hours' as start) d`,
      [day.ago],
    )
    const { start } = made[0]!
    const inserted = await client.query(
      `with keys as materialized (select array_agg(account_id order by id) as accounts, array_agg(id order by id) as ids from api_keys)
       insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success, units)
       select accounts[1 + i % cardinality(ids)], at, ids[1 + i % cardinality(ids)], batch, 1 + i % ${BATCH}, $3, 1 + floor(random() * 20)::int, 1, 0, true, 0
       from keys, (select b, gen_random_uuid() as batch,
           $1::timestamptz + (b + 1) * (least($1::timestamptz + interval '24 hours', app_now()) - $1::timestamptz) / (($2 - 1) / ${BATCH} + 2) as at
         from generate_series(0, ($2 - 1) / ${BATCH}) b offset 0) made,
         lateral generate_series(b * ${BATCH}, least((b + 1) * ${BATCH}, $2) - 1) i`,
      [start, day.rows, day.toolId],
    )
    await client.query(
      `insert into usage_open (account_id, key_id, hour, bucket, success, failed, refused, from_credits, from_payg, last_at)
       select account_id, key_id, date_trunc('hour', at, 'UTC'), latency_bucket(duration_ms), count(*), 0, 0, sum(from_credits), 0, max(at)
       from usage_events where at >= $1::timestamptz and at < $1::timestamptz + interval '24 hours' group by 1, 2, 3, 4`,
      [start],
    )
    await client.query(
      `insert into usage_totals (hour, success, failed, refused, from_credits, from_payg)
       select hour, sum(success), 0, 0, sum(from_credits), 0 from usage_open where hour >= $1::timestamptz group by 1`,
      [start],
    )
    await client.query('commit')
    return inserted.rowCount!
  } finally {
    client.release()
  }
}
