import type { Queryable } from '../../db/database.ts'

export type SecurityEvent =
  | 'auth.signed_up'
  | 'auth.signed_in'
  | 'auth.sign_in_failed'
  | 'auth.unproven_cleared'
  | 'auth.identity_linked'
  | 'auth.identity_unlinked'
  | 'auth.refresh_token_reused'
  | 'auth.session_ended_by_reuse'
  | 'auth.signed_out'
  | 'auth.code_sent'
  | 'auth.code_refused'
  | 'auth.email_confirmed'
  | 'auth.email_change_requested'
  | 'auth.email_change_agreed'
  | 'auth.email_changed'
  | 'auth.phone_changed'
  | 'auth.password_changed'
  | 'auth.metadata_changed'
  | 'auth.factor_enrolled'
  | 'auth.factor_verified'
  | 'auth.factor_refused'
  | 'auth.factor_deleted'
  | 'auth.factor_deleted_by_admin'
  | 'auth.change_undone'
  | 'auth.user_changed_by_admin'
  | 'auth.user_deleted_by_admin'
  | 'auth.link_made_by_admin'

/** Who made an admin call: a program with a service key, an operator, or a user with an admin role. */
export type AdminActor = 'system:service_key' | 'system:operator' | `user:${string}`

/**
 * A row for a change of a user's access. `target` names a session or identity by its id, never a secret; `by` is
 * who did it, if not the user.
 */
export async function noteSecurityEvent(
  db: Queryable,
  userId: string,
  action: SecurityEvent,
  target: string,
  detail: Record<string, unknown> = {},
  by?: AdminActor,
): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({ actor: by ?? `user:${userId}`, subject: by && userId, action, target, detail: JSON.stringify(detail) })
    .execute()
}

/** Records what an operator did to a signing key; `kid` names the key. */
export type KeyEvent = 'auth.signing_key_added' | 'auth.signing_key_retired' | 'auth.service_key_made'

export async function noteKeyEvent(db: Queryable, action: KeyEvent, kid: string): Promise<void> {
  await db.insertInto('audit_log').values({ actor: 'system:operator', action, target: kid }).execute()
}
