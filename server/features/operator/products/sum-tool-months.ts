import { sql } from 'kysely'
import { enterAllBuckets } from '../../../db/buckets.ts'
import type { Database, Queryable } from '../../../db/database.ts'

/**
 * Adds the calls of each day that has ended to the sums of its month, by account and tool: since the last full month began, each
 * day once. A day is ready six hours after its end, when no charge of it can be taken back any more. Days that were archived before
 * are left out. Safe on several instances and at any time. Returns how many days were added.
 */
export async function sumToolMonths(db: Database): Promise<number> {
  const { rows } = await sql<{ day: string }>`
    select day::date::text as day from generate_series(
      (date_trunc('month', app_now() at time zone 'UTC') - interval '1 month'),
      (app_now() at time zone 'UTC') - interval '30 hours', interval '1 day') day
    where not exists (select from tool_days t where t.day = day::date) order by 1`.execute(db.kysely)
  let added = 0
  for (const { day } of rows) added += await db.kysely.transaction().execute((tx) => sumDay(tx, day))
  return added
}

async function sumDay(tx: Queryable, day: string): Promise<number> {
  await enterAllBuckets(tx)
  const archived = await sql`select from usage_archives where day = ${day}::date limit 1`.execute(tx)
  if (archived.rows.length > 0) return 0
  const taken = await sql`insert into tool_days (day) values (${day}::date) on conflict do nothing`.execute(tx)
  if (taken.numAffectedRows === 0n) return 0
  // Who has an unlimited plan pays for no call at any price.
  await sql`
    insert into tool_months as m (month, account_id, tool_id, calls, charged, credits)
    select date_trunc('month', ${day}::date)::date, e.account_id, e.tool_id, count(*),
      count(*) filter (where e.from_credits + e.from_payg > 0), sum(e.from_credits + e.from_payg)
    from usage_events e join credit_accounts c using (account_id)
    where e.at >= ${day}::timestamp at time zone 'UTC' and e.at < (${day}::date + 1)::timestamp at time zone 'UTC'
      and e.success and not c.unlimited
    group by e.account_id, e.tool_id
    on conflict (month, account_id, tool_id) do update set calls = m.calls + excluded.calls,
      charged = m.charged + excluded.charged, credits = m.credits + excluded.credits`.execute(tx)
  return 1
}
