import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { homeOf } from '../../db/buckets.ts'
import { openDatabase } from '../../db/database.ts'
import { keyUsage } from '../keys/key-usage.ts'
import { compactUsage } from '../usage/compact.ts'
import { foldUsage, rollUsage } from './fold.ts'
import { checkInvariants } from './invariants.ts'
import { keepPartitions } from './partitions.ts'
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
  meter = (await fixture.instance()).meter
})
afterEach(async () => {
  await moveClock(fixture, '0')
  expect(await checkInvariants(fixture.db)).toEqual([])
})
afterAll(() => fixture.close())

const where = async (accountId: number) => {
  const { rows } = await sql<{ partition: string }>`
    select tableoid::regclass::text as partition from usage_events where account_id = ${accountId} order by at`.execute(
    (await homeOf(fixture.db, accountId)).kysely,
  )
  return rows.map(({ partition }) => partition)
}
const partitionOf = (daysAhead: number) =>
  `usage_events_${new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`

test('a call without a partition waits in the default one and is moved when the partition is made', async () => {
  const account = await fixture.account(5)
  await meter.commit(call(account))
  await moveClock(fixture, '40 days')
  await meter.commit(call(account))
  expect(await where(account.accountId)).toEqual([partitionOf(0), 'usage_events_default'])
  await moveClock(fixture, '41 days')
  const { created } = await keepPartitions(fixture.db, { aheadDays: 2, retainDays: 400 })
  expect(new Set(created).size).toBe(4)
  expect(await where(account.accountId)).toEqual([partitionOf(0), partitionOf(40)])
  expect(await keepPartitions(fixture.db, { aheadDays: 2, retainDays: 400 })).toEqual({ created: [], dropped: [] })
})

test('partitions are created while calls continue', async () => {
  const account = await fixture.account(1_000)
  await moveClock(fixture, '60 days')
  const calls = Promise.all(Array.from({ length: 300 }, () => meter.commit(call(account))))
  await Promise.all([keepPartitions(fixture.db), keepPartitions(fixture.db)])
  expect((await calls).every(({ kind }) => kind === 'charged')).toBe(true)
  await keepPartitions(fixture.db)
  expect(new Set(await where(account.accountId))).toEqual(new Set([partitionOf(60)]))
})

test('retention drops whole days and keeps sums, balances and invariants', async () => {
  const account = await fixture.account(5)
  await meter.commit(call(account))
  await moveClock(fixture, '3 days')
  await meter.commit(call(account))
  expect((await keepPartitions(fixture.db, { aheadDays: 0, retainDays: 3 })).dropped).not.toContain(partitionOf(0))
  const { dropped } = await keepPartitions(fixture.db, { aheadDays: 0, retainDays: 1 })
  expect(dropped).toContain(partitionOf(0))
  expect(await where(account.accountId)).toEqual([partitionOf(3)])
  expect((await keyUsage(fixture.db.kysely, account.accountId)).get(account.keyId)?.usageCount).toBe(2)
})

test('hourly sums are deleted after 100 days, daily ones never, and every total stays', async () => {
  const account = await fixture.account(50)
  for (const hours of [0, 1, 2]) {
    await moveClock(fixture, `${100 * 24 + hours} hours`)
    await meter.commit(call(account))
  }
  await moveClock(fixture, '101 days')
  const rows = () =>
    fixture.db.kysely.selectFrom('usage_hourly').select('hour').where('account_id', '=', account.accountId).execute()
  // Another fold may be under way.
  await vi.waitFor(
    async () => {
      await foldUsage(fixture.db)
      await rollUsage(fixture.db)
      expect((await rows()).length).toBe(3)
    },
    { timeout: 120_000 },
  )
  await moveClock(fixture, '199 days')
  await compactUsage(fixture.db)
  expect((await rows()).length).toBe(3)
  await moveClock(fixture, '202 days')
  expect((await compactUsage(fixture.db)).deletedHours).toBeGreaterThanOrEqual(3)
  expect(await rows()).toEqual([])
  expect(await checkInvariants(fixture.db)).toEqual([])
  expect((await keyUsage(fixture.db.kysely, account.accountId)).get(account.keyId)?.usageCount).toBe(3)
})

test('100 days are whole UTC days, also where the clocks of the database change within them', async () => {
  const { accountId, bucket } = await fixture.account()
  const { kysely } = fixture.db.of(bucket)
  await sql`insert into usage_hourly (account_id, key_id, hour, success, failed, refused, from_credits, from_payg)
    select ${accountId}, 0, hour::timestamptz, 1, 0, 0, 0, 0 from unnest('{2027-03-06T23:00Z,2027-03-07T00:00Z}'::text[]) hour`.execute(
    kysely,
  )
  await setTimeZone(fixture, 'America/New_York')
  const db = openDatabase(fixture.url, 1, () => {})
  await moveClockTo(fixture, new Date('2027-06-15T12:00Z'))
  await compactUsage(db)
  await db.close()
  const { rows } = await sql`delete from usage_hourly where account_id = ${accountId} returning hour`.execute(kysely)
  expect(rows).toEqual([{ hour: new Date('2027-03-07T00:00Z') }])
})
