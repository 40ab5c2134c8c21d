import { sql } from 'kysely'
import { actorName, type UserActor } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'

/**
 * Records in the audit log that a response contains keys in clear, before it is sent: `key.revealed` for the one key
 * `target`, `key.listed` for a list of them, with their number. What the person then looks at cannot be seen from here.
 * Dashboards ask repeatedly: the same session and keys are recorded once an hour.
 */
export async function noteReveal(db: Queryable, actor: UserActor, keys: number, target: string | null): Promise<void> {
  const action = target === null ? 'key.listed' : 'key.revealed'
  const detail = JSON.stringify({ keys, session: actor.sessionId })
  await sql`
    insert into audit_log (account_id, actor, action, target, detail)
    select ${actor.accountId}, ${actorName(actor)}, ${action}::text, ${target}::text, ${detail}::jsonb
    where not exists (
      select from audit_log seen
      where seen.account_id = ${actor.accountId} and seen.action = ${action} and seen.actor = ${actorName(actor)}
        and seen.action in ('key.listed', 'key.revealed')
        and seen.target is not distinct from ${target}::text and seen.detail = ${detail}::jsonb
        and seen.at > app_now() - interval '1 hour'
        -- A key created or rotated since counts as new.
        and not exists (select from audit_log made where made.account_id = ${actor.accountId}
          and made.action in ('key.created', 'key.rotated') and made.id > seen.id))`.execute(db)
}
