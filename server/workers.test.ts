import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { freePort } from './db/embedded.ts'
import { makeLoadTestAccount } from './features/operator/make-load-test-account.ts'
import { createSecrets } from './secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from './testing/harness.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'

const redis = process.env.TEST_REDIS_URL
const KEYS_SECRET = 'ab'.repeat(32)
const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

async function startWorkers(
  env: NodeJS.ProcessEnv = {},
): Promise<{ server: ServerProcess; url: string; metricsPort: number; db: TestDatabase['db'] }> {
  const database = await createTestDatabase()
  endings.push(database.drop)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const server = startServerProcess({
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: database.url,
    KEYS_SECRET,
    REDIS_URL: redis,
    SANDBOX: 'off',
    WORKERS: '2',
    ...env,
  })
  endings.push(server.stop)
  return { server, url: `http://127.0.0.1:${port}`, metricsPort, db: database.db }
}

const status = (url: string): Promise<number> =>
  fetch(url, { signal: AbortSignal.timeout(30_000) }).then(
    (answer) => answer.status,
    () => 0,
  )

const children = ({ child: { pid } }: ServerProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

test.skipIf(!redis)(
  'two processes share the port; one that is killed is replaced, and a signal ends both',
  async () => {
    const { server, url, metricsPort } = await startWorkers()
    await server.ready
    const metrics = () =>
      Promise.all([metricsPort, metricsPort + 1].map((port) => status(`http://127.0.0.1:${port}/metrics`)))
    expect([await status(`${url}/readyz`), ...(await metrics())]).toEqual([200, 200, 200])
    const [first, second] = children(server)
    process.kill(second!, 'SIGKILL')
    await expect.poll(metrics).toContain(0)
    // The connection of the first request may have been to the one that was killed.
    await expect.poll(() => status(`${url}/readyz`)).toBe(200)
    await expect.poll(metrics).toEqual([200, 200])
    expect(children(server)).toHaveLength(2)
    expect(children(server)).toContain(first)
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
    expect(await status(`${url}/readyz`)).toBe(0)
  },
)

test.skipIf(!redis)('a process that cannot start ends all, with its message', async () => {
  const { server } = await startWorkers({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  const { code, output } = await server.ended
  expect(code).toBe(1)
  expect(output).toContain('Finmeter cannot start: ')
  expect(output).not.toContain('Finmeter ready')
})

test('what several processes cannot share is refused, a sentence each', async () => {
  const server = startServerProcess({ WORKERS: '2', PORT: String(await freePort()) })
  const { code, output } = await server.ended
  expect(code).toBe(1)
  expect(output.trim().split('\n')).toEqual([
    'Finmeter cannot start:',
    'WORKERS above 1 needs a PostgreSQL server that runs by itself: set DATABASE_URL.',
    'WORKERS above 1 needs a shared count of requests: set REDIS_URL.',
    'WORKERS above 1 needs SANDBOX=off: the sandbox keeps what it holds in one process.',
  ])
})

test.skipIf(!redis)('both processes commit, each call is charged once, and FORWARD_COMMITS is ignored', async () => {
  const { server, url, metricsPort, db } = await startWorkers({ FORWARD_COMMITS: 'on' })
  await server.ready
  const { key } = await makeLoadTestAccount(db.kysely, createSecrets(KEYS_SECRET), 1_000_000)
  const settledBy = async (port: number): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^finmeter_meter_settled_calls_total(?:{.*})? (\d+)/m.exec(text)?.[1])
  }
  let calls = 0
  // A connection of its own for each call, so that both processes get some.
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  await expect
    .poll(async () => {
      const answer = await fetch(`${url}/v1/quotes?symbols=AAPL`, { headers })
      expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1'])
      calls++
      return Math.min(...(await Promise.all([metricsPort, metricsPort + 1].map(settledBy))))
    })
    .toBeGreaterThan(3)
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from usage_events`.execute(db.kysely)
  expect(rows).toEqual([{ n: calls }])
  await server.stop()
  // Once, not by each process.
  expect((await server.ended).output.match(/FORWARD_COMMITS/g)).toHaveLength(1)
})

test('a setting that was removed is ignored with a warning', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'finmeter-removed-'))
  endings.push(() => rm(dataDir, { recursive: true, force: true }))
  // Ends after its warning, because nothing answers there.
  const server = startServerProcess({
    FORWARD_COMMITS: 'on',
    PORT: String(await freePort()),
    FINMETER_DATA_DIR: dataDir,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  })
  const { output } = await server.ended
  expect(output).toContain(
    'FORWARD_COMMITS is no longer a setting and is ignored: each process commits its own calls. Remove it.',
  )
  expect(output.match(/FORWARD_COMMITS/g)).toHaveLength(1)
})
