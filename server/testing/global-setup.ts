import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Database, openDatabase } from '../db/database.ts'
import { startEmbedded } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { addBucketAids } from './bucket-aids.ts'
import { createCitusTemplate } from './citus-template.ts'
import { adminQuery, withDatabase } from './databases.ts'
import { roomyFolder } from './roomy-folder.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server on which each test file creates its database. */
    serverUrl: string
    /** The servers on which it must be created: more than one with CITUS_TESTS. */
    nodeUrls: string[]
    /** Migrated once; test databases are copies of it. */
    templateName: string
  }
}

/** Many times what a run has written at once. */
const ROOM_BYTES = 2 * 2 ** 30

/**
 * One PostgreSQL for the run: TEST_DATABASE_URL, or an embedded one in a temporary directory. With CITUS_TESTS it is the cluster at
 * CITUS_URL, and every database has its buckets on the workers.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const buckets = Number(process.env.METER_BUCKETS ?? 1)
  const aids = async (db: Database) => (buckets > 1 ? addBucketAids(db) : undefined)
  if (process.env.CITUS_TESTS) {
    const { name, nodes, drop } = await createCitusTemplate(process.env.CITUS_URL!, buckets, aids)
    project.provide('serverUrl', nodes[0]!)
    project.provide('nodeUrls', nodes)
    project.provide('templateName', name)
    return drop
  }
  const server = await testServer()
  const templateName = `finmeter_template_${randomBytes(4).toString('hex')}`
  await adminQuery(server.url, `create database ${templateName}`)
  const db = openDatabase(withDatabase(server.url, templateName), 4, () => {})
  await migrate(db, { buckets })
  await aids(db)
  await db.close()
  project.provide('serverUrl', server.url)
  project.provide('nodeUrls', [server.url])
  project.provide('templateName', templateName)
  return async () => {
    await adminQuery(server.url, `drop database if exists ${templateName} with (force)`)
    await server.stop()
  }
}

async function testServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  // On a disk, what this server writes delays every server of a test that flushes its files.
  const dir = await mkdtemp(join(await roomyFolder(ROOM_BYTES), 'finmeter-test-'))
  // Before the server: a run that is killed as soon as that runs leaves it to somebody, too.
  const forget = endWithThisProcess(dir)
  const server = await startEmbedded(dir, randomBytes(12).toString('hex'), {
    // Nothing recovers this server from its log, and no database lives long enough to be vacuumed.
    flags: [
      'fsync=off',
      'full_page_writes=off',
      'wal_compression=off',
      'autovacuum=off',
      'max_connections=200',
      'max_wal_size=256MB',
    ],
  })
  return {
    url: server.connectionString,
    stop: async () => {
      await server.stop()
      forget()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/**
 * A run that is killed cannot stop its server: a shell that waits for the end of its input does, and removes `dir`. The
 * system closes that input when this process ends, however it ends. Returns what ends the shell.
 */
function endWithThisProcess(dir: string): () => void {
  const script =
    'read -r _; pid=$(head -n 1 "$0/postgres/postmaster.pid") && kill -QUIT "$pid" && while kill -0 "$pid"; do sleep 0.1; done; rm -rf "$0"'
  const watcher = spawn('sh', ['-c', script, dir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watcher.unref()
  return () => void watcher.kill()
}
