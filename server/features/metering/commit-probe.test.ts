import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { type CommitProbe, createCommitProbe } from './commit-probe.ts'

let database: TestDatabase
let probe: CommitProbe
beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(() => probe.close())
afterAll(() => database.drop())

const probing = (options: { everyMs?: number; answerMs?: number; abandonMs?: number } = {}): CommitProbe => {
  // Where the answer does not depend on it, a slow machine has time.
  probe = createCommitProbe({ session: database.db.of(0).session, answerMs: 60_000, ...options })
  return probe
}
const sessions = async (where = 'true'): Promise<number> =>
  (
    await database.db.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'finmeter-ready' and ${where}`,
    )
  ).rows[0]!.n

/** Holds up every commit until the returned function is called. */
async function lock(): Promise<() => Promise<unknown>> {
  const client = await database.db.of(0).pool.connect()
  await client.query('begin; lock table credit_accounts in access exclusive mode')
  return () => client.query('rollback').finally(() => client.release())
}

test('all who ask within the time share one attempt', async () => {
  const { canCommit } = probing({ everyMs: 3_600_000 })
  expect(await Promise.all(Array.from({ length: 20 }, canCommit))).toEqual(Array(20).fill(true))
  expect(await sessions()).toBe(1)
  const unlock = await lock()
  // The attempt of before is still the answer.
  expect(await canCommit()).toBe(true)
  await unlock()
})

test('an attempt that hangs is not joined by another, and its end is the answer', async () => {
  const { canCommit } = probing({ everyMs: 0 })
  const unlock = await lock()
  const asked = Array.from({ length: 20 }, canCommit)
  await expect.poll(() => sessions(`wait_event_type = 'Lock'`)).toBe(1)
  expect(await sessions()).toBe(1)
  await unlock()
  expect(await Promise.all(asked)).toEqual(Array(20).fill(true))
})

test('who asks gets an answer in time, however long the attempt takes', async () => {
  const { canCommit } = probing({ everyMs: 0, answerMs: 50 })
  const unlock = await lock()
  expect(await canCommit()).toBe(false)
  await unlock()
  await expect.poll(canCommit).toBe(true)
})

test('a refusal is an answer: the database is read-only', async () => {
  const { canCommit } = probing({ everyMs: 0 })
  const { rows } = await database.db.pool.query<{ name: string }>('select current_database() as name')
  await database.db.pool.query(`alter database ${rows[0]!.name} set default_transaction_read_only = on`)
  expect(await canCommit()).toBe(false)
  const own = await database.db.of(0).pool.connect()
  await own.query('begin read write')
  await own.query(`alter database ${rows[0]!.name} reset default_transaction_read_only`)
  await own.query('commit')
  own.release()
  expect(await canCommit()).toBe(true)
})

test('it leaves no row, and no bytes after a vacuum', async () => {
  const { canCommit } = probing({ everyMs: 0 })
  const measure = async () => {
    await database.db.of(0).pool.query('vacuum full meter_batches')
    const { rows } = await database.db.of(0).pool.query(
      `select (select count(*) from meter_batches)::int as batches, (select count(*) from usage_events)::int as events,
         (select count(*) from usage_pending)::int as pending, pg_total_relation_size('meter_batches')::int as bytes,
         (select count(*) from pg_class)::int as relations`,
    )
    return rows[0]
  }
  await canCommit()
  const before = await measure()
  for (let i = 0; i < 200; i++) expect(await canCommit()).toBe(true)
  expect(await measure()).toEqual(before)
})
