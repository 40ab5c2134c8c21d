import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Database, Queryable } from '../../db/database.ts'
import { transact } from '../../db/in-transaction.ts'
import type { JsonSchema, Operation } from './document/operation.ts'
import type { Manifest } from './manifest.ts'

/** Sent, with the upstream's id, in the transaction of each change: servers take it over. */
export const UPSTREAMS_CHANGED = 'upstreams_changed'

export type UpstreamState = 'draft' | 'published' | 'paused'

/** What was read from a description and can be published. */
export interface StoredOperations {
  operations: Operation[]
  schemas: Record<string, JsonSchema>
}

export interface UpstreamVersion extends StoredOperations {
  id: string
  version: number
  manifest: Manifest
}

export interface UpstreamRow {
  id: string
  state: UpstreamState
  published: number | null
  versions: { version: number; createdAt: Date }[]
}

/** Changes one upstream under its lock, in the caller's transaction if there is one, and tells every server when it is committed. */
export const changeUpstream = <T>(db: Queryable, id: string, change: (tx: Queryable) => Promise<T>): Promise<T> =>
  transact(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`upstream ${id}`}, 0))`.execute(tx)
    const result = await change(tx)
    await sql`select pg_notify(${UPSTREAMS_CHANGED}, ${id})`.execute(tx)
    return result
  })

/** Stores the next version and returns its number. It is served once it is published. */
export async function insertVersion(
  tx: Queryable,
  { id, manifest, operations, schemas }: Omit<UpstreamVersion, 'version'>,
  document: string,
): Promise<number> {
  await tx
    .insertInto('upstreams')
    .values({ id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { last } = await tx
    .selectFrom('upstream_versions')
    .select(({ fn }) => fn.max('version').as('last'))
    .where('upstream_id', '=', id)
    .executeTakeFirstOrThrow()
  const version = Number(last ?? 0) + 1
  await tx
    .insertInto('upstream_versions')
    .values({
      upstream_id: id,
      version,
      manifest: JSON.stringify(manifest),
      operations: JSON.stringify({ operations, schemas }),
      document: gzipSync(document),
    })
    .execute()
  return version
}

/** Sets what is served. */
export const setState = (tx: Queryable, id: string, state: UpstreamState, published: number | null): Promise<unknown> =>
  tx.updateTable('upstreams').set({ state, published, changed_at: sql`app_now()` }).where('id', '=', id).execute()

/** Removes an upstream with its versions. */
export const deleteUpstream = (tx: Queryable, id: string): Promise<unknown> =>
  tx.deleteFrom('upstreams').where('id', '=', id).execute()

/** One upstream, or all; versions newest first. */
export async function readUpstreams(db: Queryable, id?: string): Promise<UpstreamRow[]> {
  const found = await db
    .selectFrom('upstreams')
    .select(['id', 'state', 'published'])
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .orderBy('id')
    .execute()
  const versions = await db
    .selectFrom('upstream_versions')
    .select(['upstream_id', 'version', 'created_at'])
    .orderBy('version', 'desc')
    .execute()
  return found.map((row) => ({
    ...row,
    state: row.state as UpstreamState,
    versions: versions
      .filter(({ upstream_id }) => upstream_id === row.id)
      .map(({ version, created_at }) => ({ version, createdAt: created_at })),
  }))
}

/** A version, with its manifest as it was stored; undefined if there is none. */
export async function readVersion(db: Queryable, id: string, version: number): Promise<UpstreamVersion | undefined> {
  const row = await db
    .selectFrom('upstream_versions')
    .select(['manifest', 'operations'])
    .where('upstream_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (!row) return undefined
  const { operations, schemas } = row.operations as unknown as StoredOperations
  return { id, version, manifest: row.manifest as unknown as Manifest, operations, schemas }
}

/** The description that a version was read from. */
export async function readDocument(db: Queryable, id: string, version: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('upstream_versions')
    .select('document')
    .where('upstream_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return row && gunzipSync(row.document).toString('utf8')
}

/** What is served now: the published version of each upstream that is not paused; `changed`: when that was said, in seconds. */
export async function servedVersions({ pool }: Database): Promise<{ id: string; version: number; changed: string }[]> {
  const { rows } = await pool.query<{ id: string; version: number; changed: string }>(
    `select id, published as version, extract(epoch from changed_at)::text as changed from upstreams
     where state = 'published' order by id`,
  )
  return rows
}
