import type { Queryable } from '../../db/database.ts'

export type SecurityEvent =
  | 'auth.signed_up'
  | 'auth.signed_in'
  | 'auth.identity_linked'
  | 'auth.refresh_token_reused'
  | 'auth.session_ended_by_reuse'
  | 'auth.signed_out'

/** A row for what happened to a person's access. `target` names a session or identity by its id, never a secret. */
export async function noteSecurityEvent(
  db: Queryable,
  userId: string,
  action: SecurityEvent,
  target: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({ actor: `user:${userId}`, action, target, detail: JSON.stringify(detail) })
    .execute()
}
