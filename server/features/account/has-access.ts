import { sql } from 'kysely'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../deps.ts'
import { isUuid } from '../../http/uuid.ts'

type Needs = Pick<Deps, 'config' | 'db'>

/**
 * SQL: whether a person can sign in, that is, is neither banned nor deleted. `user` is an SQL expression, never input.
 * With AUTH_URL, another service knows that, and its access tokens say so.
 */
export const signsInSql = ({ AUTH_URL }: Pick<Config, 'AUTH_URL'>, user: string): string =>
  AUTH_URL
    ? 'true'
    : `exists (select from auth.users u where u.id = ${user} and u.deleted_at is null
        and (u.banned_until is null or u.banned_until <= app_now()))`

/** SQL: whether a person can sign in and is now an owner or admin of a workspace. `user` and `account` are SQL expressions. */
export const managesSql = (config: Pick<Config, 'AUTH_URL'>, user: string, account: string): string =>
  `(exists (select from account_members m where m.user_id = ${user} and m.account_id = ${account} and m.role in ('owner', 'admin'))
    and ${signsInSql(config, user)})`

/** Whether a person can sign in now. For what works without a session, such as a signed link. */
export async function signsIn({ config, db }: Needs, userId: string): Promise<boolean> {
  const { rows } = await db.pool.query<{ ok: boolean }>(`select ${signsInSql(config, '$1::uuid')} as ok`, [userId])
  return rows[0]!.ok
}

/** Whether a person can sign in now and belongs to the workspace, whatever their role. */
export async function hasAccess(
  { config, db }: Needs,
  { accountId, userId }: { accountId: number; userId: string },
): Promise<boolean> {
  if (!isUuid(userId)) return false
  const { rows } = await sql<{ ok: boolean }>`
    select ${sql.raw(signsInSql(config, 'm.user_id'))} as ok from account_members m
    where m.account_id = ${accountId} and m.user_id = ${userId}`.execute(db.kysely)
  return rows[0]?.ok ?? false
}
