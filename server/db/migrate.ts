import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import packageJson from '../../package.json' with { type: 'json' }
import { applyFunctions, type FunctionFile, readFunctions } from './apply-functions.ts'
import { type BucketParts, bringUpBucket, neededBy, readBucketParts, setSearchPath } from './bring-up-bucket.ts'
import { bucketSchema } from './bucket-schema.ts'
import type { Database } from './database.ts'
import type { DB } from './schema.gen.ts'
import { withSchemaLock } from './schema-lock.ts'
import { noteRelease, releaseNumber, servesFrom } from './schema-release.ts'
import { appliedMigrations, type SchemaState, schemaState } from './schema-state.ts'
import { isBeforeBuckets, takeIntoBucket } from './take-into-bucket.ts'
import { takeOver } from './take-over.ts'

const migrationsFolder = join(import.meta.dirname, 'migrations')
const functionsFolder = join(import.meta.dirname, 'functions')

/** A migration waits this long for a table, and calls wait behind it. Then it is rolled back and tried again. */
const LOCK_TIMEOUT_MS = 1_000
const LOCK_ATTEMPTS = 60
/** A table in use for too long, or a deadlock with those who use it. */
const IN_USE = ['55P03', '40P01']

/** The migration that moves the metering tables of earlier databases. */
const INTO_BUCKETS = '0014_buckets.sql'

/** The schema that this release applies to a database. */
export interface Schema {
  functions: FunctionFile[]
  migrations: Record<string, Migration>
  buckets: BucketParts
  finish: (tx: Kysely<DB>) => Promise<string[]>
}

export interface MigrateOptions {
  /** Of migrations: those of this release unless stated. */
  folder?: string
  /** How many buckets a new database gets: 1 unless stated. */
  buckets?: number
  /** Is told, in a sentence, what it waits for and what it does. */
  say?: (line: string) => void
}

/**
 * Brings the database up to this release: applies the pending files of `migrations/` in order and the changed files of
 * `functions/`, in one transaction, then brings up each bucket, in one transaction each. What was interrupted goes on with
 * the next attempt. Servers that start together do it once. If a backup is running, waits for it.
 * Returns the names of what was applied: nothing for a database of a newer release on which this one works. Throws on
 * the first failure, and for a database that this release cannot use.
 */
export async function migrate(
  db: Database,
  { folder = migrationsFolder, buckets = 1, say = () => {} }: MigrateOptions = {},
): Promise<string[]> {
  const schema = await readSchema(folder)
  const state = await usableState(db, schema)
  if (state.kind !== 'behind') return []
  if (state.pending.length === 0) return applySchema(db, schema, { say })
  const apply = async () => {
    // Another server may have done it meanwhile.
    if ((await usableState(db, schema)).kind !== 'behind') return []
    return applySchema(db, schema, { buckets, say })
  }
  return withSchemaLock(db, 'migrate', apply, () => say('Waiting for a backup or another migration to end.'))
}

/** Throws a sentence that says what to do unless servers of this release work on the database as it is. */
export async function requireMigrated(db: Database): Promise<void> {
  const state = await requireUsable(db)
  if (state.kind !== 'behind') return
  if (state.empty) throw new Error('The database is empty: run npm run migrate, or start the server once.')
  const [first, ...others] = [...state.pending, ...state.changed.map((name) => `function ${name}`)]
  const missing = others.length > 0 ? `${first} and ${others.length} more` : first
  throw new Error(`The database is behind release ${packageJson.version} (${missing}): run npm run migrate.`)
}

/** The state of the database; throws a sentence if this release can do nothing with it. */
export const requireUsable = async (db: Database): Promise<SchemaState> => usableState(db, await readSchema())

async function usableState(db: Database, schema: Schema): Promise<SchemaState> {
  const state = await schemaState(db.kysely, schema).catch(cannotBeUsed)
  if (state.kind === 'restoring')
    cannotBeUsed(new Error('a restore into it is not finished. Wait until it is, or restore into an empty database.'))
  if (state.kind === 'newer' && state.refusal !== null) cannotBeUsed(new Error(state.refusal))
  return state
}

/**
 * Applies what is pending; with `upTo`, no migration after that one. The caller holds the lock for migrations.
 */
export async function applySchema(
  db: Database,
  { functions, migrations, buckets: parts, finish }: Schema,
  { upTo, buckets = 1, say = () => {} }: { upTo?: string | undefined } & Omit<MigrateOptions, 'folder'> = {},
): Promise<string[]> {
  if (await isBeforeBuckets(db.kysely))
    say('Moving the metering tables into bucket m00. Only the catalog changes, so the number of rows does not matter.')
  const { rows } = await sql<{ made: boolean }>`
    select to_regclass('public.kysely_migration') is not null as made`.execute(db.kysely)
  if (rows[0]!.made)
    await patiently(
      () =>
        db.kysely.transaction().execute(async (tx) => {
          await limitWaits(tx)
          await takeOver(tx, functions, await appliedMigrations(tx))
        }),
      say,
    ).catch(cannotBeUsed)
  const migrator = new Migrator({
    db: db.kysely,
    provider: { getMigrations: async () => migrations },
    migrationTableSchema: 'public',
  })
  const { error, results } = await patiently(async () => {
    const outcome = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
    if (isInUse(outcome.error)) throw outcome.error
    return outcome
  }, say).catch((error: unknown) => ({ error, results: undefined }))
  const failed = results?.find((result) => result.status === 'Error')
  if (error && failed) throw new Error(`Migration ${failed.migrationName} failed: ${String(error)}`, { cause: error })
  if (error) cannotBeUsed(error)
  const applied = results?.map((result) => result.migrationName) ?? []
  const ids = await bucketsOf(db, buckets)
  for (const id of ids) {
    const brought = await patiently(
      () =>
        db.kysely.transaction().execute(async (tx) => {
          await limitWaits(tx)
          return bringUpBucket(tx, id, parts)
        }),
      say,
    )
    if (brought.length > 0 && ids.length > 1) say(`Bucket ${bucketSchema(id)} is up to date.`)
    applied.push(...brought)
  }
  // Without an earlier migration, this also applies the functions.
  return upTo === undefined ? [...applied, ...(await db.kysely.transaction().execute(finish))] : applied
}

/** The buckets of this database; a new one gets as many as stated. Once the rows are written, an interrupted start goes on. */
async function bucketsOf({ kysely }: Database, wanted: number): Promise<number[]> {
  const { rows: made } = await sql`select where to_regclass('public.bucket_migrations') is not null`.execute(kysely)
  if (made.length === 0) return []
  await sql`insert into public.buckets (id) select n from generate_series(0, ${wanted - 1}::int) n
    where not exists (select from public.buckets)`.execute(kysely)
  const { rows } = await sql<{ id: number }>`select id from public.buckets order by id`.execute(kysely)
  return rows.map(({ id }) => id)
}

/** Repeats an attempt that failed only because a table was in use for too long. */
export async function patiently<T>(attempt: () => Promise<T>, say: (line: string) => void = () => {}): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isInUse(error) || tried === LOCK_ATTEMPTS) throw error
      say(`Calls keep a table busy: stepped back (${tried} of ${LOCK_ATTEMPTS} attempts).`)
      await sleep(LOCK_TIMEOUT_MS)
    }
  }
}

const isInUse = (error: unknown): boolean => IN_USE.includes((error as { code?: string } | undefined)?.code ?? '')

/** A migration gives up rather than let calls wait behind it. */
export const limitWaits = (tx: Kysely<DB>) =>
  sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`.execute(tx)

function cannotBeUsed(error: unknown): never {
  throw new Error(`The database cannot be used: ${(error as Error).message}`, { cause: error })
}

/**
 * The files of `migrations/` (or of another folder) and `functions/`. Without functions, there are no triggers after the
 * last migration either; buckets always have theirs.
 */
export async function readSchema(folder = migrationsFolder, withFunctions = true): Promise<Schema> {
  const functions = await readFunctions(functionsFolder)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const release = releaseNumber(packageJson.version)
  const buckets = await readBucketParts(functionsFolder, folder)
  const finish = async (tx: Kysely<DB>) => {
    await setSearchPath(tx, 'public')
    const changed = await applyFunctions(tx, functions, release)
    await noteRelease(tx, release, servesFrom(texts))
    return changed
  }
  const migrations = names.map((name, at): [string, Migration] => {
    const text = texts[at]!
    const up = async (tx: Kysely<DB>) => {
      await limitWaits(tx)
      await setSearchPath(tx, 'public')
      for (const needed of neededBy(text, functions)) await sql.raw(needed.text).execute(tx)
      await sql.raw(text).execute(tx)
      if (name === INTO_BUCKETS) await takeIntoBucket(tx, buckets)
      // In the migrations' transaction: no server ever sees the new tables with the old functions.
      if (withFunctions && name === names.at(-1)) await finish(tx)
    }
    return [name.replace(/\.sql$/, ''), { up }]
  })
  return { functions, migrations: Object.fromEntries(migrations), buckets, finish }
}
