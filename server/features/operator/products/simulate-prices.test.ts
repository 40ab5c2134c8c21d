import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { accountOf, buyPlan, plansByName } from '../../billing/testing/billing.ts'
import { foldCalls } from '../figures/fold-calls.ts'
import { openConsole } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const { pool } = server.db
const finance = await openConsole(server, 'finance')
const simulate = async (prices = '') => (await finance.call('GET', `/price-simulation?prices=${prices}`)).body.data
const toolId = (name: string) => server.deps.tools.current().idOf(name)!

/** The first day of last month, in UTC. */
const { rows: clock } = await pool.query(
  `select (date_trunc('month', app_now() at time zone 'UTC') - interval '1 month')::date::text as first,
   ((date_trunc('month', app_now() at time zone 'UTC'))::date - (date_trunc('month', app_now() at time zone 'UTC') - interval '1 month')::date)::int as days`,
)
const { first, days } = clock[0] as { first: string; days: number }

/** Writes calls of an account, as the meter does: `at` days after the start of last month. */
async function calls(
  account: number,
  tool: string,
  at: number,
  each: { credits?: number; payg?: number; failed?: true }[],
) {
  for (const [n, { credits = 0, payg = 0, failed }] of each.entries())
    await pool.query(
      `insert into usage_events (account_id, at, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
       values ($1, ($2::date + $3::int)::timestamp at time zone 'UTC' + interval '3 hours', $4, $5, $6, 5, $7, $8, $9)`,
      [account, first, at, randomUUID(), n, toolId(tool), credits, payg, !failed],
    )
}
const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)

const people = await Promise.all(['none', 'pro', 'payg', 'endless'].map(() => startSession(server)))
const [none, pro, payg] = people as [TestSession, TestSession, TestSession]
// An account is made by the first request.
for (const person of people) await person.call('GET', '/api/billing/credits')
const plans = await plansByName(none)
await buyPlan(server, pro, plans.Pro)
await buyPlan(server, payg, plans['Pay-as-you-go'])
const ids = await Promise.all(people.map((person) => accountOf(server, person)))
const [noneId, proId, paygId, endlessId] = ids as [number, number, number, number]
await pool.query('update credit_accounts set unlimited = true where account_id = $1', [endlessId])
await pool.query(`update plans set credits = 40 where product_id = 'prod_pro'`)
await pool.query(`update plans set unit_amount_decimal = '10' where product_id = 'prod_payg'`)
await pool.query('update credit_packs set price_cents = 500, credits = 100')
await calls(noneId, 'convert_currency', 0, many(30, { credits: 1 }))
await calls(noneId, 'convert_currency', days - 1, [...many(10, { credits: 1 }), { failed: true }, {}])
await calls(noneId, 'convert_currency', -1, many(7, { credits: 1 }))
await calls(noneId, 'convert_currency', days, many(9, { credits: 1 }))
await calls(proId, 'convert_currency', 3, many(50, { credits: 1 }))
await calls(proId, 'get_usage', 3, many(4, {}))
await calls(paygId, 'convert_currency', 4, many(20, { payg: 1 }))
await calls(endlessId, 'convert_currency', 5, many(60, {}))

test('the job of the figures sums each call once, by month, account and tool', async () => {
  await pool.query(
    `insert into operator_folds (name, until) values ('calls', ($1::date - 2)::timestamp at time zone 'UTC')`,
    [first],
  )
  await Promise.all([foldCalls(server.db), foldCalls(server.db)])
  await foldCalls(server.db)
  const { rows } = await pool.query(
    `select account_id, tool_id, calls, charged, credits from tool_months where month = $1 order by account_id, tool_id`,
    [first],
  )
  expect(rows).toEqual(
    [
      { account_id: noneId, tool_id: toolId('convert_currency'), calls: 41, charged: 40, credits: 40 },
      { account_id: proId, tool_id: toolId('convert_currency'), calls: 50, charged: 50, credits: 50 },
      { account_id: proId, tool_id: toolId('get_usage'), calls: 4, charged: 0, credits: 0 },
      { account_id: paygId, tool_id: toolId('convert_currency'), calls: 20, charged: 20, credits: 20 },
    ].sort((a, b) => a.account_id - b.account_id || a.tool_id - b.tool_id),
  )
})

const inUsd = (sums: object) => ({ currency: 'usd', pack_cents: 500, customers: 3, ...sums })

test('without changes, both sides are what the month brought', async () => {
  const { month, days_summed, pack, totals, biggest } = await simulate()
  expect([month, days_summed, pack]).toEqual([first.slice(0, 7), days, { credits: 100 }])
  // Credits beyond the plan: 40 at 5 cents; 19 dollars and 10 at 5 cents; 20 units at 10 cents.
  const cents = 200 + (1900 + 50) + 200
  expect(totals).toEqual({
    credits: 110,
    simulated_credits: 110,
    customers: 3,
    money: [inUsd({ cents, simulated_cents: cents, pay_more: 0, pay_less: 0 })],
  })
  expect(biggest).toEqual([])
})

test('a higher price: what each customer would pay, and who most', async () => {
  const { totals, biggest, tools } = await simulate('convert_currency:3,get_usage:2')
  expect(totals).toEqual({
    credits: 110,
    simulated_credits: 338,
    customers: 3,
    money: [inUsd({ cents: 2350, simulated_cents: 600 + (1900 + 590) + 600, pay_more: 3, pay_less: 0 })],
  })
  expect(
    biggest.map(({ plan, credits, simulated_credits, cents, simulated_cents }: Record<string, unknown>) => [
      plan,
      credits,
      simulated_credits,
      cents,
      simulated_cents,
    ]),
  ).toEqual([
    ['Pro', 50, 158, 1950, 2490],
    [null, 40, 120, 200, 600],
    ['Pay-as-you-go', 20, 60, 200, 600],
  ])
  const lines = tools.filter(({ calls }: { calls: number }) => calls > 0)
  expect(lines).toMatchObject([
    {
      tool: 'convert_currency',
      credits_each: 1,
      simulated_each: 3,
      calls: 111,
      credits: 110,
      simulated_credits: 330,
      estimated: false,
    },
    {
      tool: 'get_usage',
      credits_each: 0,
      simulated_each: 2,
      calls: 4,
      credits: 0,
      simulated_credits: 8,
      estimated: true,
    },
  ])
})

test('a lower price: pay-as-you-go keeps its minimum, and a plan its fee', async () => {
  const { totals } = await simulate('convert_currency:0')
  expect(totals).toMatchObject({
    simulated_credits: 0,
    money: [{ simulated_cents: 0 + 1900 + 100, pay_more: 0, pay_less: 3 }],
  })
})

test('agrees with plain SQL over the rows, whatever the prices', async () => {
  for (const price of [2, 5, 17, 1_000_000]) {
    const { rows } = await pool.query(
      `select sum(charged * $1)::bigint as credits from (select count(*) filter (where from_credits + from_payg > 0) as charged
         from usage_events where success and at >= $2::date::timestamp at time zone 'UTC'
         and at < ($2::date + interval '1 month') at time zone 'UTC' and account_id <> $3 and tool_id = $4) s`,
      [price, first, endlessId, toolId('convert_currency')],
    )
    expect((await simulate(`convert_currency:${price}`)).totals.simulated_credits).toBe(rows[0].credits)
  }
})

test('a plan that ended pays for nothing, and a tool that is gone keeps what it brought', async () => {
  await pool.query(`insert into tools (name) values ('gone_tool')`)
  await pool.query(`insert into tool_months select $1, $2, id, 5, 5, 25 from tools where name = 'gone_tool'`, [
    first,
    noneId,
  ])
  // The registry reads the names of all tools that ever were.
  await server.deps.tools.replace('upstreams', [])
  await pool.query(`update subscriptions set status = 'canceled' where account_id = $1`, [paygId])
  const { totals, tools } = await simulate()
  expect([totals.credits, totals.money[0].cents]).toEqual([135, 325 + 1950 + 100])
  expect(tools.at(-1)).toMatchObject({ tool: 'gone_tool', credits_each: null, calls: 5, credits: 25 })
})

test('a price by rows grows with its portions', async () => {
  await pool.query('insert into tool_months values ($1, $2, $3, 3, 3, 8)', [first, proId, toolId('get_bars')])
  const { tools } = await simulate('get_bars:3')
  expect(tools.find(({ tool }: { tool: string }) => tool === 'get_bars')).toMatchObject({
    credits_each: 1,
    credits: 8,
    simulated_credits: 24,
    estimated: true,
  })
})

test('prices that cannot be read are refused', async () => {
  for (const prices of [
    'convert_currency',
    'convert_currency:1.5',
    'convert_currency:-1',
    'convert_currency:1000001',
  ]) {
    const { status, body } = await finance.call('GET', `/price-simulation?prices=${encodeURIComponent(prices)}`)
    expect([status, body.error]).toEqual([400, 'prices: must be tool:credits, such as get_bars:2, separated by commas'])
  }
  expect((await finance.call('GET', '/price-simulation?prices=none:1')).status).toBe(404)
})

test('each customer pays in their own currency, and sums of different ones are never added', async () => {
  const [euro, euroPayg, pound] = await Promise.all([0, 0, 0].map(() => startSession(server)))
  for (const person of [euro, euroPayg, pound]) await person!.call('GET', '/api/billing/credits')
  await buyPlan(server, euro!, plans.Pro)
  await buyPlan(server, euroPayg!, plans['Pay-as-you-go'])
  const [euroId, euroPaygId, poundId] = (await Promise.all(
    [euro, euroPayg, pound].map((person) => accountOf(server, person!)),
  )) as [number, number, number]
  await pool.query(`update subscriptions set currency = 'eur' where account_id = any($1)`, [[euroId, euroPaygId]])
  await pool.query(
    `update plans set currency_options = '{"eur": {"priceCents": 1700, "unitAmountDecimal": null}}' where product_id = 'prod_pro'`,
  )
  await pool.query(
    `update plans set currency_options = '{"eur": {"priceCents": 0, "unitAmountDecimal": "8"}}', metadata = metadata || '{"minimum_eur": "90"}'
     where product_id = 'prod_payg'`,
  )
  await pool.query(
    `update credit_packs set currency_options = '{"eur": {"priceCents": 450, "unitAmountDecimal": null}}'`,
  )
  // Has bought a pack once, in a currency that it is no longer sold in.
  await pool.query(
    `insert into billing_customers (account_id, id, mode, currency) values ($1, 'cus_pound', 'sandbox', 'gbp')
     on conflict (account_id) do update set currency = 'gbp'`,
    [poundId],
  )
  for (const [account, credits] of [
    [euroId, 60],
    [euroPaygId, 5],
    [poundId, 10],
  ])
    await pool.query('insert into tool_months values ($1, $2, $3, $4, $4, $4)', [
      first,
      account,
      toolId('convert_currency'),
      credits,
    ])
  const { totals, biggest } = await simulate('convert_currency:2')
  // Beyond the plan 20, then 80 credits at 4.5 cents; 5, then 10 units at 8 cents and at least 90.
  expect(totals.money.slice(1)).toEqual([
    {
      currency: 'eur',
      pack_cents: 450,
      customers: 2,
      cents: 1700 + 90 + 90,
      simulated_cents: 1700 + 360 + 90,
      pay_more: 1,
      pay_less: 0,
    },
    { currency: 'gbp', pack_cents: null, customers: 1, cents: 0, simulated_cents: 0, pay_more: 0, pay_less: 0 },
  ])
  expect(totals.money[0]).toMatchObject({ currency: 'usd', customers: 3 })
  expect(totals.customers).toBe(6)
  expect(biggest.map(({ currency }: { currency: string }) => currency)).toEqual([
    'usd',
    'usd',
    'usd',
    'eur',
    'eur',
    'gbp',
  ])
})
