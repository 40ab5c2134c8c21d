import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../db/database.ts'
import { startEmbedded } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { addBucketAids } from './bucket-aids.ts'
import { adminQuery, withDatabase } from './databases.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server on which each test file creates its database. */
    serverUrl: string
    /** Migrated once; test databases are copies of it. */
    templateName: string
  }
}

/** One PostgreSQL for the run: TEST_DATABASE_URL, or an embedded one in a temporary directory. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await testServer()
  const templateName = `finmeter_template_${randomBytes(4).toString('hex')}`
  await adminQuery(server.url, `create database ${templateName}`)
  const db = openDatabase(withDatabase(server.url, templateName), 4, () => {})
  const buckets = Number(process.env.METER_BUCKETS ?? 1)
  await migrate(db, { buckets })
  if (buckets > 1) await addBucketAids(db)
  await db.close()
  project.provide('serverUrl', server.url)
  project.provide('templateName', templateName)
  return async () => {
    await adminQuery(server.url, `drop database if exists ${templateName} with (force)`)
    await server.stop()
  }
}

async function testServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-test-'))
  const server = await startEmbedded(dir, randomBytes(12).toString('hex'), {
    flags: ['fsync=off', 'max_connections=200'],
  })
  return {
    url: server.connectionString,
    stop: async () => {
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
