import pg from 'pg'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { compose } from '../compose.ts'
import { makeLoadTestAccount } from '../features/operator/make-load-test-account.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { adminQuery, withDatabase } from '../testing/databases.ts'
import { createTestDatabase, startTestServer, type TestDatabase, testConfig } from '../testing/harness.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../testing/pgbouncer.ts'
import { startServerProcess } from '../testing/process.ts'
import { runAdmin, runDoctor } from '../testing/run-admin.ts'
import { openDatabase } from './database.ts'
import { createListener } from './listen.ts'

const named =
  'DATABASE_URL leads to a connection pooler that gives each transaction another session, such as PgBouncer with pool_mode=transaction. Notifications, session settings and prepared statements are lost there. Use pool_mode=session for this database, or connect to PostgreSQL directly.'

let database: TestDatabase
let pooler: PgBouncer
beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(() => pooler?.stop())
afterAll(() => database.drop())

describe.skipIf(!hasPgBouncer)('behind PgBouncer in transaction mode', () => {
  test('a server does not start, a command does not run, and doctor fails: each says what to do', async () => {
    pooler = await startPgBouncer(database.url, 'transaction')
    const env = { NODE_ENV: 'test', DATABASE_URL: pooler.url, KEYS_SECRET: 'ab'.repeat(32), PORT: '0' }
    const { code, output } = await startServerProcess(env).ended
    expect({ code, output }).toEqual({ code: 1, output: `Finmeter cannot start: ${named}\n` })
    const command = await runAdmin(pooler.url, ['list'])
    expect({ code: command.code, err: command.err }).toEqual({ code: 1, err: `${named}\n` })
    const checked = await runDoctor(pooler.url)
    expect(checked.code).toBe(1)
    expect(checked.out.split('\n')).toContain(`WRONG  ${named}`)
  })

  test('not even a new database is migrated', async () => {
    const empty = withDatabase(database.url, `${new URL(database.url).pathname.slice(1)}_empty`)
    const name = new URL(empty).pathname.slice(1)
    await adminQuery(database.url, `create database ${name}`)
    pooler = await startPgBouncer(empty, 'transaction')
    await expect(compose(testConfig(pooler.url, 0), pooler.url, { sandboxTickMs: 0 })).rejects.toThrow(named)
    await pooler.stop()
    const client = new pg.Client({ connectionString: empty })
    await client.connect()
    const { rows } = await client.query(
      `select count(*)::int as n from pg_tables where schemaname !~ '^(pg_|information_)'`,
    )
    expect(rows).toEqual([{ n: 0 }])
    await client.end()
    await adminQuery(database.url, `drop database ${name}`)
  })
})

describe.skipIf(!hasPgBouncer)('behind PgBouncer in session mode', () => {
  test('calls are charged, and a key deleted elsewhere is refused at once', async () => {
    pooler = await startPgBouncer(database.url, 'session')
    const server = await startTestServer({ databaseUrl: pooler.url })
    try {
      const { key } = await makeLoadTestAccount(database.db.kysely, createSecrets('ab'.repeat(32)), 1_000)
      const call = async () => {
        const response = await fetch(`${server.url}/v1/bars/AAPL?range=1mo`, { headers: { 'x-api-key': key } })
        return response.status
      }
      // Keys are looked up by a prepared statement, and calls committed by another one.
      expect(await Promise.all(Array.from({ length: 50 }, call))).toEqual(Array(50).fill(200))
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
      await database.db.pool.query(`update api_keys set deleted_at = app_now() where name = 'Load test'`)
      await expect.poll(call).toBe(401)
    } finally {
      await server.close()
    }
  })

  test('what a connection sets when it opens lasts as long as it, and reaches nobody else', async () => {
    pooler = await startPgBouncer(database.url, 'session')
    const db = openDatabase(pooler.url, 4, () => {})
    db.pool.on('connect', (client) => void client.query('set search_path = pg_catalog, public'))
    const path = () => db.pool.query<{ search_path: string }>('show search_path')
    const seen = await Promise.all(Array.from({ length: 40 }, path))
    expect(new Set(seen.map(({ rows }) => rows[0]!.search_path))).toEqual(new Set(['pg_catalog, public']))
    await db.close()
    const stranger = new pg.Client({ connectionString: pooler.url })
    await stranger.connect()
    const { rows } = await stranger.query(
      `select current_setting('search_path') as path, (select count(*)::int from pg_prepared_statements) as statements`,
    )
    expect(rows).toEqual([{ path: '"$user", public', statements: 0 }])
    await stranger.end()
  })

  test('a pooler that changes to transaction mode is noticed', async () => {
    pooler = await startPgBouncer(database.url, 'session')
    const warnings: unknown[] = []
    const log = pino({ level: 'silent' })
    vi.spyOn(log, 'warn').mockImplementation((fields: unknown) => void warnings.push(fields))
    const listener = await createListener(pooler.url, log)
    const { port } = new URL(pooler.url)
    await pooler.stop()
    pooler = await startPgBouncer(database.url, 'transaction', Number(port))
    await expect.poll(() => warnings).toContainEqual({ error: named })
    expect(listener.connected).toBe(false)
    await listener.close()
  })
})
