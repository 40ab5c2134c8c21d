import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** Credits that calls have cost since a time. The partial first hour is summed call by call. */
export async function usedSince(db: Queryable, accountId: number, since: Date): Promise<number> {
  const { rows } = await sql<{ used: number }>`
    select (coalesce((select sum(from_credits) from usage_by_hour
        where account_id = ${accountId} and hour >= date_trunc('hour', ${since}::timestamptz, 'UTC') + interval '1 hour'), 0)
      + coalesce((select sum(from_credits) from usage_events
        where account_id = ${accountId} and at >= ${since} and at < date_trunc('hour', ${since}::timestamptz, 'UTC') + interval '1 hour'), 0)
      )::bigint as used`.execute(db)
  return rows[0]?.used ?? 0
}
