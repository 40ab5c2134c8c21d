import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/**
 * Pay-as-you-go units of an account in hours starting in [from, to). An hour starts no earlier than `since`, the start
 * of the subscription: its partial first hour belongs to it.
 */
export async function sumPaygUnits(
  db: Queryable,
  accountId: number,
  { since, from, to }: { since: Date; from: Date; to: Date },
): Promise<number> {
  const { rows } = await sql<{ units: number }>`
    select coalesce(sum(from_payg), 0)::bigint as units from usage_by_hour
    where account_id = ${accountId} and hour >= date_trunc('hour', ${since}::timestamptz, 'UTC')
      and greatest(hour, ${since}) >= ${from} and greatest(hour, ${since}) < ${to}`.execute(db)
  return rows[0]?.units ?? 0
}
