import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eachBucket } from '../../db/buckets.ts'
import { keyUsage } from '../keys/key-usage.ts'
import { readLatency } from '../usage/latency.ts'
import { durationsOf, sumsOf } from '../usage/sums-of.ts'
import { foldUsage, rollUsage } from './fold.ts'
import { checkInvariants } from './invariants.ts'
import {
  call,
  type Instance,
  type MeterFixture,
  meterFixture,
  moveClock,
  moveClockTo,
  setTimeZone,
} from './testing/meter-fixture.ts'

let fixture: MeterFixture
let meter: Instance['meter']

beforeAll(async () => {
  fixture = await meterFixture()
  // Days are UTC's, wherever the database server stands.
  await setTimeZone(fixture, 'America/New_York')
  meter = (await fixture.instance()).meter
})
afterAll(() => fixture.close())

const rowsIn = async (table: string, accountId: number): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from ${sql.table(table)} where account_id = ${accountId}`.execute(fixture.db.kysely)
  return rows[0]!.n
}

/** Everything that the page shows about an account and its key. */
async function asked(accountId: number, keyId: number) {
  const db = fixture.db.kysely
  const counts = async (range: '24h' | '30d', ofKey: number | null) =>
    (
      await sql`select key_id, sum(success)::int as success, sum(failed)::int as failed
        from (${sumsOf(range, accountId, ofKey)}) s group by 1 order by 1`.execute(db)
    ).rows
  return {
    hours: await counts('24h', null),
    days: await counts('30d', null),
    key: await counts('30d', keyId),
    latencyOfHours: await readLatency(db, durationsOf('24h', accountId, null)),
    latencyOfDays: await readLatency(db, durationsOf('30d', accountId, null)),
    latencyOfKey: await readLatency(db, durationsOf('30d', accountId, keyId)),
    list: (await keyUsage(db, accountId)).get(keyId)?.usageCount,
  }
}

test('where a sum lies changes no answer: pending, in its open hour, rolled, and with a late call in a closed hour', async () => {
  const { accountId, keyId } = await fixture.account(100)
  const of = { accountId, keyId }
  for (const durationMs of [1, 2, 30, 30, 400]) await meter.commit(call(of, { durationMs }))
  await meter.commit(call(of, { durationMs: 9_000, status: 'failed' }))
  await meter.commit(call({ accountId, keyId: null }, { durationMs: 1 }))
  const expected = {
    hours: [
      { key_id: 0, success: 1, failed: 0 },
      { key_id: keyId, success: 5, failed: 1 },
    ],
    days: [
      { key_id: 0, success: 1, failed: 0 },
      { key_id: keyId, success: 5, failed: 1 },
    ],
    key: [{ key_id: keyId, success: 5, failed: 1 }],
    latencyOfHours: { p50: 31, p95: 10_239, p99: 10_239 },
    latencyOfDays: { p50: 31, p95: 10_239, p99: 10_239 },
    latencyOfKey: { p50: 31, p95: 10_239, p99: 10_239 },
    list: 5,
  }
  expect(await asked(accountId, keyId)).toEqual(expected)
  await foldUsage(fixture.db)
  expect(await rowsIn('usage_open', accountId)).toBeGreaterThan(0)
  expect(await asked(accountId, keyId)).toEqual(expected)
  await rollUsage(fixture.db)
  expect(await rowsIn('usage_daily', accountId)).toBe(0)

  await moveClock(fixture, '1 hour')
  await rollUsage(fixture.db)
  expect(await rowsIn('usage_open', accountId)).toBe(0)
  expect(await rowsIn('usage_daily', accountId)).toBeGreaterThan(0)
  expect(await asked(accountId, keyId)).toEqual(expected)

  await moveClock(fixture, '0')
  await meter.commit(call(of, { durationMs: 30 }))
  await foldUsage(fixture.db)
  const later = await asked(accountId, keyId)
  expect(later).toMatchObject({ list: 6, key: [{ key_id: keyId, success: 6, failed: 1 }] })
  await moveClock(fixture, '1 hour')
  await rollUsage(fixture.db)
  expect(await rowsIn('usage_open', accountId)).toBe(0)
  expect(await asked(accountId, keyId)).toEqual(later)
  expect(await checkInvariants(fixture.db)).toEqual([])
  await moveClock(fixture, '0')
})

test('folding and rolling on several servers during commits loses nothing and counts nothing twice', async () => {
  const { accountId, keyId } = await fixture.account(1_000)
  const other = (await fixture.instance()).meter
  for (let hour = 0; hour < 4; hour++) {
    await moveClock(fixture, `${hour} hours`)
    await Promise.all([
      ...Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? meter : other).commit(call({ accountId, keyId }, { durationMs: i })),
      ),
      ...Array.from({ length: 4 }, async () => {
        await foldUsage(fixture.db)
        await eachBucket(fixture.db, ({ pool }) => pool.query('select usage_roll(7)'))
      }),
    ])
    expect(await checkInvariants(fixture.db)).toEqual([])
  }
  await foldUsage(fixture.db)
  await moveClock(fixture, '5 hours')
  await rollUsage(fixture.db)
  expect(await rowsIn('usage_open', accountId)).toBe(0)
  expect((await asked(accountId, keyId)).list).toBe(200)
  expect(await checkInvariants(fixture.db)).toEqual([])
  await moveClock(fixture, '0')
})

test('a late call neither moves the last use of its key back nor changes the day', async () => {
  const { accountId, keyId } = await fixture.account(100)
  for (const times of [['03:30', '03:10'], ['01:30']]) {
    for (const time of times) {
      await moveClockTo(fixture, new Date(`2027-03-10T${time}Z`))
      await meter.commit(call({ accountId, keyId }))
      await foldUsage(fixture.db)
    }
    await moveClockTo(fixture, new Date('2027-03-10T12:00Z'))
    await rollUsage(fixture.db)
  }
  expect(await rowsIn('usage_open', accountId)).toBe(0)
  expect((await keyUsage(fixture.db.kysely, accountId)).get(keyId)?.lastUsedAt.toISOString()).toMatch(
    '2027-03-10T03:30',
  )
  expect(await checkInvariants(fixture.db)).toEqual([])
  await moveClock(fixture, '0')
})

test('refused requests of one hour that are folded one after the other add up', async () => {
  const { accountId, keyId, bucket } = await fixture.account()
  const { kysely } = fixture.db.of(bucket)
  for (const refused of [2, 3]) {
    await sql`insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits, payg, refused)
      values (app_now(), ${[accountId]}, ${[keyId]}, '{0}', '{0}', '{0}', '{0}', '{0}', ${[refused]})`.execute(kysely)
    await foldUsage(fixture.db)
  }
  const { rows } =
    await sql`select sum(refused)::int as refused from usage_open where account_id = ${accountId}`.execute(kysely)
  expect(rows).toEqual([{ refused: 5 }])
})

test('calls of one hour that are folded one after the other add up, failed ones too', async () => {
  const { accountId, keyId } = await fixture.account(100)
  for (let round = 0; round < 3; round++) {
    await meter.commit(call({ accountId, keyId }, { durationMs: 1 }))
    await meter.commit(call({ accountId, keyId }, { durationMs: 1, status: 'failed' }))
    await foldUsage(fixture.db)
  }
  expect((await asked(accountId, keyId)).days).toEqual([{ key_id: keyId, success: 3, failed: 3 }])
  expect(await checkInvariants(fixture.db)).toEqual([])
})

test.each(['7d', '30d', '90d'] as const)('%s are that many days, today included', async (range) => {
  const { accountId } = await fixture.account()
  const days = Number.parseInt(range, 10)
  for (const ago of [0, days - 1, days])
    await sql`insert into usage_daily (account_id, key_id, day, success, failed, refused, from_credits, from_payg)
      values (${accountId}, 0, (app_now() at time zone 'UTC')::date - ${ago}::int, 1, 0, 0, 0, 0)`.execute(
      fixture.db.kysely,
    )
  const { rows } = await sql`select * from (${sumsOf(range, accountId, null)}) s`.execute(fixture.db.kysely)
  expect(rows).toHaveLength(2)
  await sql`delete from usage_daily where account_id = ${accountId}`.execute(fixture.db.kysely)
})
