import fc from 'fast-check'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAccount } from '#server/testing/factories.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { timeForRuns } from '../../../testing/time-for-runs.ts'
import { setTimeZone, stopClock } from '../../metering/testing/meter-fixture.ts'
import { publishPlans } from '../plans/publish-plans.ts'
import { seedPlans } from '../plans/seed-plans.ts'
import { addMonths, anyStart, HOUR } from '../testing/months.ts'
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
  await stopClock(database, Date.parse(at))
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

test('from any day, with any end, refund and later period, the months of a year are those of the model', async () => {
  // Edges of months: exactly, an hour ahead, a little before and after, and in between.
  const moment = fc.record({
    month: fc.nat(13),
    ms: fc.constantFrom(-2 * HOUR, -HOUR - 1, -HOUR, -1, 0, 1, 15 * 24 * HOUR),
  })
  const story = fc.record({
    start: anyStart,
    runs: fc.array(moment, { minLength: 1, maxLength: 5 }),
    ended: fc.option(moment),
    later: fc.option(moment),
    reversed: fc.constantFrom(0, 0, 18_239, 18_240),
  })
  const hasTime = timeForRuns(120_000)
  await fc.assert(
    fc.asyncProperty(story, async ({ start, runs, ended, later, reversed }) => {
      if (!hasTime()) return
      const at = ({ month, ms }: { month: number; ms: number }) => addMonths(start, month) + ms
      const end = addMonths(start, 12)
      const replaced = later && Math.max(at(later), start + 1)
      const over = ended && at(ended)
      account = await insertAccount(database.db)
      const date = (ms: number | null) => ms && new Date(ms)
      await query(
        `with s as (insert into subscriptions (id, account_id, price_id, source, status, anchor_at, current_period_start, current_period_end, ended_at)
           values ('sub_' || $1::bigint, $1::bigint, 'price_pro_year', 'stripe', 'active', $2, $2, $3, $4)),
         i as (insert into invoices (id, account_id, status, amount_cents, paid_cents, subscription_id, payment_intent_id, created_at)
           values ('in_' || $1::bigint, $1::bigint, 'paid', 18240, 18240, 'sub_' || $1::bigint, 'pi_' || $1::bigint, $2)),
         r as (insert into reversals (charge_id, account_id, payment_intent_id, cents, reversed_cents) values ('ch_' || $1::bigint, $1::bigint, 'pi_' || $1::bigint, 18240, $5))
         insert into invoice_lines (id, invoice_id, account_id, subscription_id, price_id, kind, cents, period_start, period_end, credits, months)
         select 'il_' || $1::bigint || l.name, 'in_' || $1::bigint, $1::bigint, 'sub_' || $1::bigint, 'price_pro_year', l.kind, 18240, l.s, l.e, 100, l.months
         from (values ('', 'plan', 12, $2::timestamptz, $3::timestamptz), ('_later', 'trial', 1, $6, $3)) l(name, kind, months, s, e) where l.s is not null`,
        [account, date(start), date(end), date(over), reversed, date(replaced)],
      )
      const granted = new Map<number, string>()
      for (const now of runs.map(at).sort((a, b) => a - b)) {
        await stopClock(database, now)
        await grantMonths({ db: database.db, log })
        for (let month = 0; month < 12 && now < end; month++) {
          const from = addMonths(start, month)
          const until = month === 11 ? end + 7 * 24 * HOUR : addMonths(start, month + 1)
          const isOver = addMonths(start, month + 1) <= now || (over !== null && over <= from) || reversed === 18_240
          const isReplaced = replaced !== null && replaced <= from
          if (from <= now + HOUR && (month === 0 || !(isOver || isReplaced)))
            granted.set(month, `${new Date(from).toJSON()} ${new Date(until).toJSON()} 100 plan`)
        }
        const rows = await query('select * from credit_grants where account_id = $1 order by effective_at', [account])
        expect(
          rows.map((one) => `${one.effective_at.toJSON()} ${one.expires_at.toJSON()} ${one.amount} ${one.kind}`),
        ).toEqual([...granted].sort(([a], [b]) => a - b).map(([, one]) => one))
      }
      await query('delete from invoice_lines where account_id = $1', [account])
    }),
    {
      numRuns: process.env.NIGHTLY ? 200 : 40,
      // The clocks of New York change in the week after.
      examples: [
        [
          {
            start: Date.parse('2028-10-31T07:00:00Z'),
            runs: [{ month: 11, ms: -HOUR }],
            ended: null,
            later: null,
            reversed: 0,
          },
        ],
      ],
    },
  )
})
