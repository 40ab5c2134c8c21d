import { sql } from 'kysely'
import { allBucketIds, enterBucketNumber } from '../../../db/buckets.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { closedUntil } from './closed-until.ts'
import { foldedUntil } from './folded-until.ts'

const DAY_MS = 86_400_000
const TOOLS_KEPT_DAYS = 100
const ACCOUNTS_KEPT_DAYS = 40

/** Adds the calls since the last run to the sums by tool and by account: each row is read once, at most a UTC day in one transaction. */
export async function foldCalls(db: Database): Promise<void> {
  const until = await closedUntil(db)
  for (;;) {
    const reached = await db.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((tx) => foldPart(tx, until))
    if (reached === null || reached >= until) return
  }
}

async function foldPart(tx: Queryable, closed: Date): Promise<Date | null> {
  const { rows: lock } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('operator_folds'), 1) as mine`.execute(tx)
  if (!lock[0]?.mine) return null
  // Where there are calls already when the figures begin, they begin a day earlier.
  const from = (await foldedUntil(tx, 'calls')) ?? new Date(closed.getTime() - DAY_MS)
  if (from >= closed) return from
  const startMs = Math.floor(from.getTime() / DAY_MS) * DAY_MS
  const until = new Date(Math.min(startMs + DAY_MS, closed.getTime()))
  const day = new Date(startMs).toISOString().slice(0, 10)
  for (const bucket of await allBucketIds(tx)) {
    await enterBucketNumber(tx, bucket)
    await addCalls(tx, bucket, { from, until, day })
  }
  await sql`delete from operator_tools where hour < ${until}::timestamptz - ${TOOLS_KEPT_DAYS}::int * interval '24 hours'`.execute(
    tx,
  )
  await sql`delete from operator_accounts where day < ${day}::date - ${ACCOUNTS_KEPT_DAYS}::int`.execute(tx)
  // The day on which the figures begin is no whole one.
  if (from.getTime() === startMs)
    await sql`insert into tool_days (day) values (${day}) on conflict do nothing`.execute(tx)
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
  { from, until, day }: { from: Date; until: Date; day: string },
): Promise<void> {
  await sql`
    create temporary table figures_calls on commit drop as
    with calls as materialized (
      select date_trunc('hour', at, 'UTC') as hour, account_id, tool_id, latency_bucket(duration_ms) as bucket,
        count(*) filter (where success) as success, count(*) filter (where not success) as failed, sum(from_credits) as credits,
        sum(from_payg) as payg, count(*) filter (where from_credits + from_payg > 0) as charged
      from usage_events where at >= ${from} and at < ${until} group by 1, 2, 3, 4
    )
    select calls.* from calls join accounts a on a.id = calls.account_id where a.bucket = ${bucket}`.execute(tx)
  await sql`
    insert into operator_tools as t (hour, tool_id, bucket, success, failed, credits, payg)
    select hour, tool_id, bucket, sum(success), sum(failed), sum(credits), sum(payg) from figures_calls group by 1, 2, 3
    on conflict (hour, tool_id, bucket) do update set success = t.success + excluded.success, failed = t.failed + excluded.failed,
      credits = t.credits + excluded.credits, payg = t.payg + excluded.payg`.execute(tx)
  await sql`
    insert into operator_accounts as t (day, account_id, success, failed, credits, payg, charged)
    select ${day}::date, account_id, sum(success), sum(failed), sum(credits), sum(payg), sum(charged) from figures_calls group by 2
    on conflict (day, account_id) do update set success = t.success + excluded.success, failed = t.failed + excluded.failed,
      credits = t.credits + excluded.credits, payg = t.payg + excluded.payg, charged = t.charged + excluded.charged`.execute(
    tx,
  )
  // For the simulator. Who has an unlimited plan pays for no call at any price.
  await sql`
    insert into tool_months as m (month, account_id, tool_id, calls, charged, credits)
    select date_trunc('month', ${day}::date)::date, account_id, tool_id, sum(success), sum(charged), sum(credits + f.payg)
    from figures_calls f join credit_accounts c using (account_id) where not c.unlimited group by 2, 3 having sum(success) > 0
    on conflict (month, account_id, tool_id) do update set calls = m.calls + excluded.calls,
      charged = m.charged + excluded.charged, credits = m.credits + excluded.credits`.execute(tx)
  await sql`drop table figures_calls`.execute(tx)
  // The next run, and the search for a receipt, then read only the pages of their time.
  await sql`
    select brin_summarize_new_values(i.indexrelid) from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
    where i.indrelid = to_regclass(${`usage_events_${day.replaceAll('-', '')}`}) and m.amname = 'brin'`.execute(tx)
}
