import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { buyPlan, plansByName, spend } from '../testing/billing.ts'

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
})

const get = async (path: string) => (await person.call('GET', path)).body.data

test("the upcoming invoice is the plan's next month; there is none without a plan or after cancellation", async () => {
  expect((await get('/api/billing/upcoming-invoice')).upcoming).toBeNull()
  await buyPlan(server, person, plans.Pro)
  const { upcoming } = await get('/api/billing/upcoming-invoice')
  expect(upcoming).toMatchObject({ amount: 1900, currency: 'usd', lines: [{ amount: 1900 }] })
  const { subscription } = await get('/api/billing/subscription')
  expect(Date.parse(upcoming.at) / 1000).toBe(subscription.current_period_end)
  await server.db.pool.query('update subscriptions set cancels_at = current_period_end where id = $1', [
    subscription.id,
  ])
  expect((await get('/api/billing/upcoming-invoice')).upcoming).toBeNull()
})

test('the upcoming invoice of pay-as-you-go grows with usage and is at least a dollar', async () => {
  await buyPlan(server, person, plans['Pay-as-you-go'])
  expect(await spend(server, person, 4_000)).toBe('charged')
  expect((await get('/api/billing/upcoming-invoice')).upcoming).toMatchObject({
    amount: 100,
    lines: [
      { description: 'Pay-as-you-go: 4,000 requests', amount: 40 },
      { description: 'To the monthly minimum', amount: 60 },
    ],
  })
  expect(await spend(server, person, 21_000)).toBe('charged')
  expect((await get('/api/billing/upcoming-invoice')).upcoming).toMatchObject({
    amount: 250,
    lines: [{ description: 'Pay-as-you-go: 25,000 requests', amount: 250 }],
  })
})
