import fc from 'fast-check'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readBalance } from '#server/features/credits/balance.ts'
import { insertAccount } from '#server/testing/factories.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { timeForRuns } from '../../../testing/time-for-runs.ts'
import { setTimeZone, stopClock } from '../../metering/testing/meter-fixture.ts'
import { addMonths, anyStart, HOUR, periodOf } from '../testing/months.ts'
import { grantFreePeriod } from './grant-free-period.ts'
import { publishPlans } from './publish-plans.ts'
import { renewFreePlans } from './renew-free-plans.ts'
import { seedPlans } from './seed-plans.ts'

const log = pino({ level: 'silent' })
let database: TestDatabase
let account: number

const query = async (text: string, values: unknown[] = []) => (await database.db.pool.query(text, values)).rows
const setClock = (at: string) => stopClock(database, Date.parse(at))
const publish = (plans: typeof seedPlans) => database.db.kysely.transaction().execute((tx) => publishPlans(tx, plans))
const renew = () => renewFreePlans({ db: database.db, log })
const grants = () =>
  query(`select source_id, effective_at, expires_at from credit_grants where account_id = $1 order by id`, [account])
const remaining = async () => (await readBalance(database.db.kysely, account)).remaining

beforeAll(async () => {
  database = await createTestDatabase()
  await setTimeZone(database, 'America/New_York')
  await publish(seedPlans)
})
afterAll(() => database.drop())

beforeEach(async () => {
  await query('delete from subscriptions')
  await setClock('2027-01-31T12:00:00Z')
  account = await insertAccount(database.db)
  const period = { start: new Date('2027-01-31T12:00:00Z'), end: new Date('2027-02-28T12:00:00Z') }
  await query(
    `insert into subscriptions (id, account_id, price_id, source, status, anchor_at, current_period_start, current_period_end)
     values ('sub_' || $1::bigint, $1::bigint, 'price_free_month', 'free', 'active', $2, $2, $3)`,
    [account, period.start, period.end],
  )
  await grantFreePeriod(database.db.kysely, account, 1000, period)
})

describe('renewing the free plan', () => {
  test('does nothing within the month', async () => {
    await setClock('2027-02-28T10:59:00Z')
    expect(await renew()).toBe(0)
    expect(await grants()).toHaveLength(1)
  })

  test('leaves out a plan that ends with its month', async () => {
    await query('update subscriptions set cancels_at = current_period_end')
    await setClock('2027-02-28T13:00:00Z')
    expect([await renew(), (await grants()).length]).toEqual([0, 1])
  })

  test("grants the month of Stripe's subscription for a day, and leaves its dates to Stripe", async () => {
    await query(`update subscriptions set source = 'stripe'`)
    await setClock('2027-03-01T12:01:00Z')
    expect(await renew()).toBe(0)
    await setClock('2027-03-01T11:59:00Z')
    expect(await renew()).toBe(1)
    const dates = await query('select current_period_end as e from subscriptions')
    expect(dates).toEqual([{ e: new Date('2027-02-28T12:00:00Z') }])
  })

  test('grants in the last hour ahead: the credits change at the turn of the month without a job', async () => {
    await setClock('2027-02-28T11:30:00Z')
    expect([await renew(), await renew()]).toEqual([1, 0])
    expect(await remaining()).toBe(1000)
    const period = 'select current_period_end as e from subscriptions'
    expect(await query(period)).toEqual([{ e: new Date('2027-02-28T12:00:00Z') }])
    await setClock('2027-02-28T12:00:01Z')
    expect(await remaining()).toBe(1000)
    expect(await renew()).toBe(0)
    expect(await query(period)).toEqual([{ e: new Date('2027-03-31T12:00:00Z') }])
    expect(
      await query(`select source_id from credit_grants where account_id = $1 and state = 'live'`, [account]),
    ).toEqual([{ source_id: `${account}:2027-02` }])
  })

  test('replaces the credits of the old month, without rollover, however often it runs', async () => {
    expect(await remaining()).toBe(1000)
    await setClock('2027-02-28T12:00:01Z')
    expect(await remaining()).toBe(0)
    expect(await renew()).toBe(1)
    expect(await renew()).toBe(0)
    expect(await remaining()).toBe(1000)
    expect(await grants()).toEqual([
      {
        source_id: `${account}:2027-01`,
        effective_at: new Date('2027-01-31T12:00:00Z'),
        expires_at: new Date('2027-02-28T12:00:00Z'),
      },
      {
        source_id: `${account}:2027-02`,
        effective_at: new Date('2027-02-28T12:00:00Z'),
        expires_at: new Date('2027-03-31T12:00:00Z'),
      },
    ])
  })

  test('does not grant months in which nothing ran', async () => {
    await setClock('2027-06-15T00:00:00Z')
    expect(await renew()).toBe(1)
    expect(await remaining()).toBe(1000)
    expect((await grants()).map((grant) => grant.source_id)).toEqual([`${account}:2027-01`, `${account}:2027-05`])
    expect(
      await query(
        `select current_period_start as s, current_period_end as e from subscriptions where account_id = $1`,
        [account],
      ),
    ).toEqual([{ s: new Date('2027-05-31T12:00:00Z'), e: new Date('2027-06-30T12:00:00Z') }])
  })

  test('on ten instances at once grants once', async () => {
    await setClock('2027-03-01T00:00:00Z')
    const renewed = await Promise.all(Array.from({ length: 10 }, renew))
    expect(renewed.reduce((sum, n) => sum + n, 0)).toBe(1)
    expect(await grants()).toHaveLength(2)
  })

  test('leaves ended subscriptions alone', async () => {
    await query(`update subscriptions set status = 'canceled'`)
    await setClock('2027-03-01T00:00:00Z')
    expect(await renew()).toBe(0)
  })

  test('continues with the others when one fails', async () => {
    const broken = Number((await query(`insert into accounts (name) values ('no credit account') returning id`))[0]?.id)
    await query(
      `insert into subscriptions (id, account_id, price_id, source, status, current_period_start, current_period_end)
       values ('aaa', $1, 'price_free_month', 'free', 'active', '2027-01-01', '2027-02-01')`,
      [broken],
    )
    await setClock('2027-03-01T00:00:00Z')
    expect(await renew()).toBe(1)
    expect(await remaining()).toBe(1000)
  })
})

test('from any day, whenever the job runs, the months of a free plan are those of the model', async () => {
  const moment = fc.record({
    month: fc.nat(6),
    ms: fc.constantFrom(-2 * HOUR, -HOUR - 1, -HOUR, -1, 0, 1, 23 * HOUR, 24 * HOUR, 15 * 24 * HOUR),
  })
  const story = fc.record({
    start: anyStart,
    source: fc.constantFrom('free', 'stripe'),
    cancels: fc.constantFrom(false, false, false, true),
    runs: fc.array(moment, { minLength: 1, maxLength: 6 }),
  })
  const hasTime = timeForRuns(120_000)
  await fc.assert(
    fc.asyncProperty(story, async ({ start, source, cancels, runs }) => {
      if (!hasTime()) return
      account = await insertAccount(database.db)
      let period = periodOf(start, start)
      await query('delete from subscriptions')
      await query(
        `insert into subscriptions (id, account_id, price_id, source, status, anchor_at, current_period_start, current_period_end, cancels_at)
         values ('sub_' || $1::bigint, $1::bigint, 'price_free_month', $2, 'active', $3, $3, $4, $5)`,
        [account, source, new Date(start), new Date(period.end), cancels ? new Date(period.end) : null],
      )
      const granted: string[] = []
      const months = new Set<string>()
      for (const now of runs.map(({ month, ms }) => addMonths(start, month) + ms).sort((a, b) => a - b)) {
        await stopClock(database, now)
        const due = !cancels && period.end <= now + HOUR && (source === 'free' || period.end > now - 24 * HOUR)
        const next = periodOf(start, Math.max(period.end, now))
        const month = new Date(next.start).toJSON().slice(0, 7)
        const isNew = due && !months.has(month)
        expect(await renew()).toBe(isNew ? 1 : 0)
        if (isNew) granted.push(`${new Date(next.start).toJSON()} ${new Date(next.end).toJSON()} 1000 free`)
        if (due) months.add(month)
        if (due && source === 'free' && period.end <= now) period = next
        const rows = await query('select * from credit_grants where account_id = $1 order by id', [account])
        expect(
          rows.map((one) => `${one.effective_at.toJSON()} ${one.expires_at.toJSON()} ${one.amount} ${one.kind}`),
        ).toEqual(granted)
        expect(
          await query('select current_period_start as start, current_period_end as "end" from subscriptions'),
        ).toEqual([{ start: new Date(period.start), end: new Date(period.end) }])
      }
    }),
    { numRuns: process.env.NIGHTLY ? 300 : 40 },
  )
})

describe('the periods of a plan', () => {
  test.each([
    ['2027-01-31T00:00:00Z', '2027-01-31T00:00:00Z', '2027-01-31T00:00:00Z', '2027-02-28T00:00:00Z'],
    ['2027-01-31T00:00:00Z', '2027-02-27T23:59:59Z', '2027-01-31T00:00:00Z', '2027-02-28T00:00:00Z'],
    ['2027-01-31T00:00:00Z', '2027-02-28T00:00:00Z', '2027-02-28T00:00:00Z', '2027-03-31T00:00:00Z'],
    ['2027-01-31T00:00:00Z', '2027-03-30T00:00:00Z', '2027-02-28T00:00:00Z', '2027-03-31T00:00:00Z'],
    ['2028-01-31T00:00:00Z', '2028-02-28T23:00:00Z', '2028-01-31T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['2026-12-15T10:30:00Z', '2027-01-15T10:29:59Z', '2026-12-15T10:30:00Z', '2027-01-15T10:30:00Z'],
    ['2026-12-15T10:30:00Z', '2029-07-15T10:30:00Z', '2029-07-15T10:30:00Z', '2029-08-15T10:30:00Z'],
  ])('from %s, at %s', async (anchor, at, start, end) => {
    // Months are counted in UTC whatever the session's time zone does at clock changes.
    const connection = await database.db.pool.connect()
    try {
      for (const zone of ['UTC', 'America/New_York', 'Pacific/Auckland']) {
        await connection.query(`set time zone '${zone}'`)
        const { rows } = await connection.query('select * from plan_period($1, $2)', [anchor, at])
        expect(rows[0]).toEqual({ period_start: new Date(start), period_end: new Date(end) })
      }
    } finally {
      await connection.query(`reset time zone`)
      connection.release()
    }
  })
})

describe('publishing the catalog', () => {
  test('repeated and from several instances leaves one row per plan, and removed plans become inactive', async () => {
    await Promise.all(Array.from({ length: 8 }, () => publish(seedPlans)))
    expect(await query('select price_id, active from plans order by position')).toEqual([
      { price_id: 'price_free_month', active: true },
      { price_id: 'price_pro_month', active: true },
      { price_id: 'price_payg_month', active: true },
    ])
    await publish(seedPlans.slice(0, 2))
    expect(await query('select price_id from plans where not active')).toEqual([{ price_id: 'price_payg_month' }])
    await publish(seedPlans)
  })
})
