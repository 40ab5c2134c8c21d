import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { accountOf, buyPlan, passTime, plansByName, saveCard, settleBilling, spend } from '../testing/billing.ts'
import { billUsage } from './bill-usage.ts'
import { compareMeter } from './compare-meter.ts'
import { sendPaygUsage } from './send-usage.ts'

let server: TestServer
let person: TestSession
let plans: Record<string, Plan>
beforeAll(async () => {
  server = await startTestServer()
  plans = await plansByName(await startSession(server))
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
  await buyPlan(server, person, plans['Pay-as-you-go'])
})

const HOUR = 3_600
const get = async (path: string) => (await person.call('GET', path)).body.data
const amounts = async () =>
  (await get('/billing/invoices')).map(({ amount, status }: { amount: number; status: string }) => [amount, status])

/** Moves time to the end of the period and the following hours, with the jobs running. */
async function endPeriod(): Promise<void> {
  const { subscription } = await get('/api/billing/subscription')
  const { rows } = await server.db.pool.query('select extract(epoch from app_now())::float8 as now')
  await passTime(server, Math.ceil(subscription.current_period_end - rows[0].now) + 5)
  await runJobs()
}

async function runJobs(): Promise<void> {
  for (let hour = 0; hour < 5; hour++) {
    await billUsage(server.deps)
    await settleBilling(server)
    await passTime(server, HOUR / 2)
  }
}

test('a month without a call costs the minimum of a dollar', async () => {
  await endPeriod()
  expect(await amounts()).toEqual([[100, 'paid']])
})

test('a month under the minimum costs a dollar, with both lines on the invoice', async () => {
  expect(await spend(server, person, 4_000)).toBe('charged')
  await endPeriod()
  expect(await amounts()).toEqual([[100, 'paid']])
  const [invoice] = await get('/billing/invoices')
  const { lines } = await server.deps.stripe!.client.invoices.retrieve(invoice.id)
  expect(lines.data.map(({ amount, description }) => [amount, description])).toEqual([
    [40, expect.stringContaining('4000')],
    [60, 'To the monthly minimum'],
  ])
})

test("a month above it costs one cent per 100 requests, including the last hour's, each unit once", async () => {
  expect(await spend(server, person, 30_050)).toBe('charged')
  await passTime(server, 10 * 86_400)
  await Promise.all([sendPaygUsage(server.deps), sendPaygUsage(server.deps)])
  expect(await spend(server, person, 20_000)).toBe('charged')
  const { subscription } = await get('/api/billing/subscription')
  const { rows } = await server.db.pool.query('select extract(epoch from app_now())::float8 as now')
  await passTime(server, Math.floor(subscription.current_period_end - rows[0].now) - 120)
  expect(await spend(server, person, 1_000)).toBe('charged')
  await endPeriod()
  // 51,050 requests at a hundredth of a cent: 510.5 cents, rounded half up.
  expect(await amounts()).toEqual([[511, 'paid']])
  const bill = await server.db.pool.query(
    'select units, usage_cents, minimum_cents from payg_invoices where account_id = $1',
    [await accountOf(server, person)],
  )
  expect(bill.rows).toEqual([{ units: 51_050, usage_cents: 511, minimum_cents: 0 }])
})

test('the spend cap refuses calls in the period and allows them in the next', async () => {
  await person.call('PUT', '/api/billing/preferences', { body: { spendCapCents: 150 } })
  expect(await spend(server, person, 15_000)).toBe('charged')
  expect(await spend(server, person, 1)).toBe('insufficient_credits')
  // The same cap once more is no new one.
  await person.call('PUT', '/api/billing/preferences', { body: { spendCapCents: 150 } })
  expect(await spend(server, person, 1)).toBe('insufficient_credits')
  await endPeriod()
  expect(await amounts()).toEqual([[150, 'paid']])
  expect(await spend(server, person, 1)).toBe('charged')
})

test('an unpaid bill ends pay-as-you-go after seven days of grace', async () => {
  expect(await spend(server, person, 20_000)).toBe('charged')
  await saveCard(server, person, 'pm_card_chargeCustomerFail')
  await server.db.pool.query(
    "update stripe_sandbox.objects set body = jsonb_set(body, '{default_payment_method}', 'null') where type = 'subscription' and body ->> 'customer' = (select id from billing_customers where account_id = $1)",
    [await accountOf(server, person)],
  )
  await endPeriod()
  expect(await amounts()).toEqual([[200, 'open']])
  expect((await get('/api/billing/subscription')).subscription.status).toBe('past_due')
  expect(await spend(server, person, 1)).toBe('charged')
  await passTime(server, 4 * 86_400)
  // An event in between changes nothing.
  await server.db.pool.query('update stripe_events set processed_at = null, next_attempt_at = app_now()')
  await passTime(server, 4 * 86_400)
  const { endGrace } = await import('../plans/refresh-entitlements.ts')
  await endGrace(server.deps)
  expect(await spend(server, person, 1)).toBe('insufficient_credits')
  // The usage was provided, so its bill outlives the subscription.
  await server.deps.stripe!.client.subscriptions.cancel((await get('/api/billing/subscription')).subscription.id)
  await settleBilling(server)
  expect(await amounts()).toContainEqual([200, 'open'])
})

/** Of the account's bills; null while a bill is not complete. */
const units = async () =>
  (
    await server.db.pool.query('select units from payg_invoices where account_id = $1', [
      await accountOf(server, person),
    ])
  ).rows

test('a period is billed only after its last hour has closed', async () => {
  expect(await spend(server, person, 20_000)).toBe('charged')
  const { subscription } = await get('/api/billing/subscription')
  const { rows } = await server.db.pool.query('select extract(epoch from app_now())::float8 as now')
  await passTime(server, Math.ceil(subscription.current_period_end - rows[0].now) + 5)
  expect(await billUsage({ ...server.deps, stripe: null })).toBe(0)
  await billUsage(server.deps)
  expect(await units()).toEqual([{ units: null }])
  await runJobs()
  expect(await units()).toEqual([{ units: 20_000 }])
})

/** Moves time to when the last hour of the period has closed, without the jobs. */
async function closeLastHour(): Promise<void> {
  const { subscription } = await get('/api/billing/subscription')
  const { rows } = await server.db.pool.query('select extract(epoch from app_now())::float8 as now')
  await passTime(server, Math.ceil(subscription.current_period_end - rows[0].now) + 5)
  await passTime(server, 2 * HOUR)
}

test('a run that breaks after it added the minimum is repeated a day later without adding it again', async () => {
  await closeLastHour()
  const { invoices } = server.deps.stripe!.client
  const { update } = invoices
  invoices.update = () => Promise.reject(new Error('the network broke'))
  await billUsage(server.deps)
  invoices.update = update
  expect(await units()).toEqual([{ units: null }])
  await server.db.pool.query('delete from stripe_sandbox.idempotency')
  await runJobs()
  expect(await amounts()).toEqual([[100, 'paid']])
})

test('a period is billed only after its usage has reached Stripe', async () => {
  expect(await spend(server, person, 20_000)).toBe('charged')
  await closeLastHour()
  const { meterEvents } = server.deps.stripe!.client.billing
  const { create } = meterEvents
  meterEvents.create = () => Promise.reject(new Error('the network broke'))
  await billUsage(server.deps)
  meterEvents.create = create
  expect(await units()).toEqual([{ units: null }])
  await runJobs()
  expect(await units()).toEqual([{ units: 20_000 }])
})

test('usage of an hour is sent once it has closed, all of it; what Stripe counts differently is told', async () => {
  expect(await spend(server, person, 100)).toBe('charged')
  await sendPaygUsage(server.deps)
  expect(await spend(server, person, 50)).toBe('charged')
  await passTime(server, 2 * 86_400)
  await sendPaygUsage(server.deps)
  const hours = 'from payg_hours where account_id = $1'
  const account = [await accountOf(server, person)]
  expect((await server.db.pool.query(`select sum(units)::int as sent ${hours}`, account)).rows).toEqual([{ sent: 150 }])
  const told = async () =>
    (await compareMeter(server.deps)).filter((line) => line.startsWith(`account ${account[0]},`)).length
  expect(await told()).toBe(0)
  for (const change of [-1, 2]) {
    await server.db.pool.query(`update payg_hours set units = units + $2 where account_id = $1`, [...account, change])
    expect(await told()).toBe(1)
  }
  // Seven whole days are compared, and the part of one before them. An hour less, so that a midnight right after the calls does not end it.
  for (const [hours, lines] of [
    [5 * 24 - 1, 1],
    [25, 0],
  ] as const) {
    await passTime(server, hours * HOUR)
    expect(await told()).toBe(lines)
  }
})

/** Ends the period and lets Stripe collect its invoice while no server runs. */
async function endPeriodUnattended(): Promise<void> {
  const { subscription } = await get('/api/billing/subscription')
  const { rows } = await server.db.pool.query('select extract(epoch from app_now())::float8 as now')
  server.stripeSandbox!.disturbances.paused = true
  for (const seconds of [Math.ceil(subscription.current_period_end - rows[0].now) + 5, 3 * HOUR]) {
    await server.db.pool.query(
      `insert into app_clock (offset_by) values ($1 * interval '1 second')
       on conflict (only_row) do update set offset_by = app_clock.offset_by + excluded.offset_by`,
      [seconds],
    )
    await server.stripeSandbox!.advance(seconds)
  }
  server.stripeSandbox!.disturbances.paused = false
  await settleBilling(server)
}

const billed = async () => (await amounts()).reduce((sum: number, [amount]: [number]) => sum + amount, 0)

test('a usage invoice that was finalized while no server ran is completed to the minimum by another one', async () => {
  expect(await spend(server, person, 4_000)).toBe('charged')
  await endPeriodUnattended()
  await runJobs()
  expect(await billed()).toBe(100)
})

const crashes = ['invoices.create', 'invoiceItems.create', 'invoices.update']
test.each(crashes.flatMap((step) => [[step, 'two hours'] as const, [step, 'a day'] as const]))(
  'the rest is billed once after a crash behind %s and %s',
  async (step, pause) => {
    expect(await spend(server, person, 4_000)).toBe('charged')
    await endPeriodUnattended()
    const [kind, name] = step.split('.') as ['invoices', 'create']
    const calls = server.deps.stripe!.client[kind]
    const original = calls[name]
    calls[name] = (async (...args: Parameters<typeof original>) => {
      await original.apply(calls, args)
      throw new Error('killed')
    }) as never
    await billUsage(server.deps)
    calls[name] = original
    // Stripe keeps its keys for a day.
    if (pause === 'a day') await server.db.pool.query('delete from stripe_sandbox.idempotency')
    await passTime(server, 2 * HOUR)
    await runJobs()
    expect(await billed()).toBe(100)
    expect((await amounts()).every(([, status]: [number, string]) => status === 'paid')).toBe(true)
  },
)
