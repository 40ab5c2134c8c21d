import { sql } from 'kysely'
import type { z } from 'zod'
import type { Invitation, newInvitation } from '#contract/team.ts'
import type { Actor, UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { audit } from '../account/audit.ts'
import { operator } from '../account/operator.ts'
import { readProfile } from '../account/profile.ts'
import { requireActive } from '../account/require-active.ts'
import { requireManager } from '../account/require-role.ts'
import { mailInvitation, requireMail } from './mail-invitation.ts'
import { findInvitation, lockTeam } from './store.ts'

const MAX_OPEN = 50
const RESEND_PAUSE_SECONDS = 60
const inSevenDays = sql<Date>`app_now() + interval '7 days'`

/**
 * Invites an email address and mails it the link. Replaces an expired invitation for the same address. Owner and admins.
 * Throws forbidden, account_suspended, rate_limited, or conflict: already a member, already invited, 50 open invitations,
 * or the workspace is being deleted.
 */
export async function inviteMember(
  ctx: UserContext,
  { email, role }: z.output<typeof newInvitation>,
): Promise<Invitation> {
  const { actor, deps } = ctx
  return deps.db.kysely.transaction().execute(async (tx) => {
    requireManager(await lockTeam(tx, actor))
    requireMail(deps)
    await requireActive(tx, ctx)
    await closeExpired(tx, actor.accountId, email)
    await refuseKnown(tx, actor.accountId, email)
    const { public_id } = await tx
      .insertInto('account_invitations')
      .values({ account_id: actor.accountId, email, role, invited_by: actor.userId, expires_at: inSevenDays })
      .returning('public_id')
      .executeTakeFirstOrThrow()
    return send(tx, deps, { ...actor, inviterId: actor.userId, actor }, public_id)
  })
}

/**
 * Resends an invitation with a new link, valid for seven days; the previous link stops working. Owner and admins.
 * Throws forbidden, account_suspended, not_found, conflict (the workspace is being deleted), and rate_limited within a
 * minute of the last time.
 */
export async function resendInvitation(ctx: UserContext, publicId: string): Promise<Invitation> {
  const { actor, deps } = ctx
  return deps.db.kysely.transaction().execute(async (tx) => {
    requireManager(await lockTeam(tx, actor))
    requireMail(deps)
    await requireActive(tx, ctx)
    const { rowId } = await findInvitation(tx, actor.accountId, publicId)
    if (!(await renewLink(tx, rowId)))
      throw new AppError('rate_limited', 'This invitation was sent less than a minute ago. Wait a minute.', {
        retryAfterSeconds: RESEND_PAUSE_SECONDS,
      })
    return send(tx, deps, { ...actor, inviterId: actor.userId, actor }, publicId)
  })
}

/**
 * Sends an open invitation again with a new link, in the name of the person who made it. Returns false when it is closed, or was sent
 * within the last minute. Throws rate_limited.
 */
export async function resendByOperator(tx: Queryable, deps: UserContext['deps'], publicId: string): Promise<boolean> {
  const open = await tx
    .selectFrom('account_invitations')
    .select(['id', 'account_id', 'invited_by'])
    .where('public_id', '=', publicId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  if (!open?.invited_by || !deps.mail.enabled || !(await renewLink(tx, open.id))) return false
  await send(tx, deps, { accountId: open.account_id, inviterId: open.invited_by, actor: operator }, publicId)
  return true
}

/** Makes a new link, valid for seven days, unless the last one was sent within a minute. */
async function renewLink(tx: Queryable, rowId: number): Promise<boolean> {
  const sent = await tx
    .updateTable('account_invitations')
    .set((row) => ({ sends: row('sends', '+', 1), sent_at: sql`app_now()`, expires_at: inSevenDays }))
    .where('id', '=', rowId)
    .where('sent_at', '<=', sql<Date>`app_now() - make_interval(secs => ${RESEND_PAUSE_SECONDS})`)
    .executeTakeFirst()
  return sent.numUpdatedRows > 0n
}

/** Revokes an open invitation. Owner and admins. Throws forbidden, not_found. */
export async function revokeInvitation({ actor, deps }: UserContext, publicId: string): Promise<void> {
  await deps.db.kysely.transaction().execute(async (tx) => {
    requireManager(await lockTeam(tx, actor))
    const { rowId, invitation } = await findInvitation(tx, actor.accountId, publicId)
    await close(tx, rowId)
    await audit(tx, {
      accountId: actor.accountId,
      actor,
      action: 'invitation.revoked',
      target: publicId,
      detail: { email: invitation.email },
    })
  })
}

/** Mails an open invitation and records it in the audit log. */
async function send(
  tx: Queryable,
  deps: UserContext['deps'],
  { accountId, inviterId, actor }: { accountId: number; inviterId: string; actor: Actor },
  publicId: string,
): Promise<Invitation> {
  const { invitation, sends } = await findInvitation(tx, accountId, publicId)
  const { email, role } = invitation
  const { user_metadata, email: from } = await readProfile(tx, inviterId)
  const inviter = { userId: inviterId, full_name: user_metadata.full_name, email: from }
  await mailInvitation(tx, deps, { publicId, sends, email, role, inviter, accountId })
  await audit(tx, {
    accountId,
    actor,
    action: 'invitation.sent',
    target: publicId,
    detail: { email, role },
  })
  return invitation
}

async function close(tx: Queryable, rowId: number): Promise<void> {
  await tx.updateTable('account_invitations').set({ closed_at: sql`app_now()` }).where('id', '=', rowId).execute()
}

async function closeExpired(tx: Queryable, accountId: number, email: string): Promise<void> {
  await tx
    .updateTable('account_invitations')
    .set({ closed_at: sql`app_now()` })
    .where('account_id', '=', accountId)
    .where('email', '=', email)
    .where('closed_at', 'is', null)
    .where('expires_at', '<=', sql<Date>`app_now()`)
    .execute()
}

async function refuseKnown(tx: Queryable, accountId: number, email: string): Promise<void> {
  const member = await tx
    .selectFrom('account_members as m')
    .innerJoin('profiles as p', 'p.user_id', 'm.user_id')
    .select('m.user_id')
    .where('m.account_id', '=', accountId)
    .where(sql`lower(p.email)`, '=', email)
    .executeTakeFirst()
  if (member) throw new AppError('conflict', `${email} is a member of this workspace already.`)
  const open = await tx
    .selectFrom('account_invitations')
    .select('email')
    .where('account_id', '=', accountId)
    .where('closed_at', 'is', null)
    .execute()
  if (open.some((one) => one.email === email))
    throw new AppError('conflict', `${email} has an open invitation already. Send it again from the list.`)
  if (open.length >= MAX_OPEN)
    throw new AppError(
      'conflict',
      `This workspace has ${MAX_OPEN} open invitations, which is the most it can have. Revoke one first.`,
    )
}
