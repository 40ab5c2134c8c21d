import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from './db/database.ts'
import { freePort } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { makeLoadTestAccount } from './features/operator/make-load-test-account.ts'
import { createSecrets } from './secrets/secrets.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'
import { type Cluster, startCluster } from './testing/proof/cluster.ts'
import { untilAnswered } from './testing/proof/faults.ts'
import { temporaryFolder } from './testing/temporary-folder.ts'

const KEYS_SECRET = 'cd'.repeat(32)

let cluster: Cluster
let db: Database
const dir = temporaryFolder()
let server: ServerProcess
let port: number
let key: string
beforeAll(async () => {
  cluster = await startCluster(600)
  db = openDatabase(cluster.controlUrl, 4, () => {})
  await migrate(db)
  key = (await makeLoadTestAccount(db.kysely, createSecrets(KEYS_SECRET), 1_000_000)).key
  port = await freePort()
  server = startServerProcess({
    NODE_ENV: 'test',
    DATABASE_URL: cluster.url,
    KEYS_SECRET,
    FINMETER_DATA_DIR: dir,
    PORT: String(port),
    LOG_LEVEL: 'silent',
  })
  await server.ready
})
afterAll(async () => {
  server?.child.kill('SIGKILL')
  await server?.ended
  await db?.close()
  await cluster?.close()
})
afterEach(async () => {
  await expect.poll(ready).toBe(200)
  await expect.poll(call).toBe(200)
})

const ready = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status)
const call = () =>
  fetch(`http://127.0.0.1:${port}/v1/bars/AAPL?range=1mo`, { headers: { 'x-api-key': key } }).then(
    ({ status }) => status,
  )

/** Both say 503, and /readyz first: it waits a second at most, a call eight. */
async function expectNotReady(): Promise<void> {
  await expect.poll(call).toBe(503)
  const order: string[] = []
  const [readiness, called] = await Promise.all([
    ready().finally(() => order.push('/readyz')),
    call().finally(() => order.push('call')),
  ])
  expect({ readiness, called, order }).toEqual({ readiness: 503, called: 503, order: ['/readyz', 'call'] })
}

const configure = async (name: string, value: string | null): Promise<void> => {
  await untilAnswered(() =>
    db.pool.query(`alter system ${value === null ? `reset ${name}` : `set ${name} = '${value}'`}`),
  )
  await db.pool.query('select pg_reload_conf()')
}

test('while PostgreSQL is stopped', async () => {
  await cluster.freeze()
  try {
    await expect.poll(ready).toBe(503)
    // Nothing that needs the database answers meanwhile.
    const called = call().then(() => 'call')
    expect(await Promise.race([ready().then(() => '/readyz'), called])).toBe('/readyz')
  } finally {
    await cluster.thaw()
  }
})

test('while its answers are lost', async () => {
  cluster.wire.loseAnswers()
  try {
    await expectNotReady()
  } finally {
    cluster.wire.mend()
    cluster.wire.cut()
  }
})

test('while a synchronous standby does not answer, with two sessions at most', async () => {
  await configure('synchronous_standby_names', 'nobody')
  try {
    await expectNotReady()
    const { rows } = await db.pool.query(`select from pg_stat_activity where application_name = 'finmeter-ready'`)
    expect(rows.length).toBeLessThanOrEqual(2)
  } finally {
    await configure('synchronous_standby_names', null)
  }
})

test('while tables of the commit are locked', async () => {
  const client = await db.pool.connect()
  await client.query('begin; lock table credit_accounts, meter_batches in access exclusive mode')
  try {
    await expectNotReady()
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('where the disk is full', async (context) => {
  if (!cluster.fillDisk) return context.skip()
  await cluster.fillDisk(async () => {
    // Until the last free page of a table is used, calls still succeed.
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let answered = 200; answered === 200; ) answered = await call()
      }),
    )
    await expect.poll(ready).toBe(503)
    // What a failed batch of several calls gave back may hold one more.
    await expect.poll(call).toBe(503)
  })
})

test('after PostgreSQL was killed, until it is back', async () => {
  await cluster.down()
  try {
    await expect.poll(ready).toBe(503)
  } finally {
    await cluster.up()
  }
})
