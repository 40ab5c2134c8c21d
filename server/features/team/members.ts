import type { GivenRole, KeysSeen, Member, Team } from '#contract/team.ts'
import type { UserActor, UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { audit } from '../account/audit.ts'
import { addPersonalAccount } from '../account/open-personal-account.ts'
import { personName, workspaceNameOf } from '../account/person-name.ts'
import { mayManage, requireManager, requireOwner } from '../account/require-role.ts'
import { inheritRedemptions } from '../billing/plans/inherit-redemptions.ts'
import { keysSeenBy } from '../keys/seen-by.ts'
import { endManagement } from './end-management.ts'
import { findMember, lockTeam, readInvitations, readMembers } from './store.ts'

/** The members of the workspace and, for owner and admins, its open invitations. */
export async function readTeam({ actor, deps }: UserContext): Promise<Team> {
  const db = deps.db.kysely
  const [members, invitations] = await Promise.all([
    readMembers(db, actor.accountId, actor.userId),
    mayManage(actor) ? readInvitations(db, actor.accountId) : [],
  ])
  return { members, invitations }
}

/**
 * Changes a role. An admin who becomes a member loses the apps they connected and the invitations they sent, and the keys
 * whose values they have seen are returned. Owner only. Throws forbidden, not_found, conflict (the owner's own role changes by a
 * transfer).
 */
export async function changeRole(
  { actor, deps }: UserContext,
  userId: string,
  role: GivenRole,
): Promise<{ member: Member; keysSeen: KeysSeen }> {
  return deps.db.kysely.transaction().execute(async (tx) => {
    requireOwner(await lockTeam(tx, actor))
    const target = await findMember(tx, actor.accountId, userId)
    if (target.role === 'owner')
      throw new AppError('conflict', 'The owner keeps this role until the ownership is transferred.')
    await setRole(tx, actor.accountId, userId, role)
    if (role === 'member') await endManagement(tx, actor, actor.accountId, userId)
    await audit(tx, {
      accountId: actor.accountId,
      actor,
      action: 'member.role_changed',
      target: userId,
      detail: { from: target.role, to: role },
    })
    const members = await readMembers(tx, actor.accountId, actor.userId)
    return {
      member: members.find((one) => one.user_id === userId)!,
      keysSeen: role === 'member' ? await keysSeenBy(tx, actor.accountId, userId) : [],
    }
  })
}

/**
 * Removes a person, the apps they connected and the invitations they sent. Returns the keys whose values they have seen.
 * The owner removes anyone else, admins remove members. Throws forbidden, not_found, conflict (oneself).
 */
export async function removeMember({ actor, deps }: UserContext, userId: string): Promise<KeysSeen> {
  return deps.db.kysely.transaction().execute(async (tx) => {
    const now = await lockTeam(tx, actor)
    requireManager(now)
    const target = await findMember(tx, actor.accountId, userId)
    if (userId === actor.userId)
      throw new AppError('conflict', 'You cannot remove yourself. Leave the workspace, or transfer it first.')
    if (target.role !== 'member') requireOwner(now)
    await endMembership(tx, actor, userId)
    await audit(tx, { accountId: actor.accountId, actor, action: 'member.removed', target: userId })
    return keysSeenBy(tx, actor.accountId, userId)
  })
}

/** Leaves the workspace, as `removeMember` does. Throws conflict for the owner, because a workspace always has one. */
export async function leaveTeam({ actor, deps }: UserContext): Promise<void> {
  await deps.db.kysely.transaction().execute(async (tx) => {
    const now = await lockTeam(tx, actor)
    if (now.role === 'owner')
      throw new AppError('conflict', 'The owner cannot leave. Transfer the ownership to a member first.')
    await endMembership(tx, actor, actor.userId)
    await audit(tx, { accountId: actor.accountId, actor, action: 'member.left', target: actor.userId })
  })
}

/**
 * Makes a member the owner and the owner an admin. If the workspace was Personal, its former owner gets a new, empty one.
 * Owner only. Throws forbidden, not_found, conflict (already the owner, or their account is being deleted).
 */
export async function transferOwnership({ actor, deps }: UserContext, userId: string): Promise<Team> {
  return deps.db.kysely.transaction().execute(async (tx) => {
    requireOwner(await lockTeam(tx, actor))
    if (userId === actor.userId) throw new AppError('conflict', 'You own this workspace already.')
    await findMember(tx, actor.accountId, userId)
    await refuseLeaving(tx, userId)
    await setRole(tx, actor.accountId, actor.userId, 'admin')
    await setRole(tx, actor.accountId, userId, 'owner')
    await endPersonal(tx, actor)
    await audit(tx, { accountId: actor.accountId, actor, action: 'ownership.transferred', target: userId })
    return {
      members: await readMembers(tx, actor.accountId, actor.userId),
      invitations: await readInvitations(tx, actor.accountId),
    }
  })
}

/** Owned workspaces are deleted with their owner, so nobody whose account is being deleted may become one. */
async function refuseLeaving(tx: Queryable, userId: string): Promise<void> {
  const heir = await tx
    .selectFrom('profiles')
    .select(['full_name', 'email', 'deletion_due_at'])
    .where('user_id', '=', userId)
    // Waits for a concurrent deletion request. A later request sees the new owner and is refused.
    .forShare()
    .executeTakeFirstOrThrow()
  if (heir.deletion_due_at)
    throw new AppError(
      'conflict',
      `The account of ${personName(heir) ?? 'this person'} is being deleted. Choose somebody else, or ask them to keep it in Settings first.`,
    )
}

async function setRole(tx: Queryable, accountId: number, userId: string, role: GivenRole | 'owner'): Promise<void> {
  await tx
    .updateTable('account_members')
    .set({ role })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}

async function endMembership(tx: Queryable, actor: UserActor, userId: string): Promise<void> {
  const { accountId } = actor
  await endManagement(tx, actor, accountId, userId)
  await tx.deleteFrom('account_members').where('account_id', '=', accountId).where('user_id', '=', userId).execute()
}

/** Turns a Personal workspace into a shared one and gives its former owner a new Personal one. */
async function endPersonal(tx: Queryable, actor: UserActor): Promise<void> {
  const owner = await tx
    .selectFrom('accounts as a')
    .innerJoin('profiles as p', 'p.user_id', 'a.personal_of')
    .select(['p.full_name', 'p.email'])
    .where('a.id', '=', actor.accountId)
    .executeTakeFirst()
  if (!owner) return
  await tx
    .updateTable('accounts')
    .set({ personal_of: null, name: workspaceNameOf(owner) })
    .where('id', '=', actor.accountId)
    .execute()
  const made = await addPersonalAccount(tx, actor)
  if (made) await inheritRedemptions(tx, actor.accountId, made.accountId)
}
