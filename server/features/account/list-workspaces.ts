import type { Role, Workspace } from '#contract/account.ts'
import type { Queryable } from '../../db/database.ts'
import { workspaceNameOf } from './person-name.ts'

/** The user's workspaces, their Personal one first, then by name. */
export async function listWorkspaces(db: Queryable, userId: string): Promise<Workspace[]> {
  const rows = await workspacesOf(db, userId).execute()
  return rows
    .map((row) => present(row, userId))
    .sort((a, b) => Number(b.personal) - Number(a.personal) || a.name.localeCompare(b.name))
}

/** The workspace that a request has selected. */
export async function readWorkspace(db: Queryable, userId: string, accountId: number): Promise<Workspace> {
  return present(await workspacesOf(db, userId).where('a.id', '=', accountId).executeTakeFirstOrThrow(), userId)
}

const workspacesOf = (db: Queryable, userId: string) =>
  db
    .selectFrom('account_members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .leftJoin('profiles as p', 'p.user_id', 'a.personal_of')
    .select(['a.public_id as id', 'a.name', 'a.personal_of', 'm.role', 'p.full_name', 'p.email'])
    .where('m.user_id', '=', userId)
    .$narrowType<{ role: Role }>()

type Row = Awaited<ReturnType<ReturnType<typeof workspacesOf>['executeTakeFirstOrThrow']>>

/** Other people's Personal workspaces are named after them, to distinguish them from the user's own. */
function present({ id, name, role, personal_of, full_name, email }: Row, userId: string): Workspace {
  const personal = personal_of === userId
  return { id, name: personal || !personal_of ? name : workspaceNameOf({ full_name, email }), role, personal }
}
