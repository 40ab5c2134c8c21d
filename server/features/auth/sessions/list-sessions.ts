import { sql } from 'kysely'
import type { AccountSession } from '#contract/account.ts'
import type { Queryable } from '../../../db/database.ts'

/** The sessions of a user: `currentId` (the caller's) first, then the others, latest first. */
export async function listSessions(db: Queryable, userId: string, currentId: string): Promise<AccountSession[]> {
  const rows = await db
    .selectFrom('auth.sessions')
    .select(['id', 'user_agent', 'aal', 'created_at', 'refreshed_at', sql<string | null>`host(ip)`.as('ip')])
    .where('user_id', '=', userId)
    .orderBy(sql`id = ${currentId}`, 'desc')
    .orderBy('refreshed_at', 'desc')
    .limit(200)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    current: row.id === currentId,
    user_agent: row.user_agent,
    ip: row.ip,
    second_factor: row.aal === 'aal2',
    created_at: row.created_at.toISOString(),
    refreshed_at: row.refreshed_at.toISOString(),
  }))
}
