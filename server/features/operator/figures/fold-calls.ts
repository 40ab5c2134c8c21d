import { sql } from 'kysely'
import { allBucketIds, enterBucketNumber } from '../../../db/buckets.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { closedUntil } from './closed-until.ts'
import { foldedUntil } from './folded-until.ts'

const HOUR_MS = 3_600_000
const TOOLS_KEPT_DAYS = 100
const ACCOUNTS_KEPT_DAYS = 40

/** Adds the calls since the last run to the sums by tool and by account: each row is read once, an hour in one transaction. */
export async function foldCalls(db: Database): Promise<void> {
  const until = await closedUntil(db)
  for (;;) {
    const reached = await db.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((tx) => foldHour(tx, until))
    if (reached === null || reached >= until) return
  }
}

async function foldHour(tx: Queryable, closed: Date): Promise<Date | null> {
  const { rows: lock } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('operator_folds'), 1) as mine`.execute(tx)
  if (!lock[0]?.mine) return null
  // Where there are calls already when the figures begin, they begin a day earlier.
  const from = (await foldedUntil(tx, 'calls')) ?? new Date(closed.getTime() - 24 * HOUR_MS)
  if (from >= closed) return from
  const until = new Date(Math.min((Math.floor(from.getTime() / HOUR_MS) + 1) * HOUR_MS, closed.getTime()))
  const hour = new Date(Math.floor(from.getTime() / HOUR_MS) * HOUR_MS)
  for (const bucket of await allBucketIds(tx)) {
    await enterBucketNumber(tx, bucket)
    await addCalls(tx, bucket, { from, until, hour })
  }
  await sql`delete from operator_tools where hour < ${hour}::timestamptz - ${TOOLS_KEPT_DAYS}::int * interval '24 hours'`.execute(
    tx,
  )
  await sql`delete from operator_accounts where day < (${hour}::timestamptz at time zone 'UTC')::date - ${ACCOUNTS_KEPT_DAYS}::int`.execute(
    tx,
  )
  await tx
    .insertInto('operator_folds')
    .values({ name: 'calls', until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ until }))
    .execute()
  return until
}

async function addCalls(
  tx: Queryable,
  bucket: number,
  { from, until, hour }: { from: Date; until: Date; hour: Date },
): Promise<void> {
  await sql`
    create temporary table figures_calls on commit drop as
    with calls as materialized (
      select account_id, tool_id, latency_bucket(duration_ms) as bucket, count(*) filter (where success) as success,
        count(*) filter (where not success) as failed, sum(from_credits) as credits, sum(from_payg) as payg,
        count(*) filter (where from_credits + from_payg > 0) as charged
      from usage_events where at >= ${from} and at < ${until} group by 1, 2, 3
    )
    select calls.* from calls join accounts a on a.id = calls.account_id where a.bucket = ${bucket}`.execute(tx)
  await sql`
    insert into operator_tools as t (hour, tool_id, bucket, success, failed, credits, payg)
    select ${hour}::timestamptz, tool_id, bucket, sum(success), sum(failed), sum(credits), sum(payg) from figures_calls group by 2, 3
    on conflict (hour, tool_id, bucket) do update set success = t.success + excluded.success, failed = t.failed + excluded.failed,
      credits = t.credits + excluded.credits, payg = t.payg + excluded.payg`.execute(tx)
  await sql`
    insert into operator_accounts as t (day, account_id, success, failed, credits, payg, charged)
    select (${hour}::timestamptz at time zone 'UTC')::date, account_id, sum(success), sum(failed), sum(credits), sum(payg), sum(charged) from figures_calls group by 2
    on conflict (day, account_id) do update set success = t.success + excluded.success, failed = t.failed + excluded.failed,
      credits = t.credits + excluded.credits, payg = t.payg + excluded.payg, charged = t.charged + excluded.charged`.execute(
    tx,
  )
  await sql`drop table figures_calls`.execute(tx)
}
