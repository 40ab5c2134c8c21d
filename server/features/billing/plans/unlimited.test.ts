import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { checkInvariants } from '../../metering/invariants.ts'
import { raiseUsageAlerts } from '../alerts/raise-alerts.ts'
import { checkBillingInvariants } from '../billing-invariants.ts'
import { buyCredits, buyPlan, passTime, plansByName, settleBilling } from '../testing/billing.ts'
import { runAutoTopups } from '../topups/auto-topup.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer()
  await server.deps.stripe!.client.products.create({
    name: 'Endless',
    metadata: { unlimited: 'true', rate_limit: '6000' },
    default_price_data: { currency: 'usd', unit_amount: 49_900, recurring: { interval: 'month' } },
  })
  await settleBilling(server)
  person = await startSession(server)
})
afterAll(() => server.close())

const get = async (path: string) => (await person.call('GET', path)).body.data
const credits = async () => (await get('/api/billing/credits')).credits

/** A call as a customer makes it: over HTTP, with a key. */
async function call(path: string, key: string) {
  const answer = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': key } })
  const text = await answer.text()
  const header = (name: string) => answer.headers.get(name)
  return { status: answer.status, text, charged: header('x-credits-charged'), left: header('x-credits-remaining') }
}

test('unlimited plan: calls are recorded, the balance does not change, and charging resumes when the plan ends', async () => {
  await buyCredits(server, person, 1, { saveCard: true })
  await buyPlan(server, person, (await plansByName(person)).Endless)
  await person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: true, threshold: 50_000, packs: 1 } })
  const { apiKey } = (await person.call('POST', '/api/keys', { body: { name: 'Endless' } })).body.data
  const before = await credits()
  expect(before).toEqual({ remaining: 11_000, unlimited: true, payAsYouGoEnabled: false })
  expect((await get('/api/billing/credits')).bought).toBe(10_000)

  for (const path of ['/v1/bars/AAPL?range=1mo', '/v1/quotes?symbols=AAPL,MSFT', '/v1/bars/MSFT?range=1mo'])
    expect(await call(path, apiKey.unkey)).toMatchObject({ status: 200, charged: '0', left: 'unlimited' })

  await expect.poll(async () => (await get('/api/usage')).successfulRequests).toBe(3)
  const { receipts } = await get('/api/usage/receipts')
  expect(
    receipts.map(({ status, fromCredits, fromPayAsYouGo }: Record<string, unknown>) => [
      status,
      fromCredits,
      fromPayAsYouGo,
    ]),
  ).toEqual([
    ['success', 0, 0],
    ['success', 0, 0],
    ['success', 0, 0],
  ])
  expect([await raiseUsageAlerts(server.deps), await runAutoTopups(server.deps)]).toEqual([0, 0])
  expect(await credits()).toEqual(before)

  const { client } = server.deps.stripe!
  await client.subscriptions.update((await get('/api/billing/subscription')).subscription.id, {
    cancel_at_period_end: true,
  })
  await passTime(server, 32 * 86_400)
  expect(await credits()).toEqual({ remaining: 10_000, unlimited: false, payAsYouGoEnabled: false })
  const paid = await call('/v1/bars/AAPL?range=1mo', apiKey.unkey)
  expect([paid.status, Number(paid.charged) > 0]).toEqual([200, true])
  expect(Number(paid.left)).toBe(10_000 - Number(paid.charged))
  // Before the charge is settled as after it: what is spent is not counted as bought.
  expect((await get('/api/billing/credits')).bought).toBe(Number(paid.left))
  expect([...(await checkBillingInvariants(server.db)), ...(await checkInvariants(server.db))]).toEqual([])
})
