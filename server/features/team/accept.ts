import { sql } from 'kysely'
import type { Workspace } from '#contract/account.ts'
import type { InvitationPreview } from '#contract/team.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { idInLink, isCurrent } from '../../secrets/link-token.ts'
import { audit } from '../account/audit.ts'
import { managesSql } from '../account/has-access.ts'
import { readWorkspace } from '../account/list-workspaces.ts'
import { lockAccount } from '../account/lock-account.ts'
import { personName, workspaceNameOf } from '../account/person-name.ts'
import { suspendedError } from '../shop/suspended-error.ts'

/** The same reply for links that are unknown, altered, accepted, revoked, replaced or expired. */
const gone = () =>
  new AppError('not_found', 'This invitation is no longer valid. Ask the person who invited you for a new one.')

/** What an invitation link offers. Throws not_found for a link that cannot be accepted. */
export async function previewInvitation(deps: InvitationDeps, token: string): Promise<InvitationPreview> {
  const row = await openInvitation(deps.db.kysely, deps, token)
  return {
    workspace: row.owner_id ? workspaceNameOf({ full_name: row.owner_name, email: row.owner_email }) : row.name,
    email: row.email,
    role: row.role,
    invited_by: personName({ full_name: row.inviter_name, email: row.inviter_email }),
    expires_at: row.expires_at.toISOString(),
  }
}

/**
 * Adds the signed-in user to the workspace with the invited role. A forwarded link is useless to others: the user must
 * be signed in with the address that was invited. Throws not_found, forbidden (another address), account_suspended.
 */
export async function acceptInvitation({ actor, deps }: UserContext, token: string): Promise<Workspace> {
  return deps.db.kysely.transaction().execute(async (tx) => {
    const before = await openInvitation(tx, deps, token)
    await lockAccount(tx, before.account_id)
    const { id, account_id, email, role, public_id, suspended_at } = await openInvitation(tx, deps, token)
    if (actor.email?.toLowerCase() !== email)
      throw new AppError(
        'forbidden',
        `This invitation is for ${email}. Sign out, then sign in with that email address, or ask for an invitation to yours.`,
      )
    if (suspended_at) throw suspendedError(deps.shop.current())
    await tx.updateTable('account_invitations').set({ closed_at: sql`app_now()` }).where('id', '=', id).execute()
    await tx
      .insertInto('account_members')
      .values({ account_id, user_id: actor.userId, role })
      .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doNothing())
      .execute()
    await audit(tx, {
      accountId: account_id,
      actor,
      action: 'invitation.accepted',
      target: public_id,
      detail: { email, role },
    })
    return readWorkspace(tx, actor.userId, account_id)
  })
}

type InvitationDeps = Pick<Deps, 'config' | 'db' | 'secrets'>

async function openInvitation(db: Queryable, { config, secrets }: Omit<InvitationDeps, 'db'>, token: string) {
  const publicId = idInLink(token)
  if (!publicId) throw gone()
  const row = await db
    .selectFrom('account_invitations as i')
    .innerJoin('accounts as a', 'a.id', 'i.account_id')
    .leftJoin('profiles as inviter', 'inviter.user_id', 'i.invited_by')
    .leftJoin('profiles as owner', 'owner.user_id', 'a.personal_of')
    .select([
      'i.id',
      'i.public_id',
      'i.account_id',
      'i.email',
      'i.role',
      'i.sends',
      'i.expires_at',
      'a.name',
      'a.suspended_at',
    ])
    .select(['inviter.full_name as inviter_name', 'inviter.email as inviter_email'])
    .select(['owner.user_id as owner_id', 'owner.full_name as owner_name', 'owner.email as owner_email'])
    .where('i.public_id', '=', publicId)
    .where('i.closed_at', 'is', null)
    .where('i.expires_at', '>', sql<Date>`app_now()`)
    .where(sql<boolean>`${sql.raw(managesSql(config, 'i.invited_by', 'i.account_id'))}`)
    .$narrowType<{ role: InvitationPreview['role'] }>()
    .executeTakeFirst()
  if (!row || !isCurrent(secrets, 'account_invitations.token', token, row.public_id, row.sends)) throw gone()
  return row
}
