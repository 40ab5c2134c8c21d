import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { checkContents } from '../cli/checks/database.ts'
import { createReport } from '../cli/checks/report.ts'
import { isEmbedded } from '../cli/connect.ts'
import type { Config } from '../config/config.ts'
import { makeDataDir } from '../data-dir/make.ts'
import { DatabaseClient } from '../db/client.ts'
import { openDatabase } from '../db/database.ts'
import { startEmbedded } from '../db/embedded.ts'
import { withDatabaseName } from '../db/hosts.ts'
import { secretsOf } from '../secrets/secrets.ts'
import { findBackup } from './find-backup.ts'
import { readManifest } from './manifest.ts'
import { requireSameSecret } from './require-same-secret.ts'
import { restoreBackup } from './restore-backup.ts'
import { quote } from './tables.ts'

const HOUR_MS = 3_600_000
const NAME = 'finmeter_drill_'

/**
 * Restores the newest backup in `folder` into a database that is dropped afterwards, and checks its contents. Returns
 * the outcome as one line; throws one if the backup could not be used.
 */
export async function drill(folder: string, config: Config, maxAgeHours: number | null): Promise<string> {
  const startedAt = performance.now()
  const path = await findBackup(folder)
  const manifest = await readManifest(path)
  const ageHours = (Date.now() - Date.parse(manifest.takenAt)) / HOUR_MS
  if (maxAgeHours !== null && ageHours > maxAgeHours)
    throw new Error(
      `${path} is the newest backup, but is ${ageHours.toFixed(1)} hours old; the limit is ${maxAgeHours}.`,
    )
  requireSameSecret(config, manifest)
  // Not the system's temporary folder, which a container may lack.
  makeDataDir(config.FINMETER_DATA_DIR)
  const dataDir = await mkdtemp(join(resolve(config.FINMETER_DATA_DIR), 'drill-'))
  try {
    const place = isEmbedded(config) ? await ownServer(dataDir) : await ownDatabase(config.DATABASE_URL!)
    try {
      const db = openDatabase(place.url, 4, () => {})
      try {
        await restoreBackup(path, manifest, { config: { FINMETER_DATA_DIR: dataDir }, db, say: () => {} })
        const wrong: string[] = []
        const note = (line: string) => void (line.startsWith('WRONG') && wrong.push(line.slice('WRONG  '.length)))
        const connection = { config, db, databaseUrl: place.url, secrets: secretsOf(config), close: async () => {} }
        await checkContents(connection, createReport(note))
        const [first, ...others] = wrong
        if (first)
          throw new Error(
            `${path} can be restored, but its contents are inconsistent: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`,
          )
      } finally {
        await db.close()
      }
    } finally {
      await place.end()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  const seconds = (performance.now() - startedAt) / 1000
  return `${basename(path)}, ${ageHours.toFixed(1)} hours old: ${rows.toLocaleString('en-US')} rows restored and checked in ${seconds.toFixed(1)} seconds.`
}

interface Place {
  url: string
  end: () => Promise<unknown>
}

async function ownServer(dataDir: string): Promise<Place> {
  const server = await startEmbedded(dataDir, randomBytes(12).toString('hex'))
  return { url: server.connectionString, end: () => server.stop() }
}

/** Creates a database on the installation's server, after dropping those of drills that were killed. */
async function ownDatabase(databaseUrl: string): Promise<Place> {
  const client = new DatabaseClient({ connectionString: databaseUrl })
  await client.connect()
  const name = `${NAME}${randomBytes(6).toString('hex')}`
  try {
    const { rows } = await client.query<{ left: string }>(
      `select datname as left from pg_database d where starts_with(datname, $1) and pg_has_role(datdba, 'member')
         and not exists (select from pg_stat_activity a where a.datid = d.oid)`,
      [NAME],
    )
    for (const { left } of rows) await client.query(`drop database if exists ${quote(left)}`)
    await client.query(`create database ${name} template template0 encoding 'UTF8'`)
  } catch (error) {
    await client.end()
    if ((error as { code?: string }).code !== '42501') throw error
    throw new Error(
      'The role in DATABASE_URL may not create the database for the drill: run "alter role <role> createdb" as a superuser, or name another server in DATABASE_URL.',
    )
  }
  return {
    url: withDatabaseName(databaseUrl, name),
    async end() {
      await client.query(`drop database if exists ${name} with (force)`)
      await client.end()
    },
  }
}
