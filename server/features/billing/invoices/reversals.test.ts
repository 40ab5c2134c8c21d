import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { accountOf, buyCredits, buyPlan, passTime, plansByName, settleBilling, spend } from '../testing/billing.ts'
import { applyDispute } from './apply-reversal.ts'
import { claimSpent } from './claim-spent.ts'
import { grantMonths } from './grant-months.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
})

const get = async (path: string) => (await person.call('GET', path)).body.data
const credits = async () => (await get('/api/billing/credits')).credits.remaining

test('a partial refund of a year takes the credits of the month that has not begun', async () => {
  const { Pro } = await plansByName(person)
  await buyPlan(server, person, Pro, { priceId: Pro!.annual!.priceId })
  const accountId = await accountOf(server, person)
  const { rows } = await server.db.pool.query(
    `select extract(epoch from expires_at - app_now())::int as seconds, (select payment_intent_id from invoices where account_id = $1) as intent
     from credit_grants where account_id = $1`,
    [accountId],
  )
  await passTime(server, rows[0].seconds - 1_800)
  await grantMonths(server.deps)
  await server.deps.stripe!.client.refunds.create({ payment_intent: rows[0].intent, amount: 18_240 / 2 })
  await settleBilling(server)
  expect(await credits()).toBe(100_000)
  await passTime(server, 3_600)
  expect(await credits()).toBe(0)
})

/** Returns what tells the server of a dispute of the person's only payment. */
async function disputes() {
  const { rows } = await server.db.pool.query(
    `select id from stripe_sandbox.objects where type = 'charge' and body ->> 'customer' =
      (select id from billing_customers where account_id = $1)`,
    [await accountOf(server, person)],
  )
  const chargeId = rows[0].id as string
  return (status: string, dispute = 'dp') =>
    transactInLease(server.db, 'a dispute', (tx) =>
      applyDispute({ ...server.deps, stripe: server.deps.stripe!, tx }, `${dispute}_${chargeId}`, { chargeId, status }),
    )
}

test('what was forgiven when a dispute was won is claimed again when the next one is lost', async () => {
  await buyCredits(server, person, 1)
  await spend(server, person, 6_000)
  const tell = await disputes()
  const { rows } = await server.db.pool.query('select id from invoices where account_id = $1', [
    await accountOf(server, person),
  ])
  await tell('needs_response')
  expect(await claimSpent(server.deps, rows[0].id)).toBe(6_000)
  await tell('won')
  expect(await credits()).toBe(4_000)
  await tell('lost', 'dp2')
  expect(await claimSpent(server.deps, rows[0].id)).toBe(6_000)
})

test.each(['won', 'prevented', 'warning_closed'])(
  'a dispute that ends as %s gives the credits back for good; so does the next one',
  async (status) => {
    await buyCredits(server, person, 1)
    const tell = await disputes()
    const enable = () =>
      person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: true, threshold: 10 } })
    await tell('needs_response')
    expect(await credits()).toBe(0)
    expect((await enable()).body.data.autoTopup.suspended).toBeNull()
    for (const late of [status, 'under_review']) {
      await tell(late)
      expect(await credits()).toBe(10_000)
      expect((await get('/api/billing/credits/topup')).autoTopup.suspended).toBeNull()
    }
    await tell('needs_response', 'dp2')
    expect(await credits()).toBe(0)
    await tell(status, 'dp2')
    expect(await credits()).toBe(10_000)
  },
)
