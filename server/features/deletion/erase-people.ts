import { sql } from 'kysely'
import { allBucketIds, enterBucket, enterBucketNumber } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { lockAccount } from '../account/lock-account.ts'
import { ownedAccounts } from '../account/owned-accounts.ts'
import { deleteUser } from '../auth/users/delete-user.ts'
import { endBilling } from '../billing/end-billing.ts'
import { transactInLease } from '../billing/lease/in-lease.ts'
import { revokeAllKeys } from '../keys/revoke-all.ts'
import { endManagement } from '../team/end-management.ts'

/** Deletes the data of everyone whose grace period is over. A failure is retried with the next run. */
export async function erasePeople(deps: Pick<Deps, 'db' | 'log' | 'stripe'>): Promise<number> {
  const due = await deps.db.kysely
    .selectFrom('profiles')
    .select('user_id')
    .where('deletion_due_at', '<=', sql<Date>`app_now()`)
    .where('deleted_at', 'is', null)
    .execute()
  let erased = 0
  for (const { user_id } of due) {
    try {
      erased += await transactInLease(deps.db, `person:${user_id}`, (tx) => erase(tx, deps, user_id))
    } catch (error) {
      deps.log.error({ user: user_id, error: (error as Error).message }, 'a person could not be deleted')
    }
  }
  return erased
}

/** 1: erased; 0: canceled meanwhile, or done by another instance. */
async function erase(tx: Queryable, deps: Pick<Deps, 'log' | 'stripe'>, userId: string): Promise<number> {
  const person = await tx
    .selectFrom('profiles')
    .select('email')
    .where('user_id', '=', userId)
    .where('deletion_due_at', '<=', sql<Date>`app_now()`)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!person) return 0
  for (const { id } of await ownedAccounts(tx, userId)) await eraseAccount(tx, deps, id)
  await leaveOthers(tx, userId)
  for (const table of ['playground_events', 'playground_servers', 'playground_sign_ins', 'playground_tickets'] as const)
    await tx.deleteFrom(table).where('user_id', '=', userId).execute()
  for (const bucket of await allBucketIds(tx)) {
    await enterBucketNumber(tx, bucket)
    await tx.deleteFrom('usage_reports').where('user_id', '=', userId).execute()
  }
  await tx.deleteFrom('data_exports').where('user_id', '=', userId).execute()
  if (person.email) await forgetAddress(tx, person.email.toLowerCase())
  await deleteUser(tx, userId)
  await tx
    .updateTable('profiles')
    .set({ email: '', full_name: null, avatar_url: null, deleted_at: sql`app_now()` })
    .where('user_id', '=', userId)
    .execute()
  return 1
}

/** Ends the person's memberships in other people's workspaces, with what they connected and whom they invited there. */
async function leaveOthers(tx: Queryable, userId: string): Promise<void> {
  const others = await tx
    .selectFrom('account_members')
    .select('account_id')
    .where('user_id', '=', userId)
    .orderBy('account_id')
    .execute()
  for (const { account_id } of others) {
    await lockAccount(tx, account_id)
    await endManagement(tx, { kind: 'system', name: 'deletion' }, account_id, userId)
  }
  await tx.deleteFrom('account_members').where('user_id', '=', userId).execute()
}

/**
 * Keeps only anonymous bookkeeping of a workspace: invoices, the credit ledger and the charges behind it. The law
 * requires the first, the ledger's invariants the rest.
 */
async function eraseAccount(tx: Queryable, deps: Pick<Deps, 'log' | 'stripe'>, accountId: number): Promise<void> {
  await enterBucket(tx, accountId)
  await revokeAllKeys(tx, accountId, { kind: 'system', name: 'deletion' })
  for (const table of [
    'account_notes',
    'account_preferences',
    'account_invitations',
    'alert_deliveries',
    'alert_webhooks',
    'billing_notices',
    'kept_answers',
    'playground_events',
    'playground_servers',
    'playground_sign_ins',
    'playground_tickets',
    'stream_receipts',
    'support_views',
    'tax_ids',
    'usage_reports',
    'audit_log',
    'account_members',
  ] as const)
    await tx.deleteFrom(table).where('account_id', '=', accountId).execute()
  await tx
    .deleteFrom('oauth_credentials')
    .where('grant_id', 'in', (grants) =>
      grants.selectFrom('oauth_grants').select('id').where('account_id', '=', accountId),
    )
    .execute()
  await tx.deleteFrom('oauth_grants').where('account_id', '=', accountId).execute()
  await tx
    .updateTable('api_keys')
    .set({ name: 'Deleted', created_by: null })
    .where('account_id', '=', accountId)
    .execute()
  await tx
    .updateTable('billing_customers')
    .set({ name: null, address: null })
    .where('account_id', '=', accountId)
    .execute()
  await tx.updateTable('plan_redemptions').set({ mailbox_hash: null }).where('account_id', '=', accountId).execute()
  await tx.updateTable('accounts').set({ name: 'Deleted', personal_of: null }).where('id', '=', accountId).execute()
  // Ends a plan that was bought in the grace period.
  await endBilling(tx, deps, accountId)
}

/** Removes the address where others recorded it: invitations and emails to it, and their entries in audit logs. */
async function forgetAddress(tx: Queryable, email: string): Promise<void> {
  await tx.deleteFrom('account_invitations').where('email', '=', email).execute()
  await tx.deleteFrom('mail_log').where('recipient', '=', email).execute()
  await tx
    .updateTable('audit_log')
    .set({ detail: sql`detail - 'email'` })
    .where(sql`detail ->> 'email'`, '=', email)
    .execute()
}
