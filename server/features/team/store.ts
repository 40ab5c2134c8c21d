import { sql } from 'kysely'
import type { Role } from '#contract/account.ts'
import type { Invitation, Member } from '#contract/team.ts'
import type { UserActor } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { isUuid } from '../../http/uuid.ts'
import { lockAccount } from '../account/lock-account.ts'
import { personName } from '../account/person-name.ts'

/**
 * Locks the workspace until the transaction ends, and returns the actor with their current role, which may have changed
 * since the request arrived. Throws not_found if the membership has ended.
 */
export async function lockTeam(tx: Queryable, actor: UserActor): Promise<UserActor> {
  await lockAccount(tx, actor.accountId)
  const row = await membership(tx, actor.accountId, actor.userId)
  if (!row) throw new AppError('not_found', 'This workspace does not exist, or you are not a member of it.')
  return { ...actor, role: row.role }
}

/** A member of the workspace, or undefined. */
export const membership = (db: Queryable, accountId: number, userId: string) =>
  db
    .selectFrom('account_members')
    .select(['user_id', 'role'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .$narrowType<{ role: Role }>()
    .executeTakeFirst()

/** A member of the workspace. Throws the same not_found for missing, malformed and other people's ids. */
export async function findMember(db: Queryable, accountId: number, userId: string): Promise<{ role: Role }> {
  const found = isUuid(userId) ? await membership(db, accountId, userId) : undefined
  if (!found) throw new AppError('not_found', 'There is no such person in this workspace.')
  return found
}

/** The members of the workspace as `viewerId` sees them: owner, admins, members, each by join date. */
export async function readMembers(db: Queryable, accountId: number, viewerId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('account_members as m')
    .innerJoin('profiles as p', 'p.user_id', 'm.user_id')
    .select(['m.user_id', 'm.role', 'm.created_at', 'p.full_name', 'p.email', 'p.avatar_url'])
    .select(
      sql<string | null>`(select to_char(max(s.refreshed_at) at time zone 'UTC', 'YYYY-MM-DD') from auth.sessions s
        where s.user_id = m.user_id and exists (select from account_members v
          where v.account_id = m.account_id and v.user_id = ${viewerId} and v.role <> 'member'))`.as('seen_on'),
    )
    .where('m.account_id', '=', accountId)
    .$narrowType<{ role: Role }>()
    .orderBy(sql`array_position(array['owner', 'admin', 'member'], m.role)`)
    .orderBy('m.created_at')
    .orderBy('m.user_id')
    .execute()
  return rows.map(({ created_at, ...row }) => ({
    ...row,
    joined_at: created_at.toISOString(),
    you: row.user_id === viewerId,
  }))
}

const invitationRows = (db: Queryable, accountId: number) =>
  db
    .selectFrom('account_invitations as i')
    .leftJoin('profiles as p', 'p.user_id', 'i.invited_by')
    .select(['i.id', 'i.public_id', 'i.email', 'i.role', 'i.sends', 'i.created_at', 'i.expires_at'])
    .select(['p.full_name as inviter_name', 'p.email as inviter_email'])
    .select(sql<boolean>`i.expires_at <= app_now()`.as('expired'))
    .where('i.account_id', '=', accountId)
    .where('i.closed_at', 'is', null)
    .$narrowType<{ role: Invitation['role'] }>()

type InvitationRow = Awaited<ReturnType<ReturnType<typeof invitationRows>['executeTakeFirstOrThrow']>>

const presentInvitation = (row: InvitationRow): Invitation => ({
  id: row.public_id,
  email: row.email,
  role: row.role,
  invited_by: personName({ full_name: row.inviter_name, email: row.inviter_email }),
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  expired: row.expired,
})

/** The open invitations, newest first. */
export async function readInvitations(db: Queryable, accountId: number): Promise<Invitation[]> {
  return (await invitationRows(db, accountId).orderBy('i.id', 'desc').execute()).map(presentInvitation)
}

/**
 * One open invitation, with its row id and the number of times it was sent. Throws the same not_found for missing, closed
 * and other workspaces' invitations.
 */
export async function findInvitation(
  db: Queryable,
  accountId: number,
  publicId: string,
): Promise<{ rowId: number; sends: number; invitation: Invitation }> {
  const row = isUuid(publicId)
    ? await invitationRows(db, accountId).where('i.public_id', '=', publicId).executeTakeFirst()
    : undefined
  if (!row) throw new AppError('not_found', 'There is no such open invitation in this workspace.')
  return { rowId: row.id, sends: row.sends, invitation: presentInvitation(row) }
}
