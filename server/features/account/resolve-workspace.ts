import type { Role } from '#contract/account.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { isUuid } from '../../http/uuid.ts'
import type { AccessClaims } from '../auth/tokens/access-claims.ts'
import { openPersonalAccount } from './open-personal-account.ts'

export interface SelectedWorkspace {
  accountId: number
  bucket: number
  role: Role
}

/**
 * The account that a request acts on: the one with the public id `wanted`, else the user's Personal account, which their
 * first request creates. Queried on every request, so the end of a membership takes effect at once. Throws the same
 * not_found for missing, malformed and other people's workspaces.
 */
export async function resolveWorkspace(
  db: Queryable,
  claims: AccessClaims,
  wanted?: string,
): Promise<SelectedWorkspace> {
  const found = wanted === undefined ? await personal(db, claims.sub) : await chosen(db, claims.sub, wanted)
  if (found) return found
  if (wanted !== undefined)
    throw new AppError('not_found', 'This workspace does not exist, or you are not a member of it.')
  await openPersonalAccount(db, claims)
  const made = await personal(db, claims.sub)
  if (!made) throw new Error('A Personal account was made and is not there.')
  return made
}

const memberships = (db: Queryable, userId: string) =>
  db
    .selectFrom('account_members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id as accountId', 'a.bucket', 'm.role as role'])
    .where('m.user_id', '=', userId)
    .$narrowType<{ role: Role }>()

const personal = (db: Queryable, userId: string) =>
  memberships(db, userId).where('a.personal_of', '=', userId).executeTakeFirst()

async function chosen(db: Queryable, userId: string, wanted: string): Promise<SelectedWorkspace | undefined> {
  return isUuid(wanted) ? memberships(db, userId).where('a.public_id', '=', wanted).executeTakeFirst() : undefined
}
