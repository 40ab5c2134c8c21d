import { execFile } from 'node:child_process'
import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { keepPartitions } from '../metering/partitions.ts'
import { call, type Instance, type MeterFixture, meterFixture, moveClock } from '../metering/testing/meter-fixture.ts'
import { archiveDays } from './archive-days.ts'
import { type ArchiveStore, openArchive } from './archive-store.ts'
import type { ArchivedCall } from './archived-call.ts'
import { forgetDays } from './forget-days.ts'
import { archivedBatch, archivedCalls } from './read-calls.ts'
import { passMidnight } from './testing/past-calls.ts'
import { startS3 } from './testing/s3.ts'

let fixture: MeterFixture
let meter: Instance['meter']
let folder: string
let store: ArchiveStore
let one: { accountId: number; keyId: number }
let other: { accountId: number; keyId: number }

beforeEach(async () => {
  await passMidnight()
  fixture = await meterFixture()
  meter = (await fixture.instance()).meter
  folder = temporaryFolder()
  store = (await openArchive({ USAGE_ARCHIVE: folder }))!
  one = await fixture.account(100)
  other = await fixture.account(100)
  await moveClock(fixture, '-60 days')
  for (const who of [one, other, one]) await meter.commit(call(who, { credits: 3, units: 257 }))
  await meter.commit(call({ ...one, keyId: null }, { status: 'failed', credits: 0 }))
  await moveClock(fixture, '-50 days')
  for (const who of [other, one]) await meter.commit(call(who))
  await moveClock(fixture, '0')
  await meter.commit(call(one))
  await keepPartitions(fixture.db)
})
afterEach(async () => {
  expect(await checkInvariants(fixture.db)).toEqual([])
  await fixture.close()
})

const archive = (change: Partial<Parameters<typeof archiveDays>[0]> = {}) =>
  archiveDays({ db: fixture.db, bucket: 'm00', store, hotDays: 35, toolName: () => 'get_bars', ...change })
const dayAgo = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
const all = { from: 0, to: Number.MAX_SAFE_INTEGER }

async function liveCalls(): Promise<ArchivedCall[]> {
  const { rows } = await fixture.db.pool.query<ArchivedCall>(
    `select account_id, (extract(epoch from at) * 1000000)::bigint as at_micros, batch::text, n, key_id, tool_id, duration_ms, from_credits, from_payg, success,
       units from usage_events`,
  )
  return rows
}
async function storedCalls(from = store): Promise<ArchivedCall[]> {
  const calls: ArchivedCall[] = []
  for (const { accountId } of [one, other])
    for await (const some of archivedCalls(fixture.db.kysely, from, accountId, all)) calls.push(...some)
  return calls
}
const inOrder = (calls: ArchivedCall[]) => calls.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort()
/** Every call, wherever it is. */
const everyCall = async () => inOrder([...(await liveCalls()), ...(await storedCalls())])

test('each due day becomes one file with its rows, and leaves the database', async () => {
  const before = await liveCalls()
  expect(before).toHaveLength(7)
  expect(await archive()).toEqual([dayAgo(60), dayAgo(50)])
  expect(await liveCalls()).toHaveLength(1)
  expect(await storedCalls()).toHaveLength(6)
  expect(await everyCall()).toEqual(inOrder(before))
  expect(await readdir(folder)).toEqual(['m00'])
  const { rows } = await fixture.db.pool.query(
    'select day::text, file, rows, success, from_credits, from_payg from usage_archives order by day',
  )
  expect(rows).toEqual([
    { day: dayAgo(60), file: `m00/${dayAgo(60)}.parquet`, rows: 4, success: 3, from_credits: 9, from_payg: 0 },
    { day: dayAgo(50), file: `m00/${dayAgo(50)}.parquet`, rows: 2, success: 2, from_credits: 2, from_payg: 0 },
  ])
  expect(await archive()).toEqual([])
  expect(await storedCalls()).toHaveLength(6)
})

test.each([
  'while rows are read',
  'before the file is stored',
  'after the file is stored',
  'before the record',
  'after the record',
  'after the partition is dropped',
  'after the commit',
])('killed %s, nothing is lost or repeated', async (moment) => {
  const before = await everyCall()
  const script = join(import.meta.dirname, 'testing/die-while-archiving.ts')
  const signal = await new Promise((done) =>
    execFile(process.execPath, [script, fixture.url, folder, moment], (error) => done(error?.signal)),
  )
  expect(signal).toBe('SIGKILL')
  expect(await everyCall()).toEqual(before)
  // The killed session's locks end when PostgreSQL notices.
  const left = async () => {
    await archive().catch(() => [])
    return (await liveCalls()).length
  }
  await expect.poll(left).toBe(1)
  expect(await everyCall()).toEqual(before)
  expect((await readdir(join(folder, 'm00'))).sort()).toEqual([60, 50].map((ago) => `${dayAgo(ago)}.parquet`))
})

test.each([
  ['is cut short', (path: string) => truncate(path, 500)],
  [
    'has other bytes',
    async (path: string) => {
      const bytes = await readFile(path)
      bytes[40]! ^= 0xff
      await writeFile(path, bytes)
    },
  ],
  ['is another file', (path: string) => appendFile(path, 'more').then(() => writeFile(path, 'PAR1'))],
])('a file that %s stops the day: its rows stay', async (_, damage) => {
  const before = await everyCall()
  const damaging: ArchiveStore = {
    ...store,
    async keep(draft, name) {
      await store.keep(draft, name)
      await damage(join(folder, name))
    },
  }
  await expect(archive({ store: damaging })).rejects.toThrow()
  expect(await everyCall()).toEqual(before)
  expect(await liveCalls()).toHaveLength(7)
  await expect.poll(() => archive()).toHaveLength(2)
  expect(await everyCall()).toEqual(before)
})

test('rows that change while they are archived stop the day', async () => {
  const changing: ArchiveStore = {
    ...store,
    async keep(draft, name) {
      await store.keep(draft, name)
      const { rows } = await fixture.db.pool.query('select batch from usage_events order by at limit 1')
      await fixture.db.pool.query(
        'update meter_batches set at = (select at from usage_events where batch = $1) where id = $1',
        [rows[0].batch],
      )
      await fixture.db.pool.query('select meter_void($1)', [rows[0].batch])
    },
  }
  await expect(archive({ store: changing })).rejects.toThrow(/changed while they were archived/)
  expect(await liveCalls()).toHaveLength(7)
  await expect.poll(() => archive()).toHaveLength(2)
  expect((await storedCalls()).filter(({ success }) => !success)).toHaveLength(2)
})

test('while the archive has not answered, no transaction is open', async () => {
  const open: number[] = []
  const look = async () => {
    const { rows } = await fixture.db.pool.query<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    )
    open.push(rows[0]!.open)
  }
  const watched: ArchiveStore = {
    ...store,
    async keep(draft, name) {
      await look()
      await store.keep(draft, name)
    },
    open: (name, bytes) => ({
      byteLength: bytes,
      async slice(start, end) {
        await look()
        return store.open(name, bytes).slice(start, end)
      },
    }),
  }
  expect(await archive({ store: watched })).toHaveLength(2)
  expect(open.length).toBeGreaterThanOrEqual(4)
  expect(open.every((count) => count === 0)).toBe(true)
})

test('two servers at once archive each day once', async () => {
  const before = await everyCall()
  const done = await Promise.all([archive(), archive()])
  await archive()
  expect(new Set(done.flat()).size).toBe(done.flat().length)
  expect(await everyCall()).toEqual(before)
})

test('a call that arrives late for an archived day stays in the database', async () => {
  await archive()
  await moveClock(fixture, '-60 days')
  await meter.commit(call(other))
  await moveClock(fixture, '0')
  await keepPartitions(fixture.db)
  expect(await archive()).toEqual([])
  expect([(await liveCalls()).length, (await storedCalls()).length]).toEqual([2, 6])
})

test('a batch is found without its account', async () => {
  const calls = await liveCalls()
  await archive()
  const {
    at_micros: atMicros,
    batch,
    n,
  } = calls.find(({ account_id, from_credits }) => account_id === other.accountId && from_credits === 3)!
  const found = await archivedBatch(fixture.db.kysely, store, { atMicros, batch, n })
  expect(inOrder(found)).toEqual(inOrder(calls.filter((row) => row.batch === batch && row.at_micros === atMicros)))
})

test('files past retention go, with their records', async () => {
  await archive()
  expect(await forgetDays(fixture.db, store, 55)).toEqual([dayAgo(60)])
  expect(await readdir(join(folder, 'm00'))).toEqual([`${dayAgo(50)}.parquet`])
  expect(await storedCalls()).toHaveLength(2)
  expect(await forgetDays(fixture.db, store, 55)).toEqual([])
})

test('DuckDB reads the files as they are, with every type', async () => {
  const before = await liveCalls()
  await archive()
  const duck = await DuckDBInstance.create(':memory:')
  const connection = await duck.connect()
  try {
    const ask = async (query: string) => (await connection.runAndReadAll(query)).getRowObjectsJson()
    const files = `read_parquet('${folder}/*/*.parquet')`
    const types = await ask(`describe select * from ${files}`)
    expect(Object.fromEntries(types.map((row) => [row.column_name, row.column_type]))).toEqual({
      account_id: 'BIGINT',
      at: 'TIMESTAMP WITH TIME ZONE',
      batch: 'UUID',
      n: 'INTEGER',
      key_id: 'BIGINT',
      tool_id: 'INTEGER',
      tool: 'VARCHAR',
      duration_ms: 'INTEGER',
      from_credits: 'INTEGER',
      from_payg: 'INTEGER',
      success: 'BOOLEAN',
      units: 'INTEGER',
    })
    const rows =
      await ask(`select account_id::int as account_id, epoch_us("at")::varchar as at_micros, batch::varchar as batch, n, key_id::int as key_id, tool_id,
      duration_ms, from_credits, from_payg, success, units from ${files}`)
    const read = rows.map((row) => ({ ...row, at_micros: Number(row.at_micros) }) as unknown as ArchivedCall)
    const today = dayAgo(0)
    const archived = before.filter(({ at_micros }) => new Date(at_micros / 1000).toISOString().slice(0, 10) !== today)
    expect(inOrder(read)).toEqual(inOrder(archived))
    expect(await ask(`select tool, sum(from_credits)::int as credits from ${files} group by tool`)).toEqual([
      { tool: 'get_bars', credits: 11 },
    ])
  } finally {
    connection.closeSync()
    duck.closeSync()
  }
})

test('a bucket of S3 holds the same files, over signed requests', async () => {
  const before = await everyCall()
  const s3 = await startS3('usage', { accessKeyId: 'ours', secretAccessKey: 'our secret' })
  try {
    const access = (secret: string) =>
      openArchive({
        USAGE_ARCHIVE: `${s3.url}/usage/calls`,
        USAGE_ARCHIVE_S3_KEY_ID: 'ours',
        USAGE_ARCHIVE_S3_SECRET: secret,
      })
    await expect(archive({ store: (await access('wrong'))! })).rejects.toThrow(
      `The bucket refused PUT m00/${dayAgo(60)}.parquet: 403 SignatureDoesNotMatch`,
    )
    const bucket = (await access('our secret'))!
    // The lock of the refused attempt ends with its session, which PostgreSQL notices a moment later.
    await expect.poll(() => archive({ store: bucket })).toEqual([dayAgo(60), dayAgo(50)])
    expect(s3.names()).toEqual([60, 50].map((ago) => `calls/m00/${dayAgo(ago)}.parquet`))
    expect(inOrder([...(await liveCalls()), ...(await storedCalls(bucket))])).toEqual(before)
    expect(await forgetDays(fixture.db, bucket, 55)).toEqual([dayAgo(60)])
    expect(s3.names()).toEqual([`calls/m00/${dayAgo(50)}.parquet`])
  } finally {
    await s3.stop()
  }
})
