import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { freePort } from './db/embedded.ts'
import { createTestDatabase } from './testing/harness.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'

const redis = process.env.TEST_REDIS_URL
const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

async function startWorkers(
  env: NodeJS.ProcessEnv = {},
): Promise<{ server: ServerProcess; url: string; metricsPort: number }> {
  const database = await createTestDatabase()
  endings.push(database.drop)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const server = startServerProcess({
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: database.url,
    KEYS_SECRET: 'ab'.repeat(32),
    REDIS_URL: redis,
    SANDBOX: 'off',
    WORKERS: '2',
    ...env,
  })
  endings.push(server.stop)
  return { server, url: `http://127.0.0.1:${port}`, metricsPort }
}

const status = (url: string): Promise<number> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
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
    await expect.poll(metrics, { timeout: 60_000 }).toContain(0)
    // The connection of the first request may have been to the one that was killed.
    await expect.poll(() => status(`${url}/readyz`)).toBe(200)
    await expect.poll(metrics, { timeout: 60_000 }).toEqual([200, 200])
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

test('what forwarding of commits needs is refused, a sentence each', async () => {
  const alone = startServerProcess({ FORWARD_COMMITS: 'on', PORT: String(await freePort()) })
  expect((await alone.ended).output.trim().split('\n')).toEqual([
    'Finmeter cannot start:',
    'FORWARD_COMMITS=on needs WORKERS above 1: a single process commits for itself.',
  ])
  const { server } = await startWorkers({
    REDIS_URL: 'redis://127.0.0.1:1',
    FORWARD_COMMITS: 'on',
    FINMETER_DATA_DIR: `/tmp/${'d'.repeat(82)}`,
  })
  expect((await server.ended).output.trim().split('\n')).toEqual([
    'Finmeter cannot start:',
    'FORWARD_COMMITS=on makes sockets in FINMETER_DATA_DIR: its path may have 86 bytes at most.',
  ])
})
