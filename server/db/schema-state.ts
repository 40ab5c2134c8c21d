import { sql } from 'kysely'
import packageJson from '../../package.json' with { type: 'json' }
import type { FunctionFile } from './apply-functions.ts'
import type { BucketParts } from './bring-up-bucket.ts'
import { bucketSchema } from './bucket-schema.ts'
import type { Queryable } from './database.ts'
import { releaseName, releaseNumber } from './schema-release.ts'

/** How a database relates to this release. */
export type SchemaState =
  | { kind: 'current' }
  /** `pending`: migrations in order, those of buckets as m00/0001_metering; only then, functions whose text has changed. */
  | { kind: 'behind'; empty: boolean; pending: string[]; changed: string[] }
  /** A newer release has migrated it. `refusal`: why servers of this one do not work on it; null: they do. */
  | { kind: 'newer'; refusal: string | null }
  | { kind: 'restoring' }

/** A restore creates this table first and drops it last: while it exists, the database is incomplete. */
export const RESTORE_MARK = 'restore_in_progress'

interface Release {
  migrations: Record<string, unknown>
  functions: readonly FunctionFile[]
  buckets: BucketParts
}

/** Compares the database with the migrations and functions of this release. Changes nothing. */
export async function schemaState(db: Queryable, release: Release): Promise<SchemaState> {
  const migrations = Object.keys(release.migrations)
  const { rows } = await sql<Record<'restoring' | 'migrated' | 'noted' | 'applied' | 'inBuckets', boolean>>`
    select to_regclass(${RESTORE_MARK}) is not null as restoring, to_regclass('public.kysely_migration') is not null as migrated,
      to_regclass('public.schema_release') is not null as noted, to_regclass('public.applied_functions') is not null as applied,
      to_regclass('public.bucket_migrations') is not null as "inBuckets"`.execute(db)
  const has = rows[0]!
  if (has.restoring) return { kind: 'restoring' }
  const done = has.migrated ? await appliedMigrations(db) : []
  // Migrations of 0.1.0, which take-over.ts converts.
  if (done.includes('0001_core')) return { kind: 'behind', empty: false, pending: migrations, changed: [] }
  const buckets = has.inBuckets ? await bucketMigrations(db) : []
  const known = release.buckets.migrations.map(({ name }) => name)
  const unknown =
    done.find((name) => !migrations.includes(name)) ??
    buckets.flatMap(({ names }) => names).find((name) => !known.includes(name))
  if (unknown) return { kind: 'newer', refusal: refusalOf(unknown, has.noted ? await notedRelease(db) : null) }
  const pending = [
    ...migrations.filter((name) => !done.includes(name)),
    ...buckets.flatMap(({ schema, names }) =>
      known.filter((name) => !names.includes(name)).map((name) => `${schema}/${name}`),
    ),
  ]
  const functions = [
    ...release.functions,
    ...buckets.flatMap(({ schema }) =>
      release.buckets.functions.map((file) => ({ ...file, name: `${schema}/${file.name}` })),
    ),
  ]
  const changed = has.applied ? await changedFunctions(db, functions) : functions.map(({ name }) => name)
  if (pending.length === 0 && changed.length === 0) return { kind: 'current' }
  return { kind: 'behind', empty: done.length === 0, pending, changed }
}

/** The names of the applied migrations, in order. */
export async function appliedMigrations(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from public.kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Each bucket with its migrations. No bucket yet: the first has none. */
async function bucketMigrations(db: Queryable): Promise<{ schema: string; names: string[] }[]> {
  const { rows } = await sql<{ id: number; names: string[] }>`
    select coalesce(b.id, 0) as id, array_remove(array_agg(m.name), null) as names
    from (select 1) one left join public.buckets b on true left join public.bucket_migrations m on m.bucket = b.id
    group by 1 order by 1`.execute(db)
  return rows.map(({ id, names }) => ({ schema: bucketSchema(id), names }))
}

interface Noted {
  release: number
  serves_from: number
}

const notedRelease = async (db: Queryable): Promise<Noted> =>
  (await sql<Noted>`select release, serves_from from schema_release`.execute(db)).rows[0]!

/** Functions are not compared if a newer release has applied its own. */
async function changedFunctions(db: Queryable, functions: readonly FunctionFile[]): Promise<string[]> {
  const { rows } = await sql<{ file: string; sha256: string; release: number }>`
    select file, sha256, release from applied_functions`.execute(db)
  if (rows.some(({ release }) => release > releaseNumber(packageJson.version))) return []
  const applied = new Map(rows.map(({ file, sha256 }) => [file, sha256]))
  return functions.filter(({ name, sha256 }) => applied.get(name) !== sha256).map(({ name }) => name)
}

function refusalOf(unknown: string, noted: Noted | null): string | null {
  const own = packageJson.version
  if (!noted)
    return `a newer release of Finmeter has migrated it (${unknown} is unknown here). Start that release or a later one.`
  if (releaseNumber(own) >= noted.serves_from) return null
  const [by, from] = [releaseName(noted.release), releaseName(noted.serves_from)]
  return `Finmeter ${by} has migrated it, and ${own} no longer works on it. Start Finmeter ${from} or later, or restore a backup made before that.`
}
