import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { checkInvariants } from '#server/features/metering/invariants.ts'
import { encodeReceiptId } from '#server/features/metering/receipt-id.ts'
import { makeLoadTestAccount } from '#server/features/operator/make-load-test-account.ts'
import { createSecrets } from '#server/secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { type ServerProcess, startServerProcess } from '#server/testing/process.ts'
import { openRelay, type Relay } from '#server/testing/proof/relay.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { Finmeter, FinmeterError } from '../typescript/src/finmeter.gen.ts'
import { type FaultRelay, openFaultRelay, randomFaults } from './fault-relay.ts'

const CALLS = process.env.NIGHTLY ? 10_000 : 2_000
const SHARE = 0.3
/** Requests between two cuts of the server's connections to the database. */
const REQUESTS_PER_CUT = Math.max(100, CALLS / 10)
const SEED = Number(process.env.PROPERTY_SEED || 22)
const CALLERS = 50
const KEYS_SECRET = 'ab'.repeat(32)
/** Each tenth call is made by an account that can pay for half of them. */
const POOR_CALLS = CALLS / 10
const python = process.env.SDK_PYTHON ?? '/usr/bin/python3'
const hasPython = spawnSync(python, ['-c', 'import httpx']).status === 0

/** What the library told its caller: the receipt, or the code of the error. */
interface Outcome {
  poor: boolean
  receipt: string | null
  charged: number
  error: string | null
}

let database: TestDatabase
let wire: Relay
let relay: FaultRelay
let server: ServerProcess
const dataDir = temporaryFolder()
let serverUrl: string
beforeAll(async () => {
  database = await createTestDatabase()
  const address = new URL(database.url)
  wire = await openRelay()
  wire.target(Number(address.port))
  address.host = `127.0.0.1:${wire.port}`
  const port = await freePort()
  serverUrl = `http://127.0.0.1:${port}`
  server = startServerProcess({
    NODE_ENV: 'test',
    DATABASE_URL: address.href,
    KEYS_SECRET,
    PORT: String(port),
    LOG_LEVEL: 'silent',
    FINMETER_DATA_DIR: dataDir,
  })
  await server.ready
  relay = await openFaultRelay(serverUrl)
})
afterAll(async () => {
  await relay?.close()
  await server?.stop()
  await wire?.close()
  await database?.drop()
})

/** Calls through a network that fails, and a database whose connections are cut meanwhile. */
async function underFaults(name: string, call: (rich: string, poor: string) => Promise<Outcome[]>): Promise<void> {
  const make = (credits: number) => makeLoadTestAccount(database.db.kysely, createSecrets(KEYS_SECRET), credits)
  const accounts = { rich: await make(2 * CALLS), poor: await make(POOR_CALLS / 2) }
  const fault = randomFaults(SEED, SHARE)
  relay.seen.length = 0
  relay.next(() => {
    if (relay.seen.length % REQUESTS_PER_CUT === 0) wire.cut()
    return fault()
  })
  const outcomes = await call(accounts.rich.key, accounts.poor.key)
  relay.next(() => 'pass')

  // Charges of calls that the server answered with 503 are taken back soon after.
  await expect.poll(async () => checkInvariants(database.db)).toEqual([])
  const sent = new Map<string, number>()
  for (const { idempotencyKey } of relay.seen) sent.set(idempotencyKey, (sent.get(idempotencyKey) ?? 0) + 1)
  const replayed = outcomes.filter(({ receipt, charged }) => receipt !== null && charged === 0).length
  console.log(
    `${name}, seed ${SEED}: ${outcomes.length} calls, ${relay.seen.length} attempts, ${replayed} paid by an earlier attempt`,
  )
  expect(outcomes).toHaveLength(CALLS)
  expect(sent.size).toBe(CALLS)
  expect(relay.seen.length).toBeGreaterThan(1.2 * CALLS)
  for (const [kind, { accountId }] of Object.entries(accounts)) {
    const own = outcomes.filter(({ poor }) => poor === (kind === 'poor'))
    const reported = own.flatMap(({ receipt }) => (receipt === null ? [] : [receipt]))
    // One receipt for one call: the ledger has each once, and nothing else.
    await expect.poll(() => ledger(accountId)).toEqual(reported.map((receipt) => `${receipt} 1`).sort())
    const failed = own.flatMap(({ error }) => (error === null ? [] : [error]))
    expect(failed).toEqual(Array(kind === 'poor' ? POOR_CALLS / 2 : 0).fill('402 insufficient_credits'))
    expect(own.every(({ charged }) => charged <= 1)).toBe(true)
  }
}

/** The charges of an account, as `receipt credits`. */
async function ledger(publicId: string): Promise<string[]> {
  const { rows } = await sql<{ at: number; batch: string; n: number; charged: number }>`
    select (extract(epoch from e.at) * 1000000)::bigint as at, e.batch::text, e.n, e.from_credits + e.from_payg as charged
    from usage_events e join accounts a on a.id = e.account_id where a.public_id = ${publicId} and e.success
  `.execute(database.db.kysely)
  return rows
    .map(({ at, batch, n, charged }) => `${encodeReceiptId({ atMicros: Number(at), batch, n })} ${charged}`)
    .sort()
}

test(`TypeScript: ${CALLS} calls with faults, 0 double charges`, { timeout: 600_000 }, () =>
  underFaults('TypeScript', async (rich, poor) => {
    const client = (key: string) => new Finmeter({ key, url: relay.url, retries: 40, maxWaitMs: 1e9 })
    const clients = { rich: client(rich), poor: client(poor) }
    const outcomes: Outcome[] = []
    let next = 0
    const work = async () => {
      for (let at = next++; at < CALLS; at = next++) {
        const isPoor = at % 10 === 9
        const outcome = { poor: isPoor, receipt: null, charged: 0, error: null }
        outcomes.push(
          await callOf(isPoor ? clients.poor : clients.rich, at).then(
            ({ id, creditsCharged }) => ({ ...outcome, receipt: id, charged: creditsCharged }),
            (error: unknown) => {
              if (!(error instanceof FinmeterError)) throw error
              return { ...outcome, error: `${error.status} ${error.code}` }
            },
          ),
        )
      }
    }
    await Promise.all(Array.from({ length: CALLERS }, work))
    return outcomes
  }),
)

/** Every way to call, each for one credit. */
async function callOf(finmeter: Finmeter, at: number) {
  if (at % 4 === 0) return (await finmeter.getBars({ symbol: 'VIX', limit: 3 })).receipt
  if (at % 4 === 1) return (await finmeter.getQuote({ symbols: ['VIX'] }).csv()).receipt
  if (at % 4 === 2)
    return (await finmeter.priceOption({ type: 'put', spot: 9, strike: 9, rate: 0, days: 9, volatility: 1 })).receipt
  const stream = finmeter.getBars({ symbol: 'VIX', limit: 9 }).stream()
  let rows = 0
  for await (const _ of stream) rows++
  expect(rows).toBe(9)
  return stream.receipt!
}

test.skipIf(!hasPython)(
  `Python, half of them with asyncio: ${CALLS} calls with faults, 0 double charges`,
  { timeout: 600_000 },
  () =>
    underFaults('Python', async (rich, poor) => {
      const sdk = join(import.meta.dirname, '../python')
      const { stdout } = await promisify(execFile)(
        python,
        [join(sdk, 'tests/faulty_calls.py'), String(CALLS), String(CALLERS), rich, poor],
        {
          maxBuffer: 64 * 1024 * 1024,
          env: {
            PATH: process.env.PATH,
            PYTHONPATH: sdk,
            PYTHONDONTWRITEBYTECODE: '1',
            FINMETER_URL: relay.url,
          },
        },
      )
      return JSON.parse(stdout) as Outcome[]
    }),
)
