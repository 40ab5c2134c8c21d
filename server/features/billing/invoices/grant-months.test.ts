import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAccount } from '#server/testing/factories.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { moveClockTo, setTimeZone } from '../../metering/testing/meter-fixture.ts'
import { publishPlans } from '../plans/publish-plans.ts'
import { seedPlans } from '../plans/seed-plans.ts'
import { grantMonths } from './grant-months.ts'

const log = pino({ level: 'silent' })
let database: TestDatabase
let account: number
let paid: string

const query = async (text: string, values: unknown[] = []) => (await database.db.pool.query(text, values)).rows
beforeAll(async () => {
  database = await createTestDatabase()
  await setTimeZone(database, 'America/New_York')
  const year = { ...seedPlans[1]!, priceId: 'price_pro_year', interval: 'year' as const, priceCents: 18_240 }
  await database.db.kysely.transaction().execute((tx) => publishPlans(tx, [...seedPlans, year]))
})
afterAll(() => database.drop())

/** A year of Pro from January 31, 2027, paid with 182.40 dollars. */
beforeEach(async () => {
  account = await insertAccount(database.db)
  paid = `in_${account}`
  const period = ['2027-01-31T12:00:00Z', '2028-01-31T12:00:00Z']
  await query(
    `insert into subscriptions (id, account_id, price_id, source, status, anchor_at, current_period_start, current_period_end)
     values ('sub_' || $1::bigint, $1::bigint, 'price_pro_year', 'stripe', 'active', $2, $2, $3)`,
    [account, ...period],
  )
  await query(
    `insert into invoices (id, account_id, status, amount_cents, paid_cents, subscription_id, payment_intent_id, created_at)
     values ($2, $1::bigint, 'paid', 18240, 18240, 'sub_' || $1::bigint, 'pi_' || $1::bigint, $3)`,
    [account, paid, period[0]],
  )
  await query(
    `insert into invoice_lines (id, invoice_id, account_id, subscription_id, price_id, kind, cents, period_start, period_end, credits, months)
     values ('il_' || $1::bigint, $2, $1::bigint, 'sub_' || $1::bigint, 'price_pro_year', 'plan', 18240, $3, $4, 100000, 12)`,
    [account, paid, ...period],
  )
})

const run = async (at: string) => {
  await moveClockTo(database, new Date(at))
  await grantMonths({ db: database.db, log })
}
const months = async () =>
  (
    await query(`select effective_at, expires_at from credit_grants where account_id = $1 order by effective_at`, [
      account,
    ])
  ).map(
    ({ effective_at: from, expires_at: until }) =>
      `${from.toISOString().slice(0, 13)} ${until.toISOString().slice(0, 13)}`,
  )

test('the months of a year from the 31st end on the last day of the shorter months, each granted an hour ahead', async () => {
  await run('2027-01-31T12:00:00Z')
  await run('2027-02-28T10:59:00Z')
  expect(await months()).toEqual(['2027-01-31T12 2027-02-28T12'])
  await run('2027-02-28T11:01:00Z')
  expect(await months()).toEqual(['2027-01-31T12 2027-02-28T12', '2027-02-28T12 2027-03-31T12'])
  await run('2027-04-30T12:00:00Z')
  // March was missed, and is nearly over: it has no credits left to give.
  expect((await months()).slice(2)).toEqual(['2027-04-30T12 2027-05-31T12'])
  await run('2027-12-31T12:00:00Z')
  // The last month waits for the next payment.
  expect((await months()).slice(3)).toEqual(['2027-12-31T12 2028-02-07T12'])
})

const replacedAt = (start: string) => `
  insert into invoice_lines (id, invoice_id, account_id, subscription_id, price_id, kind, cents, period_start, period_end, credits, months)
  select id || '_next', invoice_id, account_id, subscription_id, price_id, kind, cents, '${start}', '2028-03-10Z', credits, 1
  from invoice_lines where account_id = $1`

test.each([
  ['whose subscription has ended', `update subscriptions set ended_at = '2027-02-10Z' where account_id = $1`, 1],
  [
    'whose subscription ends in the month after',
    `update subscriptions set ended_at = '2027-03-10Z' where account_id = $1`,
    2,
  ],
  [
    'that was refunded',
    `insert into reversals (charge_id, account_id, payment_intent_id, cents, reversed_cents) values ('ch_' || $1::bigint, $1::bigint, 'pi_' || $1::bigint, 18240, 18240)`,
    1,
  ],
  [
    'half of which was refunded',
    `insert into reversals (charge_id, account_id, payment_intent_id, cents, reversed_cents) values ('ch_' || $1::bigint, $1::bigint, 'pi_' || $1::bigint, 18240, 9120)`,
    2,
  ],
  ['that another one replaced at the turn of a month', replacedAt('2027-02-28T12:00Z'), 1],
  ['that another one replaced in the month after', replacedAt('2027-03-10Z'), 2],
])('a year %s gives no more months than it should', async (_, change, count) => {
  await run('2027-01-31T12:00:00Z')
  await query(change, [account])
  await run('2027-03-01T12:00:00Z')
  expect(await months()).toHaveLength(count)
})
