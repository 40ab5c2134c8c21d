import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { timeForRuns } from '../../../testing/time-for-runs.ts'
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

test('a dispute that is heard of before its payment takes the credits as soon as they are granted', async () => {
  await buyCredits(server, person, 1, { card: 'pm_card_createDispute' })
  expect(await credits()).toBe(0)
  // Heard again, it takes nothing more.
  const tell = await disputes()
  await buyCredits(server, person, 1)
  await tell('needs_response')
  expect(await credits()).toBe(10_000)
})

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

/** 10,000 credits for 200 cents, and their money going back and forth, in plain numbers. */
class ReversalModel {
  balance = 10_000
  refunded = 0
  disputed = false
  voided = 0
  spent = 0
  claimed = 0
  forgiven = 0
  debt = 0

  /** What no longer is paid for is taken as far as it is left; what comes back later is given back last in, first out. */
  reverse(): void {
    const unpaid = Math.floor((10_000 * (this.disputed ? 200 : this.refunded)) / 200)
    const taken = Math.min(this.balance, Math.max(0, unpaid - this.voided - this.spent))
    const kept = Math.min(this.voided + taken, unpaid)
    const back = this.voided + taken - kept
    const spent = unpaid - kept
    const forgiven = Math.max(0, this.claimed - this.forgiven - spent)
    const paid = Math.min(this.debt, back + forgiven)
    Object.assign(this, { voided: kept, spent, forgiven: this.forgiven + forgiven, debt: this.debt - paid })
    this.balance += back + forgiven - paid - taken
  }

  claim(): void {
    const owed = this.spent - (this.claimed - this.forgiven)
    this.claimed += owed
    this.debt += owed
  }
}

test('any sequence of refunds, disputes and claims takes and gives back what the model does', async () => {
  const operation = fc.oneof(
    fc.record({ spend: fc.constantFrom(1, 0.6, 0.25) }),
    fc.record({ refund: fc.constantFrom(1, 50, 99) }),
    fc.record({ dispute: fc.constantFrom('needs_response', 'won', 'lost') }),
    fc.constant({ claim: true }),
  )
  const hasTime = timeForRuns(120_000)
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 3, maxLength: 9 }), async (operations) => {
      if (!hasTime()) return
      person = await startSession(server)
      await buyCredits(server, person, 1)
      const accountId = await accountOf(server, person)
      const tell = await disputes()
      const model = new ReversalModel()
      const { rows: invoices } = await server.db.pool.query(
        'select id, payment_intent_id as intent from invoices where account_id = $1',
        [accountId],
      )
      let dispute = 0
      for (const one of operations) {
        if ('spend' in one) {
          const cost = Math.floor(model.balance * one.spend)
          await spend(server, person, cost)
          model.balance -= cost
        } else if ('refund' in one) {
          if (model.disputed || model.refunded + one.refund > 200) continue
          await server.deps.stripe!.client.refunds.create({ payment_intent: invoices[0].intent, amount: one.refund })
          await settleBilling(server)
          model.refunded += one.refund
          model.reverse()
        } else if ('dispute' in one) {
          // A dispute that was lost stays so.
          if (one.dispute === 'needs_response' ? model.disputed : !model.disputed || dispute < 0) continue
          if (one.dispute === 'needs_response') dispute++
          await tell(one.dispute, `dp${dispute}`)
          model.disputed = one.dispute !== 'won'
          if (one.dispute === 'lost') dispute = -1
          model.reverse()
        } else if (model.refunded > 0 || model.disputed) {
          await claimSpent(server.deps, invoices[0].id)
          model.claim()
        }
        const { rows } = await server.db.pool.query(
          `select balance, debt_credits as debt, coalesce(voided, 0) as voided, coalesce(spent, 0) as spent, coalesce(claimed, 0) as claimed,
             coalesce(forgiven, 0) as forgiven from credit_accounts left join reversals using (account_id) where account_id = $1`,
          [accountId],
        )
        const { refunded: _, disputed: __, ...expected } = model
        expect({ one, ...rows[0] }).toEqual({ one, ...expected })
      }
    }),
    {
      numRuns: process.env.NIGHTLY ? 40 : 10,
      // A part is refunded, and the rest goes and comes back.
      examples: [
        [[{ spend: 0.6 }, { refund: 99 }, { dispute: 'needs_response' }, { dispute: 'won' }, { refund: 50 }]],
        [[{ spend: 0.6 }, { dispute: 'needs_response' }, { claim: true }, { dispute: 'won' }, { refund: 99 }]],
      ],
    },
  )
}, 300_000)
