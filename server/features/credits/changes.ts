import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/**
 * Credits added and removed by grants, refunds and expiry on each of the last `days` UTC days, today included, without
 * spending. Days without a change are absent.
 */
export async function creditChangesByDay(
  db: Queryable,
  accountId: number,
  days: number,
): Promise<{ date: string; change: number }[]> {
  const { rows } = await sql<{ date: string; change: number }>`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, sum(delta)::bigint as change
    from credit_ledger
    where account_id = ${accountId} and kind <> 'debit'
      and at >= date_trunc('day', (select app_now()), 'UTC') - ${days - 1}::int * interval '24 hours'
    group by 1`.execute(db)
  return rows
}
