import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { startAlertReceiver } from '../testing/alert-receiver.ts'
import { buyPlan, passTime, plansByName, settleBilling, spend } from '../testing/billing.ts'
import { deliverAlerts } from './deliver-alerts.ts'
import { raiseCapAlerts } from './raise-cap-alerts.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
  await buyPlan(server, person, (await plansByName(person))['Pay-as-you-go'])
})

const setCap = (spendCapCents: number | null) =>
  person.call('PUT', '/api/billing/preferences', { body: { spendCapCents } })
const mailed = (...subjects: string[]) =>
  expect.poll(() => server.mailbox!.list(person.email).map(({ subject }) => subject)).toEqual(subjects)

// $5.00 pays for 50,000 requests at $0.01 per 100.
test('80 and 100 percent of the cap each send one alert', async () => {
  await setCap(500)
  await spend(server, person, 39_999)
  expect(await raiseCapAlerts(server.deps)).toBe(0)
  await spend(server, person, 1)
  expect([await raiseCapAlerts(server.deps), await raiseCapAlerts(server.deps)]).toEqual([1, 0])
  await mailed('80% of your spend cap is used')
  const { text } = server.mailbox!.list(person.email)[0]!
  expect(text).toContain('40,000 requests')
  expect(text).toContain('Your cap of $5.00 pays for 50,000.')
  expect(await spend(server, person, 10_000)).toBe('charged')
  expect(await spend(server, person, 1)).toBe('insufficient_credits')
  expect([await raiseCapAlerts(server.deps), await raiseCapAlerts(server.deps)]).toEqual([1, 0])
  await mailed('Your spend cap is reached', '80% of your spend cap is used')
})

test('a cap pays for whole requests only', async () => {
  const setPrice = (cents: string) =>
    server.db.pool.query(`update plans set unit_amount_decimal = $1 where metadata ->> 'type' = 'payg'`, [cents])
  await setPrice('0.03')
  await setCap(100)
  await setPrice('0.01')
  expect(await spend(server, person, 3_334)).toBe('insufficient_credits')
  expect(await spend(server, person, 3_333)).toBe('charged')
})

test('a cap reached in one step sends one alert', async () => {
  await setCap(100)
  await spend(server, person, 10_000)
  expect([await raiseCapAlerts(server.deps), await raiseCapAlerts(server.deps)]).toEqual([1, 0])
  await mailed('Your spend cap is reached')
})

test('a raised cap and a new period start over', async () => {
  await setCap(100)
  await spend(server, person, 8_000)
  expect(await raiseCapAlerts(server.deps)).toBe(1)
  await setCap(1_000)
  expect(await raiseCapAlerts(server.deps)).toBe(0)
  await spend(server, person, 72_000)
  expect(await raiseCapAlerts(server.deps)).toBe(1)
  const { current_period_end: end } = (await person.call('GET', '/api/billing/subscription')).body.data.subscription
  const { rows } = await server.db.pool.query('select extract(epoch from app_now())::float8 as now')
  await passTime(server, Math.ceil(end - rows[0].now) + 3_600)
  await settleBilling(server)
  expect(await raiseCapAlerts(server.deps)).toBe(0)
  await spend(server, person, 80_000)
  expect(await raiseCapAlerts(server.deps)).toBe(1)
  await mailed(...Array(3).fill('80% of your spend cap is used'))
})

test('without a cap, or with other plans only, no alert is sent', async () => {
  await spend(server, person, 500_000)
  expect(await raiseCapAlerts(server.deps)).toBe(0)
  const other = await startSession(server)
  await other.call('POST', '/api/billing/subscribe-free-plan')
  await other.call('PUT', '/api/billing/preferences', { body: { spendCapCents: 1 } })
  await spend(server, other, 900)
  expect(await raiseCapAlerts(server.deps)).toBe(0)
})

test('both are also posted once each, with a Standard Webhooks signature', async () => {
  const receiver = await startAlertReceiver()
  const set = await person.call('PUT', '/api/billing/alert-webhook', { body: { url: receiver.url } })
  await setCap(500)
  await spend(server, person, 40_000)
  await raiseCapAlerts(server.deps)
  await spend(server, person, 10_000)
  await raiseCapAlerts(server.deps)
  await raiseCapAlerts(server.deps)
  expect(await deliverAlerts(server.deps)).toBe(2)
  expect(await deliverAlerts(server.deps)).toBe(0)
  await receiver.close()
  const webhook = new Webhook(set.body.data.alertWebhook.secret)
  const posted = receiver.seen.map(
    ({ body, headers }) => webhook.verify(body, headers) as { data: { percent: number } },
  )
  const { data } = (await person.call('GET', '/api/auth/profile')).body
  const { current_period_end: end } = (await person.call('GET', '/api/billing/subscription')).body.data.subscription
  expect(posted.toSorted((a, b) => a.data.percent - b.data.percent)).toEqual(
    [
      { percent: 80, used: 40_000 },
      { percent: 100, used: 50_000 },
    ].map((reached) => ({
      type: 'spend_cap.alert',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        workspace: data.workspace.id,
        ...reached,
        cap_cents: 500,
        cap_requests: 50_000,
        period_start: expect.stringMatching(/^\d{4}-.*Z$/),
        period_end: new Date(end * 1000).toISOString(),
      },
    })),
  )
})

test('without a webhook nothing is queued', async () => {
  await setCap(100)
  await spend(server, person, 10_000)
  expect(await raiseCapAlerts(server.deps)).toBe(1)
  const { rows } = await server.db.pool.query(
    'select 1 from alert_deliveries d join account_members m using (account_id) where m.user_id = $1',
    [person.userId],
  )
  expect(rows).toEqual([])
})
