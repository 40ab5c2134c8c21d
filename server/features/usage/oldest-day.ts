import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { CallFilter } from './receipt-filter.ts'

/**
 * Finds a day, from the daily sums, that is early enough for a page to start after it: since that day, enough calls
 * match the filter, or as many as a page scans. Only partitions since that day are read, however old or busy the
 * account is. The page's start day may be partial and is not counted. `start`: null is now.
 */
export async function oldestDayNeeded(
  db: Queryable,
  accountId: number,
  of: { limit: number; scan: number; start: RawBuilder<Date> | null; filter: CallFilter },
): Promise<Date> {
  const { keyId, toolId, success, to } = of.filter
  const begin = of.start ?? (to === null ? sql`(select app_now())` : sql`least((select app_now()), ${to}::timestamptz)`)
  const matching =
    toolId !== null
      ? sql`0`
      : sql`sum(${success === null ? sql`success + failed` : success ? sql`success` : sql`failed`})
          filter (where ${keyId === null ? sql`true` : sql`key_id = ${keyId}`})`
  const { rows } = await sql<{ start: Date }>`
    select coalesce(min(day) filter (where newer <= ${of.limit} and scanned <= ${of.scan}), (${begin} at time zone 'UTC')::date - 1)::timestamp
      at time zone 'UTC' as start
    from (select day, sum(calls) over newest - calls as newer, sum(rows) over newest - rows as scanned
          from (select day, coalesce(${matching}, 0) as calls, sum(success + failed) as rows from usage_by_day
                where account_id = ${accountId} and day < (${begin} at time zone 'UTC')::date group by day) d
          window newest as (order by day desc)) days`.execute(db)
  return rows[0]!.start
}
