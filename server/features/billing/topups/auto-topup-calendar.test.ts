import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readBalance } from '#server/features/credits/balance.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { timeForRuns } from '../../../testing/time-for-runs.ts'
import { accountOf, buyCredits, passTime, saveCard, settleBilling, spend } from '../testing/billing.ts'
import { runAutoTopups } from './auto-topup.ts'
import { failTopup } from './fail-topup.ts'

const PACK = { credits: 10_000, cents: 200 }

let server: TestServer
let person: TestSession
let accountId: number
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.db.pool.query('update auto_topups set enabled = false')
  person = await startSession(server)
  await buyCredits(server, person, 1, { saveCard: true })
  accountId = await accountOf(server, person)
  await spend(server, person, 9_500)
})

const remaining = async () => (await readBalance(server.db.kysely, accountId)).remaining
const run = async () => {
  await runAutoTopups(server.deps)
  await settleBilling(server)
}
const set = (rule: object = {}) =>
  person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: true, threshold: 1_000, ...rule } })

/** Under 500 cents a month, two packs of 200: in plain numbers, whatever the length of the month. */
function capModel() {
  const cents = new Map<string, number>()
  return (at: string): number => {
    const month = at.slice(0, 7)
    const spent = cents.get(month) ?? 0
    if (spent + PACK.cents > 500) return 0
    cents.set(month, spent + PACK.cents)
    return PACK.credits
  }
}

test('the monthly limit counts from the first of the UTC month, whatever its length', async () => {
  await set({ monthlyCapCents: 500 })
  const bought = capModel()
  // A year that is still to come, and after it a leap year.
  const leap = Math.ceil((new Date().getUTCFullYear() + 2) / 4) * 4
  const moments = [
    ...['01-28T12:00Z', '01-31T23:50Z', '02-01T00:10Z', '02-28T23:50Z', '03-01T00:10Z', '03-30T12:00Z'].map(
      (day) => `${leap - 1}-${day}`,
    ),
    ...['03-31T23:50Z', '04-01T00:10Z'].map((day) => `${leap - 1}-${day}`),
    ...['02-28T12:00Z', '02-29T23:50Z', '03-01T00:10Z'].map((day) => `${leap}-${day}`),
  ]
  for (const at of moments) {
    const { rows } = await server.db.pool.query(`select extract(epoch from $1::timestamptz - app_now())::float8 as s`, [
      at,
    ])
    await passTime(server, Math.round(rows[0].s))
    await spend(server, person, (await remaining()) - 500)
    await run()
    expect([at, await remaining()]).toEqual([at, 500 + bought(at)])
  }
})

/** Every purchase, refusal and pause of a rule, in plain numbers. Times are ms. */
class TopupModel {
  readonly bought: [number, number, string][] = []
  balance = 500
  card = 'pm_card_visa'
  failures = 0
  retryAt: number | null = null
  suspended: string | null = null
  readonly #times: number[] = []

  run(now: number, rule: { threshold: number; packs: number; monthlyCapCents: number | null }): void {
    const isGood = this.card !== 'pm_card_chargeCustomerFail'
    const month = new Date(now).toJSON().slice(0, 7)
    const recent = this.#times.filter((at) => at > now - 10 * 60_000)
    if (this.suspended || (this.retryAt ?? now) > now || this.balance >= rule.threshold || recent.length >= 2) return
    const spent = this.bought.filter(
      ([, , status], i) => status === 'paid' && new Date(this.#times[i]!).toJSON().startsWith(month),
    )
    const left = (rule.monthlyCapCents ?? 1_000_000) - spent.reduce((sum, [cents]) => sum + cents, 0)
    const wanted = Math.max(rule.packs, Math.ceil((rule.threshold - this.balance) / PACK.credits))
    const packs = Math.min(wanted, Math.floor(left / PACK.cents), 1_000)
    if (packs < 1) return
    this.#times.push(now)
    this.bought.push([packs * PACK.cents, packs * PACK.credits, isGood ? 'paid' : 'failed'])
    this.failures = isGood ? 0 : this.failures + 1
    this.retryAt = isGood ? null : now + 3_600_000
    if (isGood) this.balance += packs * PACK.credits
    else if (this.failures === 3) this.suspended = 'card_declined'
  }

  /** A suspension ends with another card. */
  save(card: string): void {
    if (this.suspended && card !== this.card) Object.assign(this, { failures: 0, retryAt: null, suspended: null })
    this.card = card
  }
}

const MINUTE = 60_000
/** Further on by some minutes, or to a little before or after the end of the UTC month. */
const pause = fc.oneof(fc.constantFrom(0, 5, 11, 55, 65, 24 * 60, 31 * 24 * 60), fc.constantFrom('before', 'after'))
const step = fc.record({
  pause,
  spent: fc.constantFrom(0, 0.5, 0.95, 1),
  card: fc.option(fc.constantFrom('pm_card_visa', 'pm_card_chargeCustomerFail', 'pm_card_mastercard'), { freq: 3 }),
})

test('any sequence of spending, time and cards buys what the model buys', async () => {
  const rules = fc.record({
    threshold: fc.constantFrom(500, 501, 1_000, 25_000),
    packs: fc.constantFrom(1, 2),
    monthlyCapCents: fc.constantFrom(null, 400, 700, 1_000),
  })
  const hasTime = timeForRuns(200_000)
  await fc.assert(
    fc.asyncProperty(rules, fc.array(step, { minLength: 6, maxLength: 9 }), async (rule, steps) => {
      if (!hasTime()) return
      await server.db.pool.query('update auto_topups set enabled = false')
      person = await startSession(server)
      await buyCredits(server, person, 1, { saveCard: true })
      accountId = await accountOf(server, person)
      await spend(server, person, 9_500)
      await set(rule)
      const model = new TopupModel()
      for (const { pause, spent, card } of steps) {
        const now = await productTime()
        const end = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() + 1)
        const wait =
          pause === 'before' ? end - now - 20 * MINUTE : pause === 'after' ? end - now + MINUTE : pause * MINUTE
        await passTime(server, Math.max(0, Math.round(wait / 1_000)))
        if (card) {
          await saveCard(server, person, card)
          model.save(card)
        }
        const cost = Math.floor(model.balance * spent)
        await spend(server, person, cost)
        model.balance -= cost
        const ranAt = await productTime()
        await run()
        model.run(ranAt, rule)
        const { rows } = await server.db.pool.query(
          `select failures, extract(epoch from retry_at)::float8 * 1000 as retry, suspended_reason as suspended,
             (select coalesce(json_agg(json_build_array(cents, credits, status) order by id), '[]') from topups t where t.account_id = r.account_id and origin = 'auto') as bought
           from auto_topups r where account_id = $1`,
          [accountId],
        )
        const { retry, ...rest } = rows[0]
        expect({ ...rest, balance: await remaining() }).toEqual({
          ...{ bought: model.bought, balance: model.balance },
          ...{ failures: model.failures, suspended: model.suspended },
        })
        expect(retry === null).toBe(model.retryAt === null)
        if (retry !== null) expect(Math.abs(retry - model.retryAt!)).toBeLessThan(MINUTE)
      }
    }),
    { numRuns: process.env.NIGHTLY ? 60 : 12 },
  )
}, 300_000)

const productTime = async (): Promise<number> =>
  (await server.db.pool.query(`select extract(epoch from app_now())::float8 * 1000 as ms`)).rows[0].ms

type Step = 'create' | 'finalizeInvoice' | 'pay'
/** The network breaks once at a step: before Stripe gets the request, or before its answer arrives. */
function breakAt(step: Step, reaches: boolean): void {
  const { invoices } = server.deps.stripe!.client
  const original = invoices[step]
  invoices[step] = (async (...args: never[]) => {
    invoices[step] = original as never
    if (reaches) await (original as (...given: never[]) => Promise<unknown>).apply(invoices, args)
    throw new Error('the network broke')
  }) as never
}
const topup = async () =>
  (
    await server.db.pool.query(
      `select id, status, failure_code as why from topups where account_id = $1 and origin = 'auto'`,
      [accountId],
    )
  ).rows[0]
const invoicesAtStripe = async () =>
  (
    await server.db.pool.query(
      `select body ->> 'status' as status from stripe_sandbox.objects
       where type = 'invoice' and not deleted and body -> 'metadata' ->> 'finmeter_topup' = $1 order by body ->> 'created'`,
      [String((await topup()).id)],
    )
  ).rows.map(({ status }) => status)

// Stripe forgets the idempotency key of an attempt after 24 hours. Then a repeat could charge twice.
test.each([
  { hours: 19.9, repeated: true },
  { hours: 20.1, repeated: false },
  { hours: 24, repeated: false },
  { hours: 40, repeated: false },
])('a charge that did not reach Stripe is repeated $hours hours later: $repeated', async ({ hours, repeated }) => {
  await set()
  breakAt('pay', false)
  await run()
  await passTime(server, hours * 3_600)
  await run()
  expect(await topup()).toMatchObject(repeated ? { status: 'paid' } : { status: 'failed', why: 'timed_out' })
  expect(await invoicesAtStripe()).toEqual([repeated ? 'paid' : 'void'])
  expect(await remaining()).toBe(repeated ? 10_500 : 500)
})

test('a charge whose answer was lost counts as paid 40 hours later, too', async () => {
  await set()
  breakAt('pay', true)
  await run()
  await passTime(server, 40 * 3_600)
  await run()
  expect(await invoicesAtStripe()).toEqual(['paid'])
  expect(await remaining()).toBe(10_500)
})

test.each<[Step, number, string[]]>([
  ['create', 24, []],
  ['finalizeInvoice', 19.9, ['paid']],
  ['finalizeInvoice', 40, ['void']],
])(
  'an invoice whose answer was lost at %s is not made again after Stripe forgets it (%d hours)',
  async (step, hours, left) => {
    await set()
    breakAt(step, true)
    await run()
    // The sandbox forgets by the real time.
    if (hours >= 24) await server.db.pool.query('delete from stripe_sandbox.idempotency')
    await passTime(server, hours * 3_600)
    await run()
    expect(await invoicesAtStripe()).toEqual(left)
    expect(await topup()).toMatchObject({ status: hours < 20 ? 'paid' : 'failed' })
  },
)

test.each([
  { hours: 23.9, status: 'open' },
  { hours: 24.1, status: 'failed' },
])('a payment that waits for its confirmation is $status after $hours hours', async ({ hours, status }) => {
  await saveCard(server, person, 'pm_card_authenticationRequired')
  await set()
  await run()
  await passTime(server, hours * 3_600)
  await run()
  expect((await topup()).status).toBe(status)
  expect(await invoicesAtStripe()).toEqual([status === 'open' ? 'open' : 'void'])
})

test('a refused card is tried again after an hour, not before', async () => {
  await saveCard(server, person, 'pm_card_chargeCustomerFail')
  await set()
  const attempts = async () =>
    (await server.db.pool.query(`select from topups where account_id = $1 and origin = 'auto'`, [accountId])).rows
      .length
  await run()
  await passTime(server, 55 * 60)
  await run()
  expect(await attempts()).toBe(1)
  await passTime(server, 10 * 60)
  await run()
  expect(await attempts()).toBe(2)
})

test('a top-up that was paid meanwhile stays paid when its charge is found refused', async () => {
  await set()
  await run()
  const { id } = await topup()
  const deps = { ...server.deps, stripe: server.deps.stripe! }
  await server.db.kysely
    .transaction()
    .execute((tx) => failTopup({ ...deps, tx }, { id, account_id: accountId }, { code: 'card_declined', card: null }))
  expect(await topup()).toMatchObject({ status: 'paid', why: null })
})
