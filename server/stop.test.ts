import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from './db/database.ts'
import { freePort } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { checkInvariants } from './features/metering/invariants.ts'
import { decodeReceiptId } from './features/metering/receipt-id.ts'
import { makeLoadTestAccount } from './features/operator/make-load-test-account.ts'
import { createSecrets } from './secrets/secrets.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'
import { type Cluster, startCluster } from './testing/proof/cluster.ts'
import { untilAnswered } from './testing/proof/faults.ts'
import { temporaryFolder } from './testing/temporary-folder.ts'

const KEYS_SECRET = 'cd'.repeat(32)
const SHUTDOWN_SECONDS = '5'
/** A server that is still there by now will not stop. */
const HUNG_MS = 60_000

let cluster: Cluster
let db: Database
let dir: string
let running: ServerProcess[]
let sockets: Socket[]
beforeAll(async () => {
  cluster = await startCluster(600)
  db = openDatabase(cluster.controlUrl, 4, () => {})
  await migrate(db)
})
afterAll(async () => {
  await db?.close()
  await cluster?.close()
})
beforeEach(async () => {
  dir = temporaryFolder()
  running = []
  sockets = []
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  for (const server of running) server.child.kill('SIGKILL')
  await Promise.all(running.map((server) => server.ended))
})

interface Started {
  server: ServerProcess
  port: number
}

const start = async (env: NodeJS.ProcessEnv = {}): Promise<Started> => {
  const port = await freePort()
  const server = startServerProcess({
    NODE_ENV: 'test',
    DATABASE_URL: cluster.url,
    KEYS_SECRET,
    FINMETER_DATA_DIR: dir,
    SHUTDOWN_SECONDS,
    PORT: String(port),
    ...env,
  })
  running.push(server)
  await server.ready
  return { server, port }
}

/** How the process ends; killed when it does not. */
async function endOf({ child, ended }: ServerProcess) {
  const hung = setTimeout(() => child.kill('SIGKILL'), HUNG_MS)
  const { code, signal, output } = await ended
  clearTimeout(hung)
  return { code, signal, output }
}

/** Calls with 16 connections until the server is gone. */
function callers(port: number, key: string) {
  const seen = { receipts: [] as string[], unavailable: 0, unanswered: 0, other: [] as number[] }
  const one = async (): Promise<void> => {
    for (;;) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/v1/bars/AAPL?range=1mo`, { headers: { 'x-api-key': key } })
        await answer.arrayBuffer()
        if (answer.status === 200) seen.receipts.push(answer.headers.get('x-receipt-id') ?? 'none')
        else if (answer.status === 503) seen.unavailable++
        else seen.other.push(answer.status)
      } catch (error) {
        // A connection that was never made asked for nothing.
        if ((error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED') return
        seen.unanswered++
      }
    }
  }
  return { seen, done: Promise.all(Array.from({ length: 16 }, one)) }
}

const chargedRows = async (accountId: string) =>
  (
    await db.pool.query<{ batch: string; n: number }>(
      `select e.batch, e.n from usage_events e join accounts a on a.id = e.account_id
       where a.public_id = $1 and e.from_credits > 0`,
      [accountId],
    )
  ).rows.map(({ batch, n }) => `${batch}/${n}`)

interface State {
  name: string
  enter: () => Promise<unknown>
  leave: () => Promise<unknown>
}
let unlock: () => Promise<unknown> = async () => {}
const states: State[] = [
  { name: 'is well', enter: async () => {}, leave: async () => {} },
  { name: 'is down', enter: () => cluster.down(), leave: () => cluster.up() },
  { name: 'is stopped', enter: () => cluster.freeze(), leave: () => cluster.thaw() },
  {
    name: 'answers nothing, and does what it is told',
    enter: async () => cluster.wire.loseAnswers(),
    leave: async () => {
      cluster.wire.mend()
      cluster.wire.cut()
    },
  },
  {
    name: 'is slow: each statement waits for a lock',
    async enter() {
      const client = await db.pool.connect()
      await client.query('begin')
      await client.query('lock table credit_accounts, accounts, usage_open, usage_pending in access exclusive mode')
      unlock = () => client.query('rollback').finally(() => client.release())
    },
    leave: () => unlock(),
  },
]

describe.each(states)('PostgreSQL $name', ({ enter, leave }) => {
  test('under load, SIGTERM ends the process in time, and every answer has its row', async () => {
    const { accountId, key } = await untilAnswered(() =>
      makeLoadTestAccount(db.kysely, createSecrets(KEYS_SECRET), 1_000_000),
    )
    const { server, port } = await start()
    const { seen, done } = callers(port, key)
    await expect.poll(() => seen.receipts.length).toBeGreaterThan(100)
    await enter()
    let end: Awaited<ReturnType<typeof endOf>>
    try {
      server.child.kill('SIGTERM')
      end = await endOf(server)
      await done
    } finally {
      await leave()
    }
    expect({ code: end.code, signal: end.signal }, end.output).toEqual({ code: 0, signal: null })
    // The next server in the same directory reverses what this one owed.
    await untilAnswered(() => db.pool.query('select 1'))
    await start()
    await expect.poll(() => readdir(join(dir, 'given-up')).catch(() => [])).toEqual([])

    const rows = new Set(await chargedRows(accountId))
    const recorded = (receipt: string) => {
      const ref = decodeReceiptId(receipt)
      return ref !== null && rows.has(`${ref.batch}/${ref.n}`)
    }
    expect(seen.receipts.filter((receipt) => !recorded(receipt))).toEqual([])
    expect(new Set(seen.receipts).size).toBe(seen.receipts.length)
    // Only calls that got no answer at all may be charged without one.
    expect(rows.size - seen.receipts.length).toBeLessThanOrEqual(seen.unanswered)
    expect(seen.other).toEqual([])
    expect(await checkInvariants(db)).toEqual([])
  })
})

/** Sends a request on a connection that reads nothing. */
async function ask(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const head = (path: string, key: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n`
const EXPORT = '/v1/bars/BTC-USD?interval=1m&range=max&limit=500000&format=ndjson'

describe('a connection that never ends', () => {
  test.each<[what: string, text: (key: string) => string]>([
    ['an export that nobody reads, on our reader', (key) => `${head(EXPORT, key)}\r\n`],
    ["an export that nobody reads, on Node's reader", (key) => `${head(EXPORT, key)}Accept: a\r\nAccept: b\r\n\r\n`],
    [
      'a body that never arrives',
      (key) => `POST /mcp HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Length: 9\r\n\r\n{`,
    ],
  ])('%s: SIGTERM ends the process', async (what, text) => {
    const { key } = await makeLoadTestAccount(db.kysely, createSecrets(KEYS_SECRET), 1_000_000)
    const { server, port } = await start()
    const socket = await ask(port, text(key))
    if (what.includes('export')) {
      const [first] = (await once(socket, 'data')) as [Buffer]
      socket.pause()
      expect(first.toString()).toMatch(/^HTTP\/1\.1 200 OK/)
    } else {
      // Another answer shows that the bytes before it have been read.
      await fetch(`http://127.0.0.1:${port}/healthz`)
    }
    server.child.kill('SIGTERM')
    const { code, signal, output } = await endOf(server)
    expect({ code, signal }, output).toEqual({ code: 0, signal: null })
    expect(output).toContain('stopping without waiting any longer for open requests')
  })
})

test('a second signal ends the process at once, with 128 and its number', async () => {
  const { key } = await makeLoadTestAccount(db.kysely, createSecrets(KEYS_SECRET), 1_000_000)
  const { server, port } = await start({ SHUTDOWN_SECONDS: '3600' })
  const socket = await ask(port, `${head(EXPORT, key)}\r\n`)
  await once(socket, 'data')
  socket.pause()
  server.child.kill('SIGTERM')
  // Not listening any longer: it stops.
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed')
  // The first few tenths of a second count as the same signal.
  const again = setInterval(() => server.child.kill('SIGINT'), 100)
  const { code, signal } = await endOf(server)
  clearInterval(again)
  expect({ code, signal }).toEqual({ code: 130, signal: null })
})

test('the same signal from the terminal and from npm is one: the call in progress is answered', async () => {
  const { key } = await makeLoadTestAccount(db.kysely, createSecrets(KEYS_SECRET), 1_000_000)
  const { server, port } = await start({ SHUTDOWN_SECONDS: '20' })
  const { seen, done } = callers(port, key)
  await expect.poll(() => seen.receipts.length).toBeGreaterThan(50)
  server.child.kill('SIGINT')
  server.child.kill('SIGINT')
  server.child.kill('SIGTERM')
  expect(await endOf(server)).toMatchObject({ code: 0, signal: null })
  await done
})

test('/readyz says 503 for DRAIN_SECONDS, while calls are still served', async () => {
  const { key } = await makeLoadTestAccount(db.kysely, createSecrets(KEYS_SECRET), 1_000_000)
  const { server, port } = await start({ DRAIN_SECONDS: '10', SHUTDOWN_SECONDS: '30' })
  const ready = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status)
  expect(await ready()).toBe(200)
  server.child.kill('SIGTERM')
  await expect.poll(ready).toBe(503)
  const served = await fetch(`http://127.0.0.1:${port}/v1/bars/AAPL?range=1mo`, { headers: { 'x-api-key': key } })
  expect(served.status).toBe(200)
  expect(await endOf(server)).toMatchObject({ code: 0, signal: null })
})

test('more seconds to drain than to stop are refused', async () => {
  const server = startServerProcess({ DATABASE_URL: cluster.url, DRAIN_SECONDS: '5', SHUTDOWN_SECONDS: '5' })
  running.push(server)
  const { code, output } = await server.ended
  expect(code).toBe(1)
  expect(output).toContain('DRAIN_SECONDS is part of SHUTDOWN_SECONDS (5): set fewer than that.')
})
