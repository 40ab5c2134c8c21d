import type { Database } from '../db/database.ts'
import { insertAccount, insertKey } from './factories.ts'

export interface UsageRows {
  /** The account that makes one of every `busyEvery` calls, and its keys. */
  busy: number
  busyKeys: { id: number; publicId: string }[]
  /** One of the accounts that share the remaining calls. */
  quiet: number
}

const KEYS = 12
const OTHERS = 100

/**
 * Fills the usage tables with `rows` calls over the last `days` UTC days, spread evenly, and with the sums that folds
 * and the hourly job would have produced. One call in 50 has failed; durations are skewed as in real traffic.
 * `toolIds`: the tools called.
 */
export async function fillUsage(
  db: Database,
  {
    rows,
    days,
    busyEvery,
    toolIds,
    say = () => {},
  }: { rows: number; days: number; busyEvery: number; toolIds: number[]; say?: (line: string) => void },
): Promise<UsageRows> {
  const busy = await insertAccount(db, 'Busy', 0)
  const busyKeys = []
  for (let i = 0; i < KEYS; i++) busyKeys.push(await insertKey(db, busy))
  const others = await Promise.all(
    Array.from({ length: OTHERS }, async (_, i) => {
      const accountId = await insertAccount(db, `Other ${i}`, 0)
      return { accountId, keyId: (await insertKey(db, accountId)).id }
    }),
  )
  const perDay = Math.ceil(rows / days)
  const client = await db.of(0).pool.connect()
  for (let ago = days - 1; ago >= 0; ago--) {
    // One transaction: a server without replicas then writes the new partition without logging it.
    await client.query('begin')
    const { rows: day } = await client.query(
      `select day::text, to_char(day, 'YYYYMMDD') as name, usage_partition_create(day) from (select (app_now() at time zone 'UTC')::date - $1::int as day) d`,
      [ago],
    )
    // Inserted directly into the day's partition in time order, as normal commits would leave it.
    await client.query(
      `insert into usage_events_${day[0].name} (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
       select case when i % $9::int = 0 then $1::bigint else ($2::bigint[])[1 + i / $9::int % ${OTHERS}] end,
         start + i * (least(start + interval '24 hours', app_now()) - start) / ($6 + 1),
         case when i % $9::int = 0 then ($3::bigint[])[1 + i / $9::int % ${KEYS}] else ($4::bigint[])[1 + i / $9::int % ${OTHERS}] end,
         ('00000000-0000-4000-8000-' || lpad(to_hex($8::bigint * 100000000 + i / 30), 12, '0'))::uuid, 1 + i % 30,
         ($7::smallint[])[1 + i / 7 % cardinality($7::smallint[])],
         (2 * exp(2.2 * (random() + random() + random() - 1.5)))::int, case when i % 50 = 0 then 0 else 1 end, 0, i % 50 <> 0
       from generate_series(1, $6::int) i, lateral (select $5::date::timestamp at time zone 'UTC' as start) d`,
      [
        busy,
        others.map(({ accountId }) => accountId),
        busyKeys.map(({ id }) => id),
        others.map(({ keyId }) => keyId),
        day[0].day,
        perDay,
        toolIds,
        ago,
        busyEvery,
      ],
    )
    await client.query(`
      insert into usage_open
      select account_id, key_id, date_trunc('hour', at, 'UTC'), latency_bucket(duration_ms), count(*) filter (where success),
        count(*) filter (where not success), 0, sum(from_credits), sum(from_payg), max(at)
      from usage_events_${day[0].name} group by 1, 2, 3, 4`)
    await client.query('commit')
    if (ago % 30 === 0) say(`${((days - ago) * perDay).toLocaleString('en-US')} rows`)
  }
  client.release()
  await rollAll(db)
  return { busy, busyKeys, quiet: others[0]!.accountId }
}

/** Does the work of `usage_roll` in one pass into empty tables; the query-plan test checks I4. */
async function rollAll(db: Database): Promise<void> {
  await db.of(0).pool.query(`
    begin;
    create temp table closed on commit drop as
      select *, (hour at time zone 'UTC')::date as day from usage_open where hour < date_trunc('hour', app_now(), 'UTC');
    create temp table still_open on commit drop as select * from usage_open where hour >= date_trunc('hour', app_now(), 'UTC');
    truncate usage_open;
    insert into usage_open select * from still_open;
    insert into usage_hourly
      select account_id, key_id, hour, sum(success), sum(failed), 0, sum(from_credits), sum(from_payg) from closed group by 1, 2, 3;
    insert into usage_daily
      select account_id, key_id, day, sum(success), sum(failed), 0, sum(from_credits), sum(from_payg), max(last_at) from closed group by 1, 2, 3;
    insert into usage_latency
      select account_id, k, false, day::timestamp at time zone 'UTC', bucket, sum(success + failed) from closed, unnest(array[key_id, -1]) k group by 1, 2, 4, 5
      union all
      select account_id, k, true, hour, bucket, sum(success + failed) from closed, unnest(array[key_id, -1]) k
      where hour >= date_trunc('day', app_now(), 'UTC') - interval '3 days' group by 1, 2, 4, 5;
    commit`)
  await db.of(0).pool.query('analyze usage_hourly, usage_daily, usage_latency, usage_open, usage_events')
}
