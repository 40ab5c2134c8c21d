import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { syncCatalog } from '../plans/sync-catalog.ts'
import { passTime, plansByName, pressCheckout, settleBilling } from '../testing/billing.ts'
import { tellBeforeAnswer, tellOnce } from '../testing/tell-before-answer.ts'
import { settleForgottenCheckouts } from './settle-checkouts.ts'

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
const checkout = (body: unknown) => person.call('POST', '/api/billing/checkout', { body })
const topup = (body: unknown) => person.call('POST', '/api/billing/credits/topup', { body })
const priceOf = (name: string) => plans[name]!.priceId

describe('POST /api/billing/checkout', () => {
  test('another plan has one open page, also when the event of the closed one arrives before it is committed', async () => {
    await checkout({ priceId: priceOf('Pro'), trial: false })
    const { client } = server.deps.stripe!
    const told = tellBeforeAnswer(server, 'POST', /checkout.sessions$/)
    const { body } = await checkout({ priceId: priceOf('Pay-as-you-go'), trial: false })
    expect(told()).toBe(true)
    const { rows } = await server.db.pool.query('select id from billing_customers order by created_at desc limit 1')
    const { data } = await client.checkout.sessions.list({ customer: rows[0].id })
    expect(data.filter(({ status }) => status === 'open').map(({ url }) => url)).toEqual([body.data.url])
    expect(data).toHaveLength(2)
  })

  test("sells Pro on the provider's page, and the plan is active on return even without a webhook", async () => {
    const opened = await checkout({ priceId: priceOf('Pro'), trial: false })
    expect(opened.status).toBe(200)
    const paid = await pressCheckout(opened.body.data.url, 'pay')
    expect(paid.location).toBe(`${server.deps.config.PUBLIC_URL}/dashboard/billing/?checkout=success`)
    await server.db.pool.query("update checkouts set checked_at = checked_at - interval '3 seconds'")
    const { subscription } = await get('/api/billing/subscription')
    expect(subscription).toMatchObject({
      status: 'active',
      plan_type: 'paid',
      provider_status: 'active',
      plan: { name: 'Pro', amount: 1900, credits_included: 100_000 },
    })
    expect((await get('/api/billing/credits')).credits.remaining).toBe(100_000)
    await settleBilling(server)
    expect((await get('/api/billing/credits')).credits.remaining).toBe(100_000)
    const invoices = await get('/billing/invoices')
    expect(invoices).toHaveLength(1)
    expect(invoices[0]).toMatchObject({ amount: 1900, status: 'paid' })
    const pdf = await fetch(invoices[0].invoice_pdf)
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    expect(
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
  })

  test('two clicks at the same moment open the same page', async () => {
    const [one, two] = await Promise.all([checkout({ priceId: priceOf('Pro') }), checkout({ priceId: priceOf('Pro') })])
    expect([one.status, two.status]).toEqual([200, 200])
    expect(one.body.data.url).toBe(two.body.data.url)
    await pressCheckout(one.body.data.url, 'pay')
    const again = await pressCheckout(one.body.data.url, 'pay')
    expect(again.text).not.toContain('name="outcome"')
    await settleBilling(server)
    expect((await get('/api/billing/subscription')).subscriptions).toHaveLength(1)
    const refused = await checkout({ priceId: priceOf('Pro') })
    expect([refused.status, refused.body.error]).toEqual([409, 'You are already on Pro.'])
  })

  test('a paid page whose event has not arrived yet is not followed by a second page', async () => {
    const { disturbances } = server.stripeSandbox!
    disturbances.paused = true
    const opened = await checkout({ priceId: priceOf('Pro'), trial: false })
    await pressCheckout(opened.body.data.url, 'pay')
    const second = await checkout({ priceId: priceOf('Pay-as-you-go') })
    disturbances.paused = false
    expect([second.status, second.body]).toEqual([
      409,
      {
        success: false,
        error: 'You have already paid for a plan. Reload this page to see it.',
        code: 'conflict',
      },
    ])
    await settleBilling(server)
    const { subscriptions } = await get('/api/billing/subscription')
    expect(subscriptions.map(({ plan }: { plan: { name: string } }) => plan.name)).toEqual(['Pro'])
  })

  test('starts the 14-day trial, once per account', async () => {
    const opened = await checkout({ priceId: priceOf('Pro') })
    await pressCheckout(opened.body.data.url, 'pay')
    await settleBilling(server)
    const { subscription } = await get('/api/billing/subscription')
    expect([subscription.status, subscription.provider_status]).toEqual(['active', 'trialing'])
    expect(subscription.trial_end - Date.now() / 1000).toBeGreaterThan(13.9 * 86_400)
    expect((await get('/api/billing/credits')).credits.remaining).toBe(100_000)
    await passTime(server, 15 * 86_400)
    const later = (await get('/api/billing/subscription')).subscription
    expect([later.status, later.provider_status, later.trial_end]).toEqual(['active', 'active', null])
    expect((await get('/api/billing/credits')).credits.remaining).toBe(100_000)
    expect((await get('/billing/invoices')).map(({ amount }: { amount: number }) => amount)).toEqual([1900])
  })

  test.each([
    [{ priceId: 'price_unknown' }, 404, 'This plan does not exist.'],
    [{}, 400, 'priceId: is required: the price id of a plan'],
    [{ priceId: 'x', coupon: 'all' }, 400, 'The request: unknown field "coupon"'],
  ])('refuses %j', async (body, status, text) => {
    const answer = await checkout(body)
    expect([answer.status, answer.body.error]).toEqual([status, text])
  })

  test('refuses the free plan and a foreign return URL', async () => {
    const free = await checkout({ priceId: priceOf('Free') })
    expect([free.status, free.body.error]).toEqual([
      400,
      'priceId: Free is free and needs no checkout. Use subscribe-free-plan.',
    ])
    const foreign = await checkout({ priceId: priceOf('Pro'), successUrl: 'https://evil.example/' })
    expect([foreign.status, foreign.body.error]).toEqual([
      400,
      `successUrl: must be an address that begins with ${server.deps.config.PUBLIC_URL}/`,
    ])
  })
})

describe('POST /api/billing/credits/topup', () => {
  test('sells packs and shows the credits on return', async () => {
    const offer = await get('/api/billing/credits/topup')
    expect(offer).toMatchObject({
      pack: { name: '10,000 credits', credits: 10_000, price: 200, currency: 'usd' },
      autoTopup: { enabled: false, threshold: 1000, packs: 1, monthlyCapCents: null, suspended: null, actionUrl: null },
    })
    const opened = await topup({ packs: 3, requestId: 'r1' })
    const repeated = await topup({ packs: 3, requestId: 'r1' })
    expect(repeated.body.data.url).toBe(opened.body.data.url)
    await pressCheckout(opened.body.data.url, 'pay')
    await settleBilling(server)
    expect((await get('/api/billing/credits')).credits.remaining).toBe(30_000)
    expect((await get('/billing/invoices')).map(({ amount }: { amount: number }) => amount)).toEqual([600])
    const spent = await topup({ packs: 3, requestId: 'r1' })
    expect([spent.status, spent.body.error]).toEqual([
      409,
      'This requestId was already used. Choose a new one to buy again.',
    ])
  })

  test('a page that was paid without a word from Stripe is asked about after 15 minutes', async () => {
    server.stripeSandbox!.disturbances.paused = true
    const { url } = (await topup({ packs: 1 })).body.data
    await pressCheckout(url, 'pay')
    const age = (by: string) =>
      server.db.pool.query('update topups set created_at = created_at - $2::interval where url = $1', [url, by])
    const status = async () => (await server.db.pool.query('select status from topups where url = $1', [url])).rows
    await age('14 minutes')
    await settleForgottenCheckouts(server.deps)
    expect(await status()).toEqual([{ status: 'open' }])
    await age('2 minutes')
    await settleForgottenCheckouts(server.deps)
    expect(await status()).toEqual([{ status: 'paid' }])
    server.stripeSandbox!.disturbances.paused = false
    await settleBilling(server)
  })

  test('a requestId opens the same page for 23 hours: after 24, Stripe has closed it', async () => {
    const open = () => topup({ packs: 2, requestId: 'r2' })
    const opened = await open()
    const age = (by: string) =>
      server.db.pool.query(`update topups set created_at = created_at - $2::interval where url = $1`, [
        opened.body.data.url,
        by,
      ])
    await age('22 hours 50 minutes')
    expect((await open()).body.data.url).toBe(opened.body.data.url)
    expect((await topup({ packs: 3, requestId: 'r2' })).status).toBe(409)
    await age('20 minutes')
    expect((await open()).status).toBe(409)
  })

  test.each([
    [{ packs: -1 }, 'packs: must be at least 1'],
    [{ packs: 0 }, 'packs: must be at least 1'],
    [{ packs: 1.5 }, 'packs: must be a whole number of packs'],
    [{ packs: 1_001 }, 'packs: must be at most 1000'],
  ])('refuses %j', async (body, text) => {
    const answer = await topup(body)
    expect([answer.status, answer.body.error]).toEqual([400, text])
  })
})

test('the free plan is redeemed with its first key, also when its event arrives before it is committed', async () => {
  await person.call('POST', '/api/billing/portal', { body: {} })
  const told = tellBeforeAnswer(server, 'POST', /subscriptions$/, tellOnce)
  const { data } = (await person.call('POST', '/api/billing/subscribe-free-plan')).body
  expect(told()).toBe(true)
  expect(data).toMatchObject({ alreadySubscribed: false, firstKey: { name: 'Default' } })
})

test('the free plan follows a purchase in another currency, also when the event of its end arrives before', async () => {
  const { client } = server.deps.stripe!
  const { rows } = await server.db.pool.query('select price_id from credit_packs where active')
  await client.prices.update(rows[0].price_id, { currency_options: { eur: { unit_amount: 180 } } })
  await syncCatalog(server.deps)
  await person.call('POST', '/api/billing/subscribe-free-plan')
  await settleBilling(server)
  const { current_period_end: end } = (await get('/api/billing/subscription')).subscription
  const told = tellBeforeAnswer(server, 'DELETE', /subscriptions.sub_/, tellOnce)
  expect((await topup({ packs: 1, currency: 'eur' })).status).toBe(200)
  expect(told()).toBe(true)
  await settleBilling(server)
  expect((await get('/api/billing/subscription')).subscription).toMatchObject({
    plan_type: 'free',
    currency: 'eur',
    current_period_end: end,
  })
})

describe('POST /api/billing/portal', () => {
  test('opens the portal and returns only to our own pages', async () => {
    const opened = await person.call('POST', '/api/billing/portal', { body: {} })
    expect(opened.status).toBe(200)
    expect((await fetch(opened.body.data.url)).status).toBe(200)
    const foreign = await person.call('POST', '/api/billing/portal', { body: { returnUrl: 'https://evil.example/' } })
    expect(foreign.status).toBe(400)
  })
})
