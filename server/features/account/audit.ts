import { type Actor, actorName } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'

/** What the log can tell, in the form `thing.happened`. */
export type AuditAction =
  | 'account.created'
  | 'credits.granted'
  | 'key.created'
  | 'key.deleted'
  | 'key.revealed'
  | 'limits.changed'
  | 'plan.redeemed'
  | 'preferences.changed'

export interface AuditEntry {
  accountId: number
  actor: Actor
  action: AuditAction
  /** Public id of what was acted on. Never a secret. */
  target?: string
  detail?: Record<string, string | number | boolean | null>
}

/** Appends to the audit log, in the transaction of the act itself. */
export async function audit(
  tx: Queryable,
  { accountId, actor, action, target, detail = {} }: AuditEntry,
): Promise<void> {
  await tx
    .insertInto('audit_log')
    .values({ account_id: accountId, actor: actorName(actor), action, target, detail: JSON.stringify(detail) })
    .execute()
}
