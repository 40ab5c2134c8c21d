import type { Role, Workspace } from '#contract/account.ts'
import type { Queryable } from '../../db/database.ts'

/** The accounts that the person belongs to, their Personal one first, then by name. */
export async function listWorkspaces(db: Queryable, userId: string): Promise<Workspace[]> {
  const rows = await workspacesOf(db, userId).execute()
  return rows
    .map(({ id, name, role, personal_of }) => ({ id, name, role, personal: personal_of === userId }))
    .sort((a, b) => Number(b.personal) - Number(a.personal) || a.name.localeCompare(b.name))
}

/** The workspace that a request has selected. */
export async function readWorkspace(db: Queryable, userId: string, accountId: number): Promise<Workspace> {
  const { id, name, role, personal_of } = await workspacesOf(db, userId)
    .where('a.id', '=', accountId)
    .executeTakeFirstOrThrow()
  return { id, name, role, personal: personal_of === userId }
}

const workspacesOf = (db: Queryable, userId: string) =>
  db
    .selectFrom('account_members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.public_id as id', 'a.name', 'a.personal_of', 'm.role'])
    .where('m.user_id', '=', userId)
    .$narrowType<{ role: Role }>()
