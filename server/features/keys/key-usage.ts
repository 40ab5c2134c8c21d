import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export interface KeyUsage {
  /** Successful calls since the key was created. */
  usageCount: number
  lastUsedAt: Date
}

/** Usage of each key of an account, by key id. Keys without calls are absent. Read from sums, not from call rows. */
export async function keyUsage(db: Queryable, accountId: number): Promise<Map<number, KeyUsage>> {
  const rows = await db
    .selectFrom('usage_by_day')
    .select(['key_id', sql<number>`sum(success)::bigint`.as('usage_count'), sql<Date>`max(last_at)`.as('last_used_at')])
    .where('account_id', '=', accountId)
    .where('key_id', '<>', 0)
    .groupBy('key_id')
    .having(sql<boolean>`max(last_at) is not null`)
    .execute()
  return new Map(rows.map((row) => [row.key_id!, { usageCount: row.usage_count, lastUsedAt: row.last_used_at }]))
}
