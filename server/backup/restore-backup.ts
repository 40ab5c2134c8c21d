import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { runMigrations } from 'graphile-worker'
import type { PoolClient } from 'pg'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { bucketSchema } from '../db/bucket-schema.ts'
import type { Database } from '../db/database.ts'
import { applySchema, readSchema, type Schema } from '../db/migrate.ts'
import { withSchemaLock } from '../db/schema-lock.ts'
import { RESTORE_MARK } from '../db/schema-state.ts'
import { publishedFolder } from '../features/datasets/published-place.ts'
import { copyIn } from './copy.ts'
import type { Manifest, TableCopy } from './manifest.ts'
import { hashing, storeFile, syncFolder } from './store-file.ts'
import { copySettings, quote, quoted } from './tables.ts'

const sandboxSchema = join(import.meta.dirname, '../../sandbox/stripe/schema.sql')

export interface RestoreParts {
  config: Pick<Config, 'FINMETER_DATA_DIR'>
  db: Database
  say: (line: string) => void
}

/**
 * Restores the backup at `path` into an empty database and a data directory without datasets; throws a sentence for
 * others. Until everything is in place, no server starts on the database.
 */
export async function restoreBackup(path: string, manifest: Manifest, parts: RestoreParts): Promise<void> {
  const schema = await readSchema()
  const known = Object.keys(schema.migrations)
  const unknown = manifest.migrations.find((name) => !known.includes(name))
  if (unknown) throw new Error(unreadable(manifest, unknown))
  const wait = () => parts.say('Waiting for a migration or a backup to end.')
  await withSchemaLock(parts.db, 'migrate', () => load(path, manifest, schema, parts), wait)
}

function unreadable({ release, migrations }: Manifest, unknown: string): string {
  return migrations.includes('0001_core')
    ? 'This backup is of a database of Finmeter 0.1.0: it must be migrated before it is backed up.'
    : `This backup was made by Finmeter ${release} (${unknown} is unknown to ${packageJson.version}): restore it with Finmeter ${release} or later.`
}

async function load(
  path: string,
  manifest: Manifest,
  schema: Schema,
  { config, db, say }: RestoreParts,
): Promise<void> {
  const root = publishedFolder(config)
  if (manifest.files.length > 0 && (await readdir(root).catch(() => [])).length > 0)
    throw new Error(`${root} is not empty: use another FINMETER_DATA_DIR, or move that folder.`)
  await requireEmpty(db)
  await db.pool.query(`create table ${RESTORE_MARK} ()`)
  // Triggers would treat the rows as new ones, so functions are applied after them.
  await applySchema(db, await readSchema(undefined, false), {
    upTo: manifest.migrations.at(-1),
    // Numbers follow each other: buckets are added at the end, and none is removed.
    buckets: manifest.buckets.length,
  })
  const has = (name: string) => manifest.tables.some((table) => table.schema === name)
  if (has('graphile_worker')) await runMigrations({ pgPool: db.pool })
  if (has('stripe_sandbox')) await db.pool.query(await readFile(sandboxSchema, 'utf8'))
  const client = await db.pool.connect()
  try {
    await client.query(`begin; ${copySettings}`)
    await loadTables(client, path, manifest, say)
    await client.query('commit')
  } finally {
    client.release(true)
  }
  await applySchema(db, schema)
  for (const { bucket, batch } of manifest.givenUp)
    await db.pool.query(`select ${bucketSchema(bucket)}.meter_void($1)`, [batch])
  await db.pool.query('analyze')
  if (manifest.files.length > 0) await loadFiles(path, manifest.files, config.FINMETER_DATA_DIR)
  await db.pool.query(`drop table ${RESTORE_MARK}`)
}

/** Throws a sentence if the database has anything in it that is not part of an extension. */
async function requireEmpty({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname !~ '^(pg_|information_schema$)' and c.relkind in ('r', 'p', 'v', 'm', 'S')
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by c.relname <> $1 limit 1`,
    [RESTORE_MARK],
  )
  const [found] = rows
  if (found?.name === RESTORE_MARK)
    throw new Error(
      'An earlier restore into this database did not finish: drop the database, create it again, and repeat the restore. If it is the embedded one, remove the folder postgres of FINMETER_DATA_DIR.',
    )
  if (found)
    throw new Error(
      `The database is not empty (it has ${found.name}): a restore overwrites nothing. Name a new database in DATABASE_URL, or a new FINMETER_DATA_DIR.`,
    )
}

async function loadTables(
  client: PoolClient,
  path: string,
  manifest: Manifest,
  say: (line: string) => void,
): Promise<void> {
  const { rows: missing } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regclass(name) is null limit 1',
    [manifest.tables.map(quoted)],
  )
  if (missing[0])
    throw new Error(
      `This backup has the table ${missing[0].name}, which Finmeter ${packageJson.version} does not have: restore with the release that made the backup.`,
    )
  // The backup has the rows that the migrations have just written.
  await client.query(`truncate ${manifest.tables.map(quoted).join(', ')}`)
  for (const bucket of manifest.buckets)
    for (const day of manifest.usageDays)
      await client.query(`select ${bucketSchema(bucket)}.usage_partition_create($1::date)`, [day])
  for (const table of manifest.tables) {
    await loadTable(client, path, table)
    if (table.rows > 0) say(`${table.schema}.${table.name}: ${table.rows.toLocaleString('en-US')} rows`)
  }
  for (const { table, column, last } of manifest.sequences)
    await client.query('select setval(pg_get_serial_sequence($1, $2), $3::bigint)', [table, column, last])
  // Jobs that were running during the snapshot are locked by processes that never used this database.
  if (manifest.tables.some(({ schema }) => schema === 'graphile_worker'))
    await client.query(`update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_at is not null;
      update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_at is not null`)
}

async function loadTable(client: PoolClient, path: string, table: TableCopy): Promise<void> {
  const seen = hashing()
  const damaged = (why: string) => new Error(`The backup is damaged: ${table.file} ${why}. Use another one.`)
  const text = `copy ${quoted(table)} (${table.columns.map(quote).join(', ')}) from stdin`
  let rows = 0
  try {
    await pipeline(createReadStream(join(path, table.file)), seen.through, createGunzip(), async (source) => {
      rows = await copyIn(client, text, source)
    })
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === '42703')
      throw new Error(
        `${table.schema}.${table.name} does not have the form that this backup needs (${message}): restore with the release that made the backup.`,
      )
    throw damaged(`cannot be read (${message})`)
  }
  if (seen.result().sha256 !== table.sha256) throw damaged('does not match its checksum')
  if (rows !== table.rows) throw damaged(`has ${rows} rows instead of ${table.rows}`)
}

async function loadFiles(path: string, files: Manifest['files'], dataDir: string): Promise<void> {
  const folders = new Set<string>()
  for (const { path: name, file, sha256 } of files) {
    const target = join(dataDir, name)
    await mkdir(dirname(target), { recursive: true })
    folders.add(dirname(target))
    // Its bytes, also if somebody has made it a link.
    if ((await storeFile(dataDir, name, createReadStream(join(path, file)))).sha256 === sha256) continue
    await rm(target)
    throw new Error(`The backup is damaged: ${file} does not match its checksum. Use another one.`)
  }
  for (const folder of folders) await syncFolder(folder)
}
