import { type Actor, actorName } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'

/** The actions in the log, as `thing.happened`. */
export type AuditAction =
  | 'account.created'
  | 'account.deletion_cancelled'
  | 'account.deletion_requested'
  | 'account.export_requested'
  | 'account.resumed'
  | 'account.suspended'
  | 'account.view_ended'
  | 'account.viewed_by_support'
  | 'alert_webhook.changed'
  | 'auto_topup.changed'
  | 'balance.claimed'
  | 'billing_address.changed'
  | 'checkout.started'
  | 'credits.claimed'
  | 'credits.granted'
  | 'credits.voided'
  | 'invitation.accepted'
  | 'invitation.revoked'
  | 'invitation.sent'
  | 'key.created'
  | 'key.deleted'
  | 'key.listed'
  | 'key.revealed'
  | 'key.rotated'
  | 'key.updated'
  | 'limits.changed'
  | 'member.left'
  | 'member.removed'
  | 'member.role_changed'
  | 'ownership.transferred'
  | 'plan.redeemed'
  | 'plan.set'
  | 'portal.opened'
  | 'preferences.changed'
  | 'tax_id.added'
  | 'tax_id.removed'
  | 'topup.started'

export interface AuditEntry {
  accountId: number
  actor: Actor
  action: AuditAction
  /** Public id of the object. Never a secret. */
  target?: string
  detail?: Record<string, string | number | boolean | null>
}

/** Appends to the audit log, in the transaction of the action itself. */
export async function audit(
  tx: Queryable,
  { accountId, actor, action, target, detail = {} }: AuditEntry,
): Promise<void> {
  await tx
    .insertInto('audit_log')
    .values({ account_id: accountId, actor: actorName(actor), action, target, detail: JSON.stringify(detail) })
    .execute()
}
