import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { inject } from 'vitest'
import type { Mailbox } from '#sandbox/mail/mailbox.ts'
import type { StripeSandbox } from '#sandbox/stripe/sandbox.ts'
import type { Composition } from '../compose.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { freePort } from '../db/embedded.ts'
import { makeBucket } from '../db/make-bucket.ts'
import type { Deps } from '../deps.ts'
import { loadMarketData, type MarketData } from '../features/market-data/market-data.ts'
import { addBucketAids, TEST_SEARCH_PATH } from './bucket-aids.ts'
import { adminQuery, withDatabase } from './databases.ts'

export interface TestDatabase {
  url: string
  db: Database
  drop: () => Promise<void>
}

/** Copying files takes a third of the processor time, but flushes each, except on the tests' own server, which flushes none. */
const COPY = process.env.TEST_DATABASE_URL || process.env.CITUS_TESTS ? '' : 'strategy file_copy'

/** A database for one test file: a copy of the migrated template, with at least this many buckets. */
export async function createTestDatabase(buckets = 1): Promise<TestDatabase> {
  const nodes = inject('nodeUrls')
  const name = `finmeter_test_${randomBytes(6).toString('hex')}`
  for (const node of nodes) await adminQuery(node, `create database ${name} template ${inject('templateName')} ${COPY}`)
  const url = withDatabase(nodes[0]!, name)
  if (buckets > BUCKETS) await addBuckets(url, buckets)
  const db = openTestHandle(url, 10, Math.max(buckets, BUCKETS))
  return {
    url,
    db,
    drop: async () => {
      await db.close()
      for (const node of nodes) await adminQuery(node, `drop database if exists ${name} with (force)`)
    },
  }
}

/** Tests see the tables of all buckets, and the product only those of the bucket that it has chosen. */
const BUCKETS = Number(process.env.METER_BUCKETS ?? 1)

/** What a test reads and writes through. `onError` stays silent: tests cut connections. */
export const openTestHandle = (url: string, poolSize: number, buckets = BUCKETS): Database =>
  openDatabase(url, poolSize, () => {}, ...(buckets > 1 ? [TEST_SEARCH_PATH] : []))

async function addBuckets(url: string, buckets: number): Promise<void> {
  const db = openDatabase(url, 2, () => {})
  for (let bucket = BUCKETS; bucket < buckets; bucket++) await makeBucket(db, bucket)
  if (BUCKETS === 1) await addBucketAids(db)
  await db.close()
}

export interface TestServer {
  url: string
  app: FastifyInstance
  deps: Deps
  db: Database
  databaseUrl: string
  /** The emails that the server sent; null if SMTP_URL is set. */
  mailbox: Mailbox | null
  /** The Stripe sandbox. It delivers events and renews only on request. */
  stripeSandbox: StripeSandbox | null
  close: () => Promise<void>
}

/** Configuration of a test server; `env` overrides or adds variables. */
export function testConfig(databaseUrl: string, port: number, env: NodeJS.ProcessEnv = {}): Config {
  return loadConfig({
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    KEYS_SECRET: 'ab'.repeat(32),
    LOG_LEVEL: 'error',
    // No test may see what a developer published on this machine.
    FINMETER_DATA_DIR: join(tmpdir(), 'finmeter-tests-own-nothing'),
    // What a test does in this process, such as an import on a busy machine, is no overload of the server.
    SHED_EVENT_LOOP_MS: '60000',
    ...env,
  })
}

const held = new Map<boolean, Promise<MarketData>>()
/** The demonstration data is read-only, so all servers of this process share it. */
const loadHeld: typeof loadMarketData = (options) => {
  const loading = held.get(options.demoPrices) ?? loadMarketData(options)
  held.set(options.demoPrices, loading)
  return loading
}

/** The whole product, listening on a free loopback port, on a fresh database (or on `databaseUrl`, for a second instance). */
export async function startTestServer(
  options: { env?: NodeJS.ProcessEnv; databaseUrl?: string } = {},
): Promise<TestServer> {
  const [{ buildApp }, { compose }] = await Promise.all([import('../app.ts'), import('../compose.ts')])
  const own = options.databaseUrl ? null : await createTestDatabase()
  const databaseUrl = options.databaseUrl ?? own!.url
  const config = testConfig(databaseUrl, await freePort(), options.env)
  const composition: Composition = await compose(config, databaseUrl, { sandboxTickMs: 0, loadHeld })
  const several = composition.deps.db.session.searchPath === 'public'
  const db = several ? openTestHandle(databaseUrl, 10, 2) : composition.deps.db
  const app = await buildApp(composition.deps, composition.extensions)
  await app.listen({ port: config.PORT, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    app,
    deps: composition.deps,
    db,
    databaseUrl,
    mailbox: composition.peers.mail?.mailbox ?? null,
    stripeSandbox: composition.peers.stripe?.sandbox ?? null,
    close: async () => {
      await app.close()
      await composition.close()
      if (several) await db.close()
      await own?.drop()
    },
  }
}
