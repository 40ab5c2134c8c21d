import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from './db/embedded.ts'
import { checkInvariants } from './features/metering/invariants.ts'
import { decodeReceiptId } from './features/metering/receipt-id.ts'
import { makeLoadTestAccount } from './features/operator/make-load-test-account.ts'
import { createSecrets } from './secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from './testing/harness.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'
import { temporaryFolder } from './testing/temporary-folder.ts'

const KEYS_SECRET = 'cd'.repeat(32)
const CREDITS = 1_000_000
const CALLERS = 32

let database: TestDatabase
let running: ServerProcess[]
const dir = temporaryFolder()
beforeEach(async () => {
  database = await createTestDatabase()
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()))
  await database.drop()
})

const start = async (port: number): Promise<ServerProcess> => {
  const server = startServerProcess({
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    KEYS_SECRET,
    PORT: String(port),
    // A server of another test in the same folder would take over what this one has given up, in its own database.
    FINMETER_DATA_DIR: dir,
  })
  running.push(server)
  await server.ready
  return server
}

/** Calls until the server is gone. Returns the receipts of all complete answers. */
async function callUntilDead(url: string, key: string, answered: string[]): Promise<void> {
  for (;;) {
    try {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
      const receipt = answer.headers.get('x-receipt-id')
      await answer.arrayBuffer()
      if (answer.status === 200) answered.push(receipt ?? 'answer without receipt')
    } catch {
      return
    }
  }
}

const rowsOf = async (accountId: string) => {
  const { rows } = await database.db.pool.query<{ batch: string; n: number; charged: number }>(
    `select e.batch, e.n, e.from_credits as charged from usage_events e join accounts a on a.id = e.account_id
     where a.public_id = $1 and e.success`,
    [accountId],
  )
  return rows
}

test('kill -9 under load: every received answer has its row, no row lacks its charge, the invariants hold', async () => {
  const { accountId, key } = await makeLoadTestAccount(database.db.kysely, createSecrets(KEYS_SECRET), CREDITS)
  const answered: string[] = []
  for (let round = 1; round <= 3; round += 1) {
    const port = await freePort()
    const server = await start(port)
    const before = answered.length
    const callers = Array.from({ length: CALLERS }, () =>
      callUntilDead(`http://127.0.0.1:${port}/v1/bars/AAPL?range=1mo`, key, answered),
    )
    await expect.poll(() => answered.length).toBeGreaterThanOrEqual(before + 300)
    server.child.kill('SIGKILL')
    await Promise.all([...callers, server.ended])
  }
  const port = await freePort()
  await start(port)

  const rows = await rowsOf(accountId)
  const recorded = new Set(rows.map(({ batch, n }) => `${batch}/${n}`))
  const missing = answered.filter((receipt) => {
    const ref = decodeReceiptId(receipt)
    return !ref || !recorded.has(`${ref.batch}/${ref.n}`)
  })
  expect(missing).toEqual([])
  expect(new Set(answered).size).toBe(answered.length)
  expect(rows.length).toBeGreaterThanOrEqual(answered.length)
  expect(rows.filter(({ charged }) => charged !== 1)).toEqual([])
  expect(await checkInvariants(database.db)).toEqual([])

  const last = await fetch(`http://127.0.0.1:${port}/v1/bars/AAPL?range=1mo`, { headers: { 'x-api-key': key } })
  expect(last.status).toBe(200)
  expect(Number(last.headers.get('x-credits-remaining'))).toBe(CREDITS - rows.length - 1)
}, 180_000)
