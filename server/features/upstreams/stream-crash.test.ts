import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createSecrets } from '../../secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/harness.ts'
import { type ServerProcess, startServerProcess } from '../../testing/process.ts'
import { endExpiredHolds } from '../metering/holds.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { moveClock } from '../metering/testing/meter-fixture.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'
import { addVersion } from './add-version.ts'
import { prepareVersion } from './prepare-version.ts'
import { parseManifest } from './read-manifest.ts'
import { type Loopback, startLoopback } from './testing/loopback.ts'

const KEYS_SECRET = 'ab'.repeat(32)
const document = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Acme', version: '1' },
  paths: { '/ticks': { get: { operationId: 'ticks', responses: { 200: { description: 'ok' } } } } },
})

let database: TestDatabase
let upstream: Loopback
let dataDir: string
const servers: ServerProcess[] = []
afterEach(async () => {
  for (const { child } of servers) child.kill('SIGKILL')
  await Promise.all(servers.map(({ ended }) => ended))
  upstream?.close()
  await database?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

async function startServer(): Promise<ServerProcess & { url: string }> {
  const port = await freePort()
  const server = startServerProcess({
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    KEYS_SECRET,
    PORT: String(port),
    LOG_LEVEL: 'silent',
    FINMETER_DATA_DIR: dataDir,
  })
  servers.push(server)
  await server.ready
  return { ...server, url: `http://127.0.0.1:${port}` }
}

const rowsOf = async (text: string) => (await database.db.pool.query(text)).rows

/** So many sweeps that have all found the hold before the first can end it. */
async function sweepAtOnce(count: number): Promise<number[]> {
  const lock = await database.db.pool.connect()
  try {
    await lock.query('begin; select from credit_accounts for update')
    const sweeps = Array.from({ length: count }, () => endExpiredHolds(database.db))
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await rowsOf(waiting)).length).toBe(count)
    await lock.query('commit')
    return await Promise.all(sweeps)
  } finally {
    lock.release()
  }
}

test('kill -9 of the server in the middle of a stream: its hold ends once, nothing is charged, and the next stream is', async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'finmeter-stream-crash-'))
  database = await createTestDatabase()
  let stream: ServerResponse | undefined
  upstream = await startLoopback((_request, response) => {
    stream = response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    stream.write('{"tick":1}\n{"tick":2}\n')
  })
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    operations: { ticks: { credits: { rows: '', per: 1, credits: 1, most: 40 }, stream: true, stream_ms: 10_000 } },
  })
  const { kysely } = database.db
  await addVersion(kysely, await prepareVersion(manifest, document, {}, { problems: () => [] }), false)
  const { key } = await makeLoadTestAccount(kysely, createSecrets(KEYS_SECRET), 100)
  const first = await startServer()
  const open = (url: string) => fetch(`${url}/v1/acme/ticks`, { headers: { 'x-api-key': key } })
  const answer = await open(first.url)
  const reader = answer.body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('{"tick":1}')
  const balances = 'select balance::int from credit_accounts'
  expect(await rowsOf(balances)).toEqual([{ balance: 60 }])

  first.child.kill('SIGKILL')
  await first.ended
  await expect(reader.read()).rejects.toThrow()
  expect(await rowsOf('select from_credits::int as held from credit_holds')).toEqual([{ held: 40 }])
  expect(await endExpiredHolds(database.db)).toBe(0)
  // stream_ms, the time-out of an operation, and a minute for the settlement.
  await moveClock(database, '81 seconds')
  expect((await sweepAtOnce(3)).toSorted()).toEqual([0, 0, 1])
  expect(await rowsOf(balances)).toEqual([{ balance: 100 }])
  expect(await rowsOf('select from usage_events')).toEqual([])

  // Only now: a server sweeps by itself.
  const second = await startServer()
  const again = await open(second.url)
  const text = again.text()
  stream!.end('{"tick":3}\n')
  expect(await text).toBe('{"tick":1}\n{"tick":2}\n{"tick":3}\n')
  await expect
    .poll(() => rowsOf('select from_credits::int as charged, success from usage_events'))
    .toEqual([{ charged: 3, success: true }])
  expect(await rowsOf(balances)).toEqual([{ balance: 97 }])
  expect(await rowsOf('select from credit_holds')).toEqual([])
  expect(await checkInvariants(database.db)).toEqual([])
}, 240_000)
