import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { buyPlan, passTime, plansByName, pressCheckout, settleBilling, spend } from '../testing/billing.ts'

// The product's responses in each state of an account, field by field, after real purchases.
const DAY = 86_400
let server: TestServer
let person: TestSession
let plans: Record<string, Plan>
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
  plans = await plansByName(person)
})

const get = async (path: string) => {
  const answer = await person.call('GET', path)
  expect([answer.status, answer.body.success]).toEqual([200, true])
  return answer.body.data
}
const credits = async () => (await get('/api/billing/credits')).credits
const now = async () =>
  (await server.db.pool.query('select extract(epoch from app_now())::float8 as now')).rows[0].now as number

/** A subscription to Pro with the fields of the specification, and the differences of a state. */
function pro(change: object = {}) {
  const price = { id: plans.Pro?.priceId, nickname: 'Pro', currency: 'usd', product: 'prod_pro' }
  return {
    id: expect.stringMatching(/^sub_/),
    status: 'active',
    plan_type: 'paid',
    plan_id: plans.Pro?.priceId,
    plan: { ...price, name: 'Pro', amount: 1900, interval: 'month', credits_included: 100_000 },
    items: {
      data: [{ price: { ...price, unit_amount: 1900, unit_amount_decimal: '1900', recurring: { interval: 'month' } } }],
    },
    currency: 'usd',
    current_period_end: expect.any(Number),
    trial_end: null,
    cancels_at: null,
    pending_change: null,
    provider_status: 'active',
    ...change,
  }
}
async function portal(fields: Record<string, string>): Promise<void> {
  const { url } = (await person.call('POST', '/api/billing/portal', { body: {} })).body.data
  const token = /name="token" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
  await fetch(url, { method: 'POST', body: new URLSearchParams({ token, ...fields }) })
  await settleBilling(server)
}
const shown = async () => {
  const { subscription, subscriptions } = await get('/api/billing/subscription')
  expect(subscriptions).toEqual(subscription ? [subscription] : [])
  return subscription
}
const invoice = (change: { status?: string } & Record<string, unknown> = {}) => ({
  id: expect.stringMatching(/^in_/),
  number: expect.any(String),
  description: 'Pro',
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  amount: 1900,
  currency: 'usd',
  status: 'paid',
  invoice_pdf: expect.stringMatching(/\/billing\/invoices\/in_\w+\/pdf\?person=[\w-]+&expires=\d+&signature=[\w-]+$/),
  receipt:
    change.status === undefined
      ? expect.stringMatching(/\/billing\/invoices\/in_\w+\/receipt\?person=[\w-]+&expires=\d+&signature=[\w-]+$/)
      : null,
  ...change,
})

test('a paid month, canceled at its end, and resumed', async () => {
  await buyPlan(server, person, plans.Pro)
  const paid = await shown()
  expect(paid).toEqual(pro())
  const days = (paid.current_period_end - (await now())) / DAY
  expect([days > 27.9, days < 31.1]).toEqual([true, true])
  expect(await credits()).toEqual({ remaining: 100_000, unlimited: false, payAsYouGoEnabled: false })
  expect(await get('/billing/invoices')).toEqual([invoice()])
  expect((await plansByName(person)).Pro).toMatchObject({ current: true })
  await portal({ action: 'cancel', subscription: paid.id })
  expect(await shown()).toEqual(pro({ id: paid.id, cancels_at: paid.current_period_end }))
  await portal({ action: 'resume', subscription: paid.id })
  expect(await shown()).toEqual(pro({ id: paid.id }))
})

test('a trial is active and has an end; nothing was paid, so there is no invoice', async () => {
  await buyPlan(server, person, plans.Pro, { trial: true })
  const trial = await shown()
  expect(trial).toEqual(pro({ provider_status: 'trialing', trial_end: trial.current_period_end }))
  expect(Math.round((trial.trial_end - (await now())) / DAY)).toBe(14)
  expect(await credits()).toMatchObject({ remaining: 100_000 })
  expect(await get('/billing/invoices')).toEqual([])
})

test('a year', async () => {
  const priceId = plans.Pro?.annual?.priceId as string
  await buyPlan(server, person, plans.Pro, { priceId })
  const price = { id: priceId, nickname: 'Pro', currency: 'usd', product: 'prod_pro' }
  const year = await shown()
  expect(year).toEqual(
    pro({
      plan_id: priceId,
      plan: { ...price, name: 'Pro', amount: 18_240, interval: 'year', credits_included: 100_000 },
      items: {
        data: [
          { price: { ...price, unit_amount: 18_240, unit_amount_decimal: '18240', recurring: { interval: 'year' } } },
        ],
      },
    }),
  )
  expect(Math.round((year.current_period_end - (await now())) / DAY)).toBeGreaterThanOrEqual(365)
  // The first month only: the others are granted month by month.
  expect(await credits()).toMatchObject({ remaining: 100_000 })
  expect(await get('/billing/invoices')).toEqual([invoice({ amount: 18_240 })])
  expect((await plansByName(person)).Pro).toMatchObject({ current: true })
})

test('pay-as-you-go', async () => {
  await buyPlan(server, person, plans['Pay-as-you-go'])
  const price = {
    id: plans['Pay-as-you-go']?.priceId,
    nickname: 'Pay-as-you-go',
    currency: 'usd',
    product: 'prod_payg',
  }
  expect(await shown()).toEqual(
    pro({
      plan_id: price.id,
      plan: { ...price, name: 'Pay-as-you-go', amount: 0, interval: 'month', credits_included: 0 },
      items: {
        data: [
          { price: { ...price, unit_amount: null, unit_amount_decimal: '0.01', recurring: { interval: 'month' } } },
        ],
      },
    }),
  )
  expect(await spend(server, person, 250)).toBe('charged')
  expect(await credits()).toEqual({ remaining: 0, unlimited: false, payAsYouGoEnabled: true })
  expect(await get('/billing/invoices')).toEqual([])
})

test('unlimited', async () => {
  const made = await server.deps.stripe!.client.products.create({
    name: 'Endless',
    metadata: { unlimited: 'true', credits: '700' },
    default_price_data: { currency: 'usd', unit_amount: 49_900, recurring: { interval: 'month' } },
  })
  await settleBilling(server)
  await buyPlan(server, person, (await plansByName(person)).Endless)
  expect(await shown()).toMatchObject({ status: 'active', plan: { name: 'Endless', credits_included: 700 } })
  expect(await spend(server, person, 5_000)).toBe('charged')
  expect(await credits()).toEqual({ remaining: 700, unlimited: true, payAsYouGoEnabled: false })
  expect(await get('/billing/invoices')).toEqual([invoice({ amount: 49_900, description: 'Endless' })])
  await server.deps.stripe!.client.products.update(made.id, { active: false })
})

test('a declined first payment is no plan, no credit and no invoice', async () => {
  const { url } = (await person.call('POST', '/api/billing/checkout', { body: { priceId: plans.Pro?.priceId } })).body
    .data
  expect((await pressCheckout(url, 'decline')).location).toBeNull()
  await settleBilling(server)
  expect(await shown()).toBeNull()
  expect(await credits()).toEqual({ remaining: 0, unlimited: false, payAsYouGoEnabled: false })
  expect(await get('/billing/invoices')).toEqual([])
})

test('past due, then over: the unpaid invoice is void and can no longer be paid', async () => {
  await buyPlan(server, person, plans.Pro)
  await portal({ action: 'card', card: 'pm_card_chargeCustomerFail' })
  const { current_period_end: end } = await shown()
  await passTime(server, Math.ceil(end - (await now())) + 60)
  await passTime(server, 2 * 3_600)
  expect(await shown()).toEqual(pro({ status: 'past_due', provider_status: 'past_due' }))
  expect(await get('/billing/invoices')).toEqual([invoice({ status: 'open' }), invoice()])
  expect((await plansByName(person)).Pro).toMatchObject({ current: false })
  for (const days of [4, 6, 8]) await passTime(server, days * DAY)
  expect(await shown()).toBeNull()
  const [last, first] = await get('/billing/invoices')
  expect([last, first]).toEqual([invoice({ status: 'void' }), invoice()])
  await expect(server.deps.stripe!.client.invoices.pay(last.id)).rejects.toThrow(/void/)
  expect(await credits()).toMatchObject({ remaining: 0 })
})
