import { sql } from 'kysely'
import { allBucketIds, enterBucketNumber } from '../../../db/buckets.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { percentile } from '../../metering/latency.ts'

/** The newest cohorts still change: a payment counts for 30 days. */
const OPEN_DAYS = 31
const TOP = 10

/** Counts new and active customers of the last days, the funnel of those who signed up, and the top customers. Safe to repeat. */
export async function foldCustomers(db: Database): Promise<void> {
  await db.kysely.transaction().execute(async (tx) => {
    const { rows } = await sql<{ mine: boolean; today: string }>`
      select pg_try_advisory_xact_lock(hashtext('operator_folds'), 2) as mine, (app_now() at time zone 'UTC')::date::text as today`.execute(
      tx,
    )
    if (!rows[0]?.mine) return
    const { today } = rows[0]
    await countCohorts(tx, today)
    await countActive(tx, today)
    await rankTop(tx, today)
    await rankTools(tx)
  })
}

async function countCohorts(tx: Queryable, today: string): Promise<void> {
  const days = new Map<string, { signed_up: number; called: number; paid: number }>()
  for (const bucket of await allBucketIds(tx)) {
    await enterBucketNumber(tx, bucket)
    const { rows } = await sql<{ day: string; signed_up: number; called: number; paid: number }>`
      with made as materialized (
        select id, created_at from accounts where bucket = ${bucket} and created_at >= (${today}::date - ${OPEN_DAYS}::int)::timestamp at time zone 'UTC'
      ), callers as materialized (
        select h.account_id, min(h.hour) as hour from usage_by_hour h where h.account_id in (select id from made) and h.success > 0 group by 1
      )
      select (created_at at time zone 'UTC')::date::text as day, count(*) as signed_up,
        count(*) filter (where c.hour <= created_at + interval '24 hours') as called,
        count(*) filter (where exists (select from money_ledger m where m.account_id = made.id and m.cause = 'payment' and m.cents > 0
          and m.at <= created_at + interval '30 days')) as paid
      from made left join callers c on c.account_id = made.id group by 1`.execute(tx)
    for (const { day, ...counts } of rows) {
      const sum = days.get(day) ?? { signed_up: 0, called: 0, paid: 0 }
      days.set(day, {
        signed_up: sum.signed_up + counts.signed_up,
        called: sum.called + counts.called,
        paid: sum.paid + counts.paid,
      })
    }
  }
  for (const [day, counts] of days)
    await tx
      .insertInto('operator_customers')
      .values({ day, ...counts })
      .onConflict((conflict) => conflict.column('day').doUpdateSet(counts))
      .execute()
}

async function countActive(tx: Queryable, today: string): Promise<void> {
  // Yesterday, too: its last calls may have been added since.
  for (const back of [1, 0])
    await sql`
      insert into operator_customers (day, active, active_30)
      select ${today}::date - ${back}::int, count(distinct account_id) filter (where day = ${today}::date - ${back}::int), count(distinct account_id)
      from operator_accounts where charged > 0 and day > ${today}::date - ${back}::int - 30 and day <= ${today}::date - ${back}::int
      on conflict (day) do update set active = excluded.active, active_30 = excluded.active_30`.execute(tx)
}

async function rankTop(tx: Queryable, today: string): Promise<void> {
  await tx.deleteFrom('operator_top').execute()
  await sql`
    insert into operator_top (place, account_id, calls, failed, credits)
    select row_number() over (order by sum(credits + payg) desc, account_id), account_id, sum(success + failed), sum(failed), sum(credits + payg)
    from operator_accounts where day > ${today}::date - 7 group by account_id order by sum(credits + payg) desc, account_id limit ${TOP}`.execute(
    tx,
  )
}

async function rankTools(tx: Queryable): Promise<void> {
  const { rows } = await sql<{ tool_id: number; bucket: number; calls: number; failed: number; credits: number }>`
    with recent as materialized (
      select tool_id, bucket, sum(success + failed)::bigint as calls, sum(failed)::bigint as failed, sum(credits + payg)::bigint as credits
      from operator_tools where hour >= date_trunc('hour', (select app_now()), 'UTC') - interval '23 hours' group by 1, 2
    ), most as (
      select tool_id from recent group by 1 order by sum(calls) desc, 1 limit ${TOP}
    )
    select r.* from most join recent r using (tool_id)`.execute(tx)
  const tools = new Map<number, { calls: number; failed: number; credits: number; histogram: Map<number, number> }>()
  for (const { tool_id, bucket, calls, failed, credits } of rows) {
    const tool = tools.get(tool_id) ?? { calls: 0, failed: 0, credits: 0, histogram: new Map() }
    tool.calls += calls
    tool.failed += failed
    tool.credits += credits
    tool.histogram.set(bucket, calls)
    tools.set(tool_id, tool)
  }
  const ranked = [...tools]
    .sort(([a, one], [b, other]) => other.calls - one.calls || a - b)
    .map(([tool_id, { histogram, ...tool }], index) => ({
      place: index + 1,
      tool_id,
      ...tool,
      p95_ms: percentile(histogram, 0.95) ?? 0,
    }))
  await tx.deleteFrom('operator_top_tools').execute()
  if (ranked.length > 0) await tx.insertInto('operator_top_tools').values(ranked).execute()
}
