import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { refundInvoice } from '../../billing/refunds/refund-invoice.ts'
import { accountOf, buyCredits, buyPlan, passTime, plansByName, spend } from '../../billing/testing/billing.ts'
import { settleAccounts } from '../../credits/settle.ts'
import { rollUsage } from '../../metering/fold.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'
import { foldFigures } from './fold-figures.ts'
import { burn, type GrantMoney, liabilityOf, moneyOfMonth, takeBack } from './grant-money.ts'
import { CallRate } from './read-calls.ts'

let server: TestServer
let finance: TestOperator
let buyer: TestSession
beforeAll(async () => {
  server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
  // Noon, so that no test meets midnight.
  const { rows } = await server.db.pool.query(
    "select extract(epoch from date_trunc('day', app_now(), 'UTC') + interval '36 hours' - app_now())::int as seconds",
  )
  await passTime(server, rows[0].seconds)
  buyer = await startSession(server)
  const plans = await plansByName(buyer)
  await buyCredits(server, buyer, 3)
  await buyPlan(server, await startSession(server), plans.Pro, { priceId: plans.Pro!.annual!.priceId })
  await buyPlan(server, await startSession(server), plans.Pro)
  await buyPlan(server, await startSession(server), plans.Pro, { trial: true })
  expect(await spend(server, buyer, 1_234)).toBe('charged')
  await settleAccounts(server.db)
  await passTime(server, 2)
  await foldFigures(server.db)
  finance = await openConsole(server, 'finance')
})

const get = async (path: string, operator = finance) => {
  const { status, body } = await operator.call('GET', path)
  expect([path, status]).toEqual([path, 200])
  return body.data
}
/** A session of the console ends after twelve hours. */
const nextDay = async () => {
  await passTime(server, 86_400)
  finance = await openConsole(server, 'finance')
}
const noon = async () =>
  (
    await server.db.pool.query(
      "select (app_now() at time zone 'UTC')::date::text as day, to_char(app_now() at time zone 'UTC', 'YYYY-MM') as month",
    )
  ).rows[0]

describe('the money of a grant', () => {
  test('is earned in proportion, rounded down, and the last credit takes the remainder', () => {
    const grant: GrantMoney = { money: 100, credits: 3, remaining: 3 }
    expect([burn(grant, 1), burn(grant, 1), liabilityOf(grant), burn(grant, 1)]).toEqual([33, 33, 34, 34])
    const large: GrantMoney = { money: 4_000_000_000_000, credits: 9_000_000_000_001, remaining: 9_000_000_000_001 }
    expect([burn(large, 9_000_000_000_000), liabilityOf(large)]).toEqual([3_999_999_999_999, 1])
  })
  test('starts anew when credits are taken back, without changing what was earned', () => {
    const grant: GrantMoney = { money: 1_000, credits: 10, remaining: 10 }
    expect(burn(grant, 3)).toBe(300)
    expect(takeBack(grant, 2)).toBe(200)
    expect(grant).toEqual({ money: 500, credits: 5, remaining: 5 })
    expect(takeBack(grant, 5)).toBe(500)
    expect(grant.remaining).toBe(0)
  })
  test('of a year is shared by its months without a remainder', () => {
    const months = Array.from({ length: 12 }, (_, month) => moneyOfMonth(18_241, month, 12))
    expect(months.reduce((sum, cents) => sum + cents)).toBe(18_241)
    expect([...new Set(months)].sort()).toEqual([1_520, 1_521])
  })
})

describe('finance', () => {
  test('revenue is what was paid, by source', async () => {
    const { month } = await noon()
    const { rows } = await get('/finance/revenue?months=1')
    expect(
      rows.map(({ label, ...row }: Record<string, unknown>) => [row.month, row.currency, label, row.received, row.net]),
    ).toEqual([
      [month, 'usd', 'Credit packs', 600, 600],
      [month, 'usd', expect.stringMatching(/^Pro/), expect.any(Number), expect.any(Number)],
      [month, 'usd', expect.stringMatching(/^Pro/), expect.any(Number), expect.any(Number)],
    ])
    const plans = rows.slice(1).map(({ label, net }: { label: string; net: number }) => [label, net])
    expect(plans.sort()).toEqual([
      ['Pro, yearly', 18_240],
      ['Pro', 1_900],
    ])
  })
  test('the liability of a date is the money of credits that have not burned', async () => {
    const { day } = await noon()
    const { rows, prepaid } = await get(`/finance/liability?day=${day}`)
    const packs = rows.find(({ source }: { source: string }) => source === 'pack')
    // 30,000 credits for 600 cents; 1,234 burned: floor(600 * 1,234 / 30,000) = 24.
    expect(packs).toMatchObject({ currency: 'usd', credits: 28_766, cents: 576 })
    // One month of twelve is granted.
    expect(prepaid).toEqual([{ currency: 'usd', cents: 16_720 }])
    const before = await get('/finance/liability?day=2020-01-01')
    expect([before.rows, before.prepaid]).toEqual([[], []])
  })
  test('the credits of the month go from opening to closing', async () => {
    const { credits, money } = await get('/finance/credits')
    const pack = { source: 'pack', label: 'Credit packs', currency: 'usd', opening: 0 }
    expect(credits).toContainEqual({
      ...pack,
      granted: 30_000,
      burned: 1_234,
      repaid: 0,
      expired: 0,
      taken_back: 0,
      closing: 28_766,
    })
    expect(money).toContainEqual({ ...pack, sold: 600, earned: 24, lapsed: 0, returned: 0, forfeited: 0, closing: 576 })
    const trial = credits.find(({ source }: { source: string }) => source === 'trial')
    expect(trial).toMatchObject({ currency: '', granted: 100_000, closing: 100_000 })
  })
  test('recurring revenue is noted at the end of a day: a year is a twelfth, a trial nothing', async () => {
    const { day } = await noon()
    await nextDay()
    await foldFigures(server.db)
    const { day: noted, now, months } = await get('/finance/recurring')
    expect([noted, now]).toEqual([day, [{ currency: 'usd', mrr: 3_420, arr: 41_040, subscriptions: 2 }]])
    expect(months[0]).toMatchObject({ month: day.slice(0, 7), mrr: 3_420 })
    // A day on which nobody is subscribed counts nothing, not what an earlier day had.
    await server.db.pool.query('create table held as select * from operator_mrr')
    await server.db.pool.query('update operator_mrr set day = day - 1')
    expect((await get('/finance/recurring')).now).toEqual([])
    await server.db.pool.query('delete from operator_mrr')
    await server.db.pool.query('insert into operator_mrr select * from held')
    await server.db.pool.query('drop table held')
  })
  test('money stays with the roles that may read finance, on the first page, too', async () => {
    for (const role of ['viewer', 'support'] as const) {
      const operator = await openConsole(server, role)
      const [today, lists] = [await get('/today', operator), await get('/today/lists', operator)]
      expect([today.received, today.credits.liability, lists.receipts]).toEqual([null, null, null])
      expect(today.credits.sold).toEqual(expect.any(Number))
    }
    const [today, lists] = [await get('/today'), await get('/today/lists')]
    expect(today.received[0].currency).toBe('usd')
    expect(today.credits.liability[0].cents).toBeGreaterThan(0)
    expect(lists.receipts.length).toBeGreaterThan(0)
  })

  test('a refund is listed, lowers the receipts, and takes its unburned credits from the liability', async () => {
    const { rows } = await server.db.pool.query('select id from invoices where account_id = $1', [
      await accountOf(server, buyer),
    ])
    await refundInvoice(server.deps, { actId: randomUUID(), invoiceId: rows[0].id, cents: 200, operator: 'test' })
    await passTime(server, 2)
    await foldFigures(server.db)
    const { entries, next } = await get('/finance/refunds')
    expect(next).toBeNull()
    expect(entries).toEqual([
      expect.objectContaining({
        cause: 'refund',
        cents: 200,
        label: 'Credit packs',
        credits_taken_back: 10_000,
        credits_used: 0,
      }),
    ])
    const { rows: owed } = await get('/finance/liability')
    // floor(576 * 18,766 / 28,766) = 375.
    expect(owed.find(({ source }: { source: string }) => source === 'pack')).toMatchObject({
      credits: 18_766,
      cents: 375,
    })
    const { lines } = await get('/finance/journal')
    const { day } = await noon()
    const of = (account: string) =>
      lines
        .filter((line: { day: string; account: string }) => line.day === day && line.account === account)
        .map(({ debit, credit }: { debit: number; credit: number }) => debit - credit)
    expect(of('Cash at the payment provider')).toEqual([-200])
    expect(of('Credit liability')).toEqual([201])
    expect(of('Refunds of burned credits')).toEqual([-1])
  })
  test.each(['viewer', 'support'] as const)('is not for the role %s', async (role) => {
    const operator = await openConsole(server, role)
    for (const page of ['revenue', 'recurring', 'credits', 'liability', 'refunds', 'journal']) {
      const { status, body } = await operator.call('GET', `/finance/${page}`)
      expect([page, status, body.code]).toEqual([page, 403, 'forbidden'])
    }
  })
  test.each([
    '/finance/revenue?months=0',
    '/finance/revenue?months=61',
    '/finance/credits?month=2026-13',
    '/finance/liability?day=2026-02-30',
    '/finance/refunds?before=-1',
    '/finance/journal?month=now',
  ])('%s is refused', async (path) => {
    const { status, body } = await finance.call('GET', path)
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
  })
  test('a fold that runs twice, or on two servers at once, counts each line once', async () => {
    const before = await get('/finance/credits')
    await Promise.all(
      [foldFigures(server.db), foldFigures(server.db), foldFigures(server.db)].map((run) => run.catch(() => {})),
    )
    const after = await get('/finance/credits')
    expect([after.credits, after.money]).toEqual([before.credits, before.money])
  })
  test('a transaction that still writes is waited for: its line is counted once it is there', async () => {
    const client = await server.db.pool.connect()
    await client.query('begin')
    const { rows } = await client.query(
      "insert into money_ledger (account_id, cause, ref, source, currency, cents) values ($1, 'payment', 'in_late', 'payg', 'usd', 77) returning at",
      [await accountOf(server, buyer)],
    )
    // Seconds are counted whole: a later one has begun.
    await client.query('select pg_sleep(1)')
    await foldFigures(server.db)
    expect(new Date((await get('/finance/revenue')).until) <= rows[0].at).toBe(true)
    await client.query('commit')
    client.release()
    await passTime(server, 2)
    await foldFigures(server.db)
    const revenue = await get('/finance/revenue')
    expect(revenue.rows.find(({ source }: { source: string }) => source === 'payg')).toMatchObject({ received: 77 })
  })
})

describe('today', () => {
  test('agrees with plain SQL over calls, grants and payments', async () => {
    await settleAccounts(server.db)
    await passTime(server, 2)
    await foldFigures(server.db)
    const today = await get('/today')
    const one = async (text: string) => (await server.db.pool.query(text)).rows[0]
    const day = "date_trunc('day', app_now(), 'UTC')"
    const calls = await one(
      `select count(*)::int as calls, coalesce(sum(from_credits + from_payg), 0)::int as credits, count(distinct account_id) filter (where from_credits > 0)::int as active from usage_events where at >= ${day}`,
    )
    const credits = await one('select sum(delta)::int as left from credit_ledger')
    const paid = await one(`select coalesce(sum(cents), 0)::int as cents from money_ledger where at >= ${day}`)
    expect(today.calls.today).toBe(calls.calls)
    expect(today.credits.burned).toBe(calls.credits)
    expect(today.customers.active_today).toBe(calls.active)
    expect(today.credits.outstanding).toBe(credits.left)
    expect(today.received).toEqual([{ currency: 'usd', cents: paid.cents, yesterday_cents: expect.any(Number) }])
  })
  test('lists the hours, the funnel, and the top tools and customers', async () => {
    const { day } = await noon()
    expect(await spend(server, buyer, 5)).toBe('charged')
    await passTime(server, 2)
    await foldFigures(server.db)
    const lists = await get('/today/lists')
    expect(lists.hours).toHaveLength(24)
    const funnel = lists.funnel.find((row: { day: string }) => row.day === day)
    const { rows } = await server.db.pool.query(
      "select count(*)::int as signed_up from accounts where created_at >= date_trunc('day', app_now(), 'UTC')",
    )
    expect(funnel.signed_up).toBe(rows[0].signed_up)
    const all = lists.funnel.reduce((sum: number, row: { paid: number }) => sum + row.paid, 0)
    // Four bought; the trial has paid nothing yet.
    expect(all).toBe(3)
    // `spend` charges as the first tool, with 1 ms. A bucket of the histogram ends there.
    const { rows: tools } = await server.db.pool.query('select name from tools order by id limit 1')
    expect(lists.tools).toContainEqual({ name: tools[0].name, calls: 1, failed: 0, credits: 5, p95_ms: 1 })
    expect(lists.customers[0]).toMatchObject({ name: buyer.email, calls: 2, credits: 1_239 })
  })
  test('counts calls, failures and refusals of the day, and compares closed hours with yesterday', async () => {
    const person = await startSession(server)
    await person.call('POST', '/api/billing/subscribe-free-plan')
    const { body } = await person.call('POST', '/api/keys', { body: { name: 'Figures' } })
    const headers = { authorization: `Bearer ${body.data.apiKey.unkey}` }
    const ask = (path: string) => fetch(`${server.url}${path}`, { headers })
    const before = await get('/today')
    expect((await ask('/v1/series/OIL.WTI?range=1mo')).status).toBe(200)
    expect((await ask('/v1/series/OIL.WTI?range=never')).status).toBeGreaterThanOrEqual(400)
    await expect.poll(async () => (await get('/today')).calls.today - before.calls.today).toBe(1)
    await expect.poll(async () => (await get('/today')).refused.today - before.refused.today).toBe(1)
    expect((await get('/today')).calls.closed).toBe(before.calls.closed)
    // An hour later, it belongs to a closed hour; a day later, to yesterday.
    const closed = (await get('/today')).calls
    await passTime(server, 3_600)
    await rollUsage(server.db)
    expect((await get('/today')).calls).toEqual({ ...closed, closed: closed.today, yesterday: 1 })
    await nextDay()
    expect((await get('/today')).calls).toEqual({ today: 0, closed: 0, yesterday: closed.today })
  })
  test('calls a second are those between two requests of the last minute', () => {
    const rate = new CallRate()
    expect(rate.next({ atMs: 0, calls: 100 })).toBeNull()
    expect(rate.next({ atMs: 10_000, calls: 225 })).toBe(12.5)
    expect(rate.next({ atMs: 20_000, calls: 225 })).toBe(6.3)
    expect(rate.next({ atMs: 75_000, calls: 775 })).toBe(10)
    // A new day dropped older calls.
    expect(rate.next({ atMs: 80_000, calls: 5 })).toBeNull()
  })
})

test('a day or a month that no calendar of the ledger has is refused', async () => {
  for (const path of ['liability?day=9999-12-31', 'liability?day=0000-01-01', 'journal?month=0001-01'])
    expect((await finance.call('GET', `/finance/${path}`)).status).toBe(400)
  for (const path of ['liability?day=2099-12-31', 'liability?day=2000-01-01', 'journal?month=2099-12'])
    expect((await finance.call('GET', `/finance/${path}`)).status).toBe(200)
})
