import { sql } from 'kysely'
import type { KeysSeen } from '#contract/team.ts'
import type { Queryable } from '../../db/database.ts'

/**
 * The live keys whose present value was shown to a user, oldest first: the audit log says that they created, rotated or
 * revealed it, and no rotation since then has ended its grace period. Keys of connected apps are never shown.
 */
export async function keysSeenBy(db: Queryable, accountId: number, userId: string): Promise<KeysSeen> {
  const { rows } = await sql<KeysSeen[number]>`
    select k.public_id as id, k.name from api_keys k
    where k.account_id = ${accountId} and k.deleted_at is null and (k.expires_at is null or k.expires_at > app_now())
      and not exists (select from oauth_grants g where g.key_id = k.id)
      and exists (
        select from audit_log shown
        where shown.account_id = ${accountId} and shown.actor = ${`user:${userId}`}
          and (shown.action in ('key.created', 'key.rotated', 'key.revealed') and shown.target = k.public_id::text
            or shown.action in ('key.listed', 'key.revealed') and shown.target is null and shown.at >= k.created_at)
          and not exists (
            select from audit_log later
            where later.account_id = ${accountId} and later.action = 'key.rotated'
              and later.target = k.public_id::text and later.id > shown.id
              and later.at + make_interval(secs => (later.detail ->> 'graceSeconds')::int) <= app_now()))
    order by k.id`.execute(db)
  return rows
}
