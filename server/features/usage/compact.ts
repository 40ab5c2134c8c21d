import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

const HOURS_KEPT_DAYS = 35
const REPORTS_KEPT_DAYS = 400

/**
 * Merges hourly sums older than 35 days into daily ones (at the day's first hour), so that the table stays small
 * however long a key lives; no sum changes. Deletes client reports older than 400 days. Run it daily.
 */
export async function compactUsage(db: Database): Promise<{ mergedHours: number; deletedReports: number }> {
  const { rows } = await sql<{ merged: number }>`
    with old as (
      delete from usage_hourly
      where hour < date_trunc('day', (select app_now()), 'UTC') - ${HOURS_KEPT_DAYS}::int * interval '1 day'
        and hour <> date_trunc('day', hour, 'UTC')
      returning *
    ), merged as (
      insert into usage_hourly as h (account_id, key_id, hour, success, failed, from_credits, from_payg, last_at)
      select account_id, key_id, date_trunc('day', hour, 'UTC'), sum(success), sum(failed), sum(from_credits), sum(from_payg), max(last_at)
      from old group by 1, 2, 3
      on conflict (account_id, key_id, hour) do update set success = h.success + excluded.success, failed = h.failed + excluded.failed,
        from_credits = h.from_credits + excluded.from_credits, from_payg = h.from_payg + excluded.from_payg,
        last_at = greatest(h.last_at, excluded.last_at)
    )
    select count(*)::int as merged from old`.execute(db.kysely)
  const { numDeletedRows } = await db.kysely
    .deleteFrom('usage_reports')
    .where('at', '<', sql<Date>`(select app_now()) - ${REPORTS_KEPT_DAYS}::int * interval '1 day'`)
    .executeTakeFirstOrThrow()
  return { mergedHours: rows[0]?.merged ?? 0, deletedReports: Number(numDeletedRows) }
}
