import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createSecrets } from '../../secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/harness.ts'
import { type ServerProcess, startServerProcess } from '../../testing/process.ts'
import { endExpiredHolds } from '../metering/holds.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'
import { createToolRegistry } from '../tools/registry.ts'
import { addVersion } from './add-version.ts'
import { prepareVersion } from './prepare-version.ts'
import { parseManifest } from './read-manifest.ts'
import { type Loopback, startLoopback } from './testing/loopback.ts'

const KEYS_SECRET = 'cd'.repeat(32)
const stream = (id: string) => ({
  get: { operationId: id, responses: { 200: { description: 'ok', content: { 'text/event-stream': {} } } } },
})
const description = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Acme', version: '1' },
  paths: { '/charged': stream('charged'), '/released': stream('released'), '/silent': stream('silent') },
})

let database: TestDatabase
let folder: string
let upstream: Loopback
let server: ServerProcess
let url: string
beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'finmeter-killed-'))
  upstream = await startLoopback((request, response) => {
    // Streams without an end; this one does not even begin.
    if (request.url !== '/silent') response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
  })
  const own = { stream: true, credits: { rows: '', per: 1, credits: 1, most: 40 } }
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    defaults: { unsettled: 'charge' },
    operations: { charged: own, released: { ...own, unsettled: 'release' }, silent: own },
  })
  const tools = await createToolRegistry([], database.db)
  await addVersion(database.db.kysely, await prepareVersion(manifest, description, {}, tools), false)
  const port = await freePort()
  url = `http://localhost:${port}`
  server = startServerProcess({
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    KEYS_SECRET,
    FINMETER_DATA_DIR: folder,
    PORT: String(port),
  })
  await server.ready
})
afterAll(async () => {
  server?.child.kill('SIGKILL')
  await server?.ended
  upstream?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

test('streams of a killed server end as their operation says; one that had not begun costs nothing', async () => {
  const { kysely, pool } = database.db
  const names = ['charged', 'released', 'silent'] as const
  const accounts = await Promise.all(names.map(() => makeLoadTestAccount(kysely, createSecrets(KEYS_SECRET), 100)))
  const calls = names.map((name, index) =>
    fetch(`${url}/v1/acme/${name}`, { headers: { authorization: `Bearer ${accounts[index]!.key}` } }),
  )
  const cut = expect(calls[2]).rejects.toThrow('fetch failed')
  const started = await Promise.all(calls.slice(0, 2))
  expect(started.map(({ status, headers }) => [status, headers.get('x-credits-held')])).toEqual([
    [200, '40'],
    [200, '40'],
  ])
  await expect.poll(() => upstream.seen.map((one) => one.url)).toContain('/silent')
  server.child.kill('SIGKILL')
  await server.ended
  await cut
  expect((await pool.query('select from_credits::int as held from credit_holds')).rows).toEqual(
    names.map(() => ({ held: 40 })),
  )
  await pool.query('update credit_holds set expires_at = app_now()')
  expect(await endExpiredHolds(database.db)).toBe(3)
  const spent = await Promise.all(
    accounts.map(async ({ accountId }) => {
      const { rows } = await pool.query(
        `select coalesce(sum(from_credits), 0)::int as n from usage_events u join accounts a on a.id = u.account_id where a.public_id = $1`,
        [accountId],
      )
      return rows[0].n
    }),
  )
  expect(spent).toEqual([40, 0, 0])
  expect(await checkInvariants(database.db)).toEqual([])
})
