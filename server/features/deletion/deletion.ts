import { sql } from 'kysely'
import type { Deletion } from '#contract/account-data.ts'
import type { Actor, UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { dateInMail } from '../../mail/date-in-mail.ts'
import { audit } from '../account/audit.ts'
import { lockAccount } from '../account/lock-account.ts'
import { ownedAccounts } from '../account/owned-accounts.ts'
import { endBilling } from '../billing/end-billing.ts'
import { transactInLease } from '../billing/lease/in-lease.ts'
import { revokeAllKeys } from '../keys/revoke-all.ts'

const GRACE = sql`interval '14 days'`

/** Whether and when the person's account is deleted. */
export async function readDeletion(db: Queryable, userId: string): Promise<Deletion> {
  const row = await db
    .selectFrom('profiles')
    .select(['deletion_requested_at', 'deletion_due_at'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return row.deletion_requested_at && row.deletion_due_at
    ? { requested_at: row.deletion_requested_at.toISOString(), due_at: row.deletion_due_at.toISOString() }
    : null
}

/**
 * Schedules deletion of the person's account: keys and plans of the workspaces that they own end at once, the data is
 * deleted after the grace period. Repeating it keeps the first date. Throws conflict while one of these workspaces has
 * other members, billing_unavailable.
 */
export const requestDeletion = ({ actor, deps }: UserContext): Promise<Deletion> =>
  transactInLease(deps.db, leaseOfPerson(actor.userId), (tx) => scheduleDeletion(tx, deps, actor, actor))

/** The lease for `scheduleDeletion`, which asks the payment provider. */
export const leaseOfPerson = (userId: string): string => `person:${userId}`

/** The same in the caller's transaction, for a person and by another actor. */
export async function scheduleDeletion(
  tx: Queryable,
  deps: Pick<Deps, 'config' | 'log' | 'mail' | 'stripe'>,
  { userId, email }: { userId: string; email: string },
  actor: Actor,
): Promise<Deletion> {
  await tx.selectFrom('profiles').select('user_id').where('user_id', '=', userId).forUpdate().execute()
  const before = await readDeletion(tx, userId)
  if (before) return before
  const owned = await ownedAccounts(tx, userId)
  for (const { id } of owned) await lockAccount(tx, id)
  await refuseWithMembers(tx, owned)
  for (const { id } of owned) {
    await revokeAllKeys(tx, id, actor)
    await tx
      .updateTable('account_invitations')
      .set({ closed_at: sql`app_now()` })
      .where('account_id', '=', id)
      .where('closed_at', 'is', null)
      .execute()
    await audit(tx, { accountId: id, actor, action: 'account.deletion_requested' })
  }
  await tx
    .updateTable('profiles')
    .set({ deletion_requested_at: sql`app_now()`, deletion_due_at: sql`app_now() + ${GRACE}` })
    .where('user_id', '=', userId)
    .execute()
  const deletion = await readDeletion(tx, userId)
  await mailNotice(tx, deps, email, deletion!.due_at)
  // Last, because what Stripe has ended stays ended: none of our steps may fail after it.
  for (const { id } of owned) await endBilling(tx, deps, id)
  return deletion
}

/** Cancels the deletion. Keys and plans that have ended stay ended. */
export async function cancelDeletion({ actor, deps }: UserContext): Promise<Deletion> {
  return deps.db.kysely.transaction().execute(async (tx) => {
    const kept = await tx
      .updateTable('profiles')
      .set({ deletion_requested_at: null, deletion_due_at: null })
      .where('user_id', '=', actor.userId)
      .where('deleted_at', 'is', null)
      .where('deletion_due_at', 'is not', null)
      .executeTakeFirst()
    // Logged in the same workspaces as the request: the selected one may be somebody else's.
    if (kept.numUpdatedRows > 0n)
      for (const { id } of await ownedAccounts(tx, actor.userId))
        await audit(tx, { accountId: id, actor, action: 'account.deletion_cancelled' })
    return readDeletion(tx, actor.userId)
  })
}

async function refuseWithMembers(tx: Queryable, owned: { id: number; name: string }[]): Promise<void> {
  for (const { id, name } of owned) {
    const { count } = await tx
      .selectFrom('account_members')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
    if (count > 1)
      throw new AppError(
        'conflict',
        `The workspace ${name} has other members. Transfer it to one of them, or remove them first.`,
      )
  }
}

async function mailNotice(
  tx: Queryable,
  { config, mail }: Pick<Deps, 'config' | 'mail'>,
  email: string,
  dueAt: string,
): Promise<void> {
  if (!mail.enabled || !email) return
  await mail.send(tx, {
    to: email,
    kind: 'deletion notice',
    subject: 'Your account will be deleted',
    heading: 'Your account will be deleted',
    paragraphs: [
      `API keys and plans have ended. On ${dateInMail(dueAt)} your data is deleted; invoices are kept as required by law.`,
      'Until then you can sign in and keep the account.',
    ],
    action: { label: 'Keep my account', url: `${config.PUBLIC_URL}/dashboard/settings` },
    note: 'You received this email because someone asked to delete your account. If this was not you, keep the account and sign out all other sessions.',
  })
}
