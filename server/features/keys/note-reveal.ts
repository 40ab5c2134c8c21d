import { sql } from 'kysely'
import { actorName, type UserActor } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'

/**
 * Records in the audit log that a response contains keys in clear, before it is sent. Dashboards ask repeatedly: the
 * same session and keys are recorded once an hour. `target`: the one requested key.
 */
export async function noteReveal(db: Queryable, actor: UserActor, keys: number, target: string | null): Promise<void> {
  const detail = JSON.stringify({ keys, session: actor.sessionId })
  await sql`
    insert into audit_log (account_id, actor, action, target, detail)
    select ${actor.accountId}, ${actorName(actor)}, 'key.revealed', ${target}::text, ${detail}::jsonb
    where not exists (
      select from audit_log seen
      where seen.account_id = ${actor.accountId} and seen.action = 'key.revealed' and seen.actor = ${actorName(actor)}
        and seen.target is not distinct from ${target}::text and seen.detail = ${detail}::jsonb
        and seen.at > app_now() - interval '1 hour'
        -- A key created or rotated since counts as new.
        and not exists (select from audit_log made where made.account_id = ${actor.accountId}
          and made.action in ('key.created', 'key.rotated') and made.id > seen.id))`.execute(db)
}
