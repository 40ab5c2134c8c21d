import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { checkInvariants } from '../../metering/invariants.ts'
import { checkBillingInvariants } from '../billing-invariants.ts'
import { accountOf, keepListed, plansByName, pressCheckout, settleListed } from '../testing/billing.ts'
import { processEvents } from './process-events.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer()
  // Nothing is delivered, so that the server's own worker never begins: only the tests apply events, and die.
  server.stripeSandbox!.disturbances.paused = true
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
})

const credits = async () => (await person.call('GET', '/api/billing/credits')).body.data.credits.remaining

async function dieAt(step: string): Promise<void> {
  let deaths = 0
  await processEvents(server.deps, (name) => {
    if (name !== step) return
    deaths++
    throw new Error('killed')
  })
  expect(deaths).toBeGreaterThan(0)
}

async function buyCredits(): Promise<void> {
  const packs = await person.call('POST', '/api/billing/credits/topup', { body: { packs: 1 } })
  await pressCheckout(packs.body.data.url, 'pay')
}

/** The steps between the effects of an event. The process may die at each. */
const steps = [
  'event taken',
  'checkout closed',
  'subscription written',
  'free plan ended at Stripe',
  'free plan retired',
  'entitlements written',
  'invoice written',
  'line written',
  'credits granted',
  'top-up closed',
  'top-up granted',
  'event applied',
  'event marked',
]

test.each(steps)('a death after "%s" loses nothing and repeats nothing', async (step) => {
  const plans = await plansByName(person)
  await person.call('POST', '/api/billing/subscribe-free-plan')
  const plan = await person.call('POST', '/api/billing/checkout', {
    body: { priceId: plans.Pro?.priceId, trial: false },
  })
  await pressCheckout(plan.body.data.url, 'pay')
  await buyCredits()
  await keepListed(server)
  await dieAt(step)
  await settleListed(server)
  expect(await credits()).toBe(111_000)
  expect((await person.call('GET', '/api/billing/subscription')).body.data.subscriptions).toHaveLength(1)
  expect(await checkBillingInvariants(server.db)).toEqual([])
  expect(await checkInvariants(server.db)).toEqual([])
})

test('a death after "credits voided" takes the credits of a refund back once', async () => {
  await buyCredits()
  await keepListed(server)
  await settleListed(server)
  const { rows } = await server.db.pool.query('select payment_intent_id as id from invoices where account_id = $1', [
    await accountOf(server, person),
  ])
  await server.deps.stripe!.client.refunds.create({ payment_intent: rows[0].id, amount: 50 })
  await keepListed(server)
  await dieAt('credits voided')
  expect(await credits()).toBe(10_000)
  await settleListed(server)
  expect(await credits()).toBe(7_500)
  const reversals = await server.db.pool.query('select voided, spent from reversals where payment_intent_id = $1', [
    rows[0].id,
  ])
  expect(reversals.rows).toEqual([{ voided: 2_500, spent: 0 }])
  expect(await checkBillingInvariants(server.db)).toEqual([])
})
