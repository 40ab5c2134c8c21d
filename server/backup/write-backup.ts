import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { ClientBase, Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { bucketSchema } from '../db/bucket-schema.ts'
import type { Database } from '../db/database.ts'
import { withSchemaLock } from '../db/schema-lock.ts'
import { publishedFolder } from '../features/datasets/published-place.ts'
import { type GivenUp, givenUpBatches } from '../features/metering/given-up.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { copyOut } from './copy.ts'
import { fingerprint, type Manifest, type TableCopy } from './manifest.ts'
import { storeDatasets } from './store-datasets.ts'
import { storeFile, syncFolder } from './store-file.ts'
import { BUCKET_SCHEMA, copySettings, findSequences, findTables, quote, quoted, type Table } from './tables.ts'

export interface BackupParts {
  config: Pick<Config, 'FINMETER_DATA_DIR'> & Partial<Pick<Config, 'DATA_URL'>>
  db: Database
  secrets: Secrets
  log: Logger
  say: (line: string) => void
  /** Waits until the calls in the snapshot, which was taken `sinceMs` ago, have had their response. Tests replace it. */
  settle?: (sinceMs: number) => Promise<unknown>
}

/** Longer than a call waits for its response. */
const SETTLE_MS = 15_000
/** Higher levels save another tenth of the size and take twice as long. */
const GZIP_LEVEL = 4

/**
 * Writes a backup of the running installation into a new folder below `into`, and returns the folder's path. All tables
 * are from the same moment. The folder gets its name once it is complete.
 */
export async function writeBackup(into: string, parts: BackupParts): Promise<{ path: string; manifest: Manifest }> {
  const { db, say } = parts
  await mkdir(into, { recursive: true, mode: 0o700 })
  const wait = () => say('Waiting for a migration or a restore to end.')
  return withSchemaLock(
    db,
    'backup',
    async () => {
      const client = await db.pool.connect()
      try {
        return await copy(client, resolve(into), parts)
      } finally {
        client.release(true)
      }
    },
    wait,
  )
}

async function copy(
  client: PoolClient,
  into: string,
  { config, db, secrets, log, say, settle = untilAnswered }: BackupParts,
): Promise<{ path: string; manifest: Manifest }> {
  const tables = await findTables(client)
  if (tables.length === 0) throw new Error('The database is empty: there is nothing to back up.')
  await client.query(`begin isolation level repeatable read, read only; ${copySettings}`)
  // Before the first query, which takes the snapshot: a table that is rewritten after the snapshot would look empty.
  await client.query(`lock table ${tables.map(quoted).join(', ')} in access share mode`)
  const about = await readAbout(client)
  const name = `finmeter-${about.takenAt.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}`
  const path = join(into, name)
  const draft = join(into, `.${name}.${process.pid}.partial`)
  await mkdir(draft, { mode: 0o700 })
  try {
    const copies: TableCopy[] = []
    for (const table of tables) copies.push(await copyTable(client, table, draft, say))
    // A bucket is not copied: it outlives this machine as the backup does.
    const files = config.DATA_URL ? [] : await storeDatasets(publishedFolder(config), draft)
    if (files.length > 0) say(`${files.length} files of published datasets`)
    const { rows } = await client.query<{ active: boolean }>(
      `select exists(select from metering.meter_batches where at > app_now() - interval '1 minute') as active`,
    )
    const { active } = rows[0]!
    const voided = await findVoided(client, about.manifest.buckets)
    if (active) {
      say('Waiting for calls in progress to finish.')
      await settle(Date.now() - about.snapshotAtMs)
    }
    const manifest: Manifest = {
      ...about.manifest,
      format: 1,
      release: packageJson.version,
      keysSecret: fingerprint(secrets),
      tables: copies,
      sequences: await findSequences(client, tables),
      givenUp: await findGivenUp(
        db.pool,
        about.manifest.buckets,
        givenUpBatches(join(config.FINMETER_DATA_DIR, 'given-up'), log).left(),
        voided,
      ),
      files,
    }
    await client.query('commit')
    await writeFile(join(draft, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`, {
      mode: 0o600,
      flush: true,
    })
    await syncFolder(draft)
    await rename(draft, path)
    await syncFolder(into)
    return { path, manifest }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

const untilAnswered = (sinceMs: number): Promise<unknown> => sleep(Math.max(0, SETTLE_MS - sinceMs))

async function readAbout(client: PoolClient) {
  const { rows } = await client.query<
    Pick<Manifest, 'postgres' | 'lsn' | 'migrations' | 'buckets' | 'usageDays'> & { taken_at: Date }
  >(`
    select now() as taken_at, current_setting('server_version') as postgres,
      (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)::text as lsn,
      array(select name::text from kysely_migration order by name) as migrations,
      array(select id::int from buckets order by id) as buckets,
      array(select distinct to_date(right(relname, 8), 'YYYYMMDD')::text from pg_class
        where relnamespace::regnamespace::text ~ '${BUCKET_SCHEMA}' and relkind = 'r' and relname ~ '^usage_events_[0-9]{8}$' order by 1) as "usageDays"`)
  const { taken_at, ...manifest } = rows[0]!
  const takenAt = taken_at.toISOString()
  return { manifest: { ...manifest, takenAt }, takenAt, snapshotAtMs: Date.now() }
}

async function copyTable(
  client: PoolClient,
  table: Table,
  draft: string,
  say: (line: string) => void,
): Promise<TableCopy> {
  // COPY cannot read a partitioned table directly, only a query.
  const text = `copy (select ${table.columns.map(quote).join(', ')} from ${quoted(table)}) to stdout`
  const { stream, rows } = copyOut(client, text)
  const file = `tables/${table.schema}.${table.name}.copy.gz`
  const stored = await storeFile(draft, file, stream, createGzip({ level: GZIP_LEVEL }))
  if (rows() > 0) say(`${table.schema}.${table.name}: ${rows().toLocaleString('en-US')} rows`)
  return { ...table, rows: rows(), ...stored }
}

/** The batches of all buckets that are voided, as this connection sees them. */
async function findVoided(client: Pick<ClientBase | Pool, 'query'>, buckets: readonly number[]): Promise<GivenUp[]> {
  const found: GivenUp[] = []
  for (const bucket of buckets) {
    const { rows } = await client.query<{ batch: string }>(
      `select id::text as batch from ${bucketSchema(bucket)}.meter_batches where voided`,
    )
    found.push(...rows.map(({ batch }) => ({ bucket, batch })))
  }
  return found
}

/**
 * The batches that were given up before now and that the snapshot may not know. Each has a file or has been voided since.
 * The files (`left`) were read first, so none is missed between the two.
 */
async function findGivenUp(
  pool: Pick<Pool, 'query'>,
  buckets: readonly number[],
  left: readonly GivenUp[],
  voidedBefore: readonly GivenUp[],
): Promise<GivenUp[]> {
  const name = ({ bucket, batch }: GivenUp): string => `${bucket} ${batch}`
  const before = new Set(voidedBefore.map(name))
  const since = (await findVoided(pool, buckets)).filter((one) => !before.has(name(one)))
  return [...new Map([...left, ...since].map((one) => [name(one), one])).values()]
}
