import type { Queryable } from '../../db/database.ts'

export type SecurityEvent =
  | 'auth.signed_up'
  | 'auth.signed_in'
  | 'auth.sign_in_failed'
  | 'auth.identity_linked'
  | 'auth.identity_unlinked'
  | 'auth.refresh_token_reused'
  | 'auth.session_ended_by_reuse'
  | 'auth.signed_out'
  | 'auth.code_sent'
  | 'auth.code_refused'
  | 'auth.email_confirmed'
  | 'auth.email_change_requested'
  | 'auth.email_changed'
  | 'auth.phone_changed'
  | 'auth.password_changed'
  | 'auth.metadata_changed'
  | 'auth.factor_enrolled'
  | 'auth.factor_verified'
  | 'auth.factor_refused'
  | 'auth.factor_deleted'
  | 'auth.user_changed_by_admin'
  | 'auth.user_deleted_by_admin'
  | 'auth.link_made_by_admin'

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
