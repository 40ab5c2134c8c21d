import { sql } from 'kysely'
import type { UserActor } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'

/** Whose connection: a person in a workspace. */
export type Owner = Pick<UserActor, 'accountId' | 'userId'>

export interface Connection {
  name: string
  /** Empty: our own server. Else the operator's id of a server, or an address. */
  command: string
  protocolVersion: string
  definitionsHash: Buffer | null
  definitionsChanged: boolean
}

const columns = [
  'name',
  'command',
  'protocol_version as protocolVersion',
  'definitions_hash as definitionsHash',
  'definitions_changed as definitionsChanged',
] as const

const own = (db: Queryable, { accountId, userId }: Owner) =>
  db.selectFrom('playground_servers').select(columns).where('account_id', '=', accountId).where('user_id', '=', userId)

/** In the order in which they were connected. */
export const connectionsOf = (db: Queryable, owner: Owner): Promise<Connection[]> =>
  own(db, owner).orderBy('connected_at').orderBy('name').execute()

export const findConnection = (db: Queryable, owner: Owner, name: string): Promise<Connection | undefined> =>
  own(db, owner).where('name', '=', name).executeTakeFirst()

export async function countConnections(db: Queryable, owner: Owner): Promise<number> {
  return (await connectionsOf(db, owner)).length
}

/** Connects, or connects anew. The definitions last seen are kept, so that a change can be told. */
export async function saveConnection(
  db: Queryable,
  owner: Owner,
  { name, command, protocolVersion }: Pick<Connection, 'name' | 'command' | 'protocolVersion'>,
): Promise<void> {
  await db
    .insertInto('playground_servers')
    .values({
      account_id: owner.accountId,
      user_id: owner.userId,
      name,
      command,
      protocol_version: protocolVersion,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'user_id', 'name']).doUpdateSet({
        command,
        protocol_version: protocolVersion,
        connected_at: sql`app_now()`,
        definitions_hash: sql`case when playground_servers.command = ${command} then playground_servers.definitions_hash end`,
        definitions_changed: sql`playground_servers.command = ${command} and playground_servers.definitions_changed`,
      }),
    )
    .execute()
}

/** Notes the definitions that a server sent; true if an earlier list was another one. */
export async function noteDefinitions(db: Queryable, owner: Owner, name: string, hash: Buffer): Promise<boolean> {
  const row = await db
    .updateTable('playground_servers')
    .set({
      definitions_changed: sql`definitions_changed or (definitions_hash is not null and definitions_hash <> ${hash})`,
      definitions_hash: hash,
    })
    .where('account_id', '=', owner.accountId)
    .where('user_id', '=', owner.userId)
    .where('name', '=', name)
    .returning('definitions_changed as changed')
    .executeTakeFirst()
  return row?.changed ?? false
}

/** False: there was no such connection. */
export async function removeConnection(db: Queryable, owner: Owner, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('playground_servers')
    .where('account_id', '=', owner.accountId)
    .where('user_id', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
