import { sql } from 'kysely'
import type { UserActor } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'

/** The owner of a connection: a person in a workspace. */
export type Owner = Pick<UserActor, 'accountId' | 'userId'>

export interface Connection {
  name: string
  /** Empty: our own server. Else the id of an operator's server, or a URL. */
  command: string
  protocolVersion: string
  /** The definitions as last read by the person, and as last listed. Null: not listed yet. */
  definitionsRead: Definitions | null
  definitionsSeen: Definitions | null
}

/** Hashes of tool definitions by name. */
export type Definitions = Record<string, string>

const columns = [
  'name',
  'command',
  'protocol_version as protocolVersion',
  'definitions_read as definitionsRead',
  'definitions_seen as definitionsSeen',
] as const

const own = (db: Queryable, { accountId, userId }: Owner) =>
  db
    .selectFrom('playground_servers')
    .select(columns)
    .$narrowType<Pick<Connection, 'definitionsRead' | 'definitionsSeen'>>()
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)

/** In the order in which they were connected. */
export const connectionsOf = (db: Queryable, owner: Owner): Promise<Connection[]> =>
  own(db, owner).orderBy('connected_at').orderBy('name').execute()

export const findConnection = (db: Queryable, owner: Owner, name: string): Promise<Connection | undefined> =>
  own(db, owner).where('name', '=', name).executeTakeFirst()

export async function countConnections(db: Queryable, owner: Owner): Promise<number> {
  return (await connectionsOf(db, owner)).length
}

/** Connects or reconnects. The last listed definitions are kept, so that changes can be reported. */
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
        definitions_read: sql`case when playground_servers.command = ${command} then playground_servers.definitions_read end`,
        definitions_seen: sql`case when playground_servers.command = ${command} then playground_servers.definitions_seen end`,
      }),
    )
    .execute()
}

const row = (db: Queryable, { accountId, userId }: Owner, name: string) =>
  db
    .updateTable('playground_servers')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('name', '=', name)

/** Stores the definitions that a server sent. The first ones count as read. */
export async function noteDefinitions(db: Queryable, owner: Owner, name: string, seen: Definitions): Promise<void> {
  const list = JSON.stringify(seen)
  await row(db, owner, name)
    .set({ definitions_seen: list, definitions_read: sql`coalesce(definitions_read, ${list}::jsonb)` })
    .execute()
}

/** From now on only differences from the latest list are changes. */
export async function acceptDefinitions(db: Queryable, owner: Owner, name: string): Promise<void> {
  await row(db, owner, name).set({ definitions_read: sql`definitions_seen` }).execute()
}

/** Returns false when there was no such connection. */
export async function removeConnection(db: Queryable, owner: Owner, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('playground_servers')
    .where('account_id', '=', owner.accountId)
    .where('user_id', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
