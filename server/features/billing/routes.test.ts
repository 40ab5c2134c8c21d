import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { call, joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { plansByName, settleBilling } from './testing/billing.ts'

let server: TestServer
let person: TestSession
/** Price ids are Stripe's; the tests name plans. */
let prices: Record<string, string>
beforeAll(async () => {
  server = await startTestServer()
  const plans = await plansByName(await startSession(server))
  prices = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, plan.priceId]))
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
})

const get = async (path: string) => (await person.call('GET', path)).body.data
const redeem = (body?: unknown) => person.call('POST', '/api/billing/subscribe-free-plan', { body })

const free = {
  id: 'prod_free',
  productId: 'prod_free',
  priceId: expect.stringMatching(/^price_/),
  name: 'Free',
  price: 0,
  currency: 'usd',
  interval: 'month',
  active: true,
  type: 'free',
  current: false,
  credits: 1000,
  default_price: { id: expect.stringMatching(/^price_/), unit_amount_decimal: '0' },
}

describe('the plan catalog', () => {
  test('lists Free, Pro and Pay-as-you-go', async () => {
    const { plans } = await get('/api/billing/plans')
    expect(plans).toHaveLength(3)
    expect(plans[0]).toMatchObject(free)
    expect(plans[1]).toMatchObject({
      name: 'Pro',
      price: 1900,
      interval: 'month',
      type: 'paid',
      credits: 100000,
      current: false,
    })
    expect(plans[2]).toMatchObject({
      name: 'Pay-as-you-go',
      type: 'paid',
      credits: 0,
      metadata: { type: 'payg' },
      default_price: { unit_amount_decimal: '0.01' },
    })
    for (const plan of plans) {
      expect(plan.marketing_features.length).toBeGreaterThan(0)
      expect(plan.features).toEqual(plan.marketing_features.map((feature: { name: string }) => feature.name))
    }
  })

  test('is open to visitors, cacheable, and the same for everyone', async () => {
    await redeem()
    const answer = await call(server, 'GET', '/api/public/plans')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60')
    expect(answer.body.data.plans[0]).toMatchObject(free)
    expect(answer.body.data.plans).toHaveLength(3)
  })

  test('returns one plan by id and by price id', async () => {
    expect((await get('/api/billing/plans/prod_free')).plan).toMatchObject(free)
    expect((await get(`/api/billing/plans/${prices.Free}`)).plan).toMatchObject(free)
  })

  test.each(['nothing', '%00', 'a'.repeat(400)])('answers 404 for plan %s', async (id) => {
    const answer = await person.call('GET', `/api/billing/plans/${id}`)
    expect([answer.status, answer.body]).toEqual([
      404,
      { success: false, error: 'This plan does not exist.', code: 'not_found' },
    ])
  })
})

describe('before a plan is chosen', () => {
  test('there is no subscription, no credit and no invoice, and preferences have their defaults', async () => {
    expect(await get('/api/billing/subscription')).toEqual({ subscription: null, subscriptions: [] })
    expect(await get('/api/billing/credits')).toEqual({
      credits: { remaining: 0, unlimited: false, payAsYouGoEnabled: false },
      bought: 0,
    })
    expect(await get('/billing/invoices')).toEqual([])
    expect(await get('/api/billing/preferences')).toEqual({ alertThreshold: 90, spendCapCents: null })
  })
})

describe('POST /api/billing/subscribe-free-plan', () => {
  test('creates a subscription, 1,000 credits and a key named Default', async () => {
    const answer = await redeem({})
    expect(answer.status).toBe(200)
    const { alreadySubscribed, subscription } = answer.body.data
    expect(alreadySubscribed).toBe(false)
    const price = { id: prices.Free, nickname: 'Free', currency: 'usd', product: 'prod_free' }
    expect(subscription).toEqual({
      id: expect.stringMatching(/^sub_/),
      status: 'active',
      plan_type: 'free',
      plan_id: prices.Free,
      plan: { ...price, name: 'Free', amount: 0, interval: 'month', credits_included: 1000 },
      items: {
        data: [{ price: { ...price, unit_amount: 0, unit_amount_decimal: '0', recurring: { interval: 'month' } } }],
      },
      currency: 'usd',
      current_period_end: expect.any(Number),
      trial_end: null,
      cancels_at: null,
      pending_change: null,
      provider_status: 'active',
    })
    const days = (subscription.current_period_end - Date.now() / 1000) / 86_400
    expect(days).toBeGreaterThan(27.9)
    expect(days).toBeLessThan(31.1)
    expect(await get('/api/billing/subscription')).toEqual({ subscription, subscriptions: [subscription] })
    expect(await get('/api/billing/credits')).toEqual({
      credits: { remaining: 1000, unlimited: false, payAsYouGoEnabled: false },
      bought: 0,
    })
    expect((await get('/api/keys')).apiKeys).toMatchObject([{ name: 'Default', usage_count: 0, last_used_at: null }])
    expect((await get('/api/billing/plans')).plans.map((plan: { current: boolean }) => plan.current)).toEqual([
      true,
      false,
      false,
    ])
  })

  test('creates no second key', async () => {
    await person.call('POST', '/api/keys', { body: { name: 'Mine' } })
    await redeem()
    expect((await get('/api/keys')).apiKeys).toMatchObject([{ name: 'Mine' }])
  })

  test('answers alreadySubscribed on a repeat and changes nothing', async () => {
    const first = await redeem({ priceId: prices.Free })
    await person.call('DELETE', `/api/keys/${(await get('/api/keys')).apiKeys[0].id}`)
    const repeat = await redeem({})
    expect([repeat.status, repeat.body.data]).toEqual([
      200,
      { alreadySubscribed: true, subscription: first.body.data.subscription, firstKey: null },
    ])
    expect((await get('/api/keys')).apiKeys).toEqual([])
    expect((await get('/api/billing/credits')).credits.remaining).toBe(1000)
  })

  test('50 concurrent requests of a new person create one grant, one subscription and one key', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeem({})))
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
    expect(answers.filter((answer) => !answer.body.data.alreadySubscribed)).toHaveLength(1)
    expect((await get('/api/keys')).apiKeys).toHaveLength(1)
    expect((await get('/api/billing/credits')).credits.remaining).toBe(1000)
    const { rows } = await server.db.pool.query(
      `select g.kind, g.source_type, g.amount, g.expires_at = s.current_period_end as expires_with_period
       from credit_grants g join accounts a on a.id = g.account_id join subscriptions s using (account_id) where a.personal_of = $1`,
      [person.userId],
    )
    expect(rows).toEqual([{ kind: 'free', source_type: 'free_period', amount: 1000, expires_with_period: true }])
  })

  test.each([
    ['a plan that does not exist', { priceId: 'price_x' }, 404, 'not_found', 'This plan does not exist.'],
    ['a NUL in the price id', { priceId: '\0' }, 404, 'not_found', 'This plan does not exist.'],
    ['a paid plan', { plan: 'Pro' }, 400, 'invalid_parameter', 'priceId: Pro is not a free plan.'],
    [
      'pay-as-you-go',
      { plan: 'Pay-as-you-go' },
      400,
      'invalid_parameter',
      'priceId: Pay-as-you-go is not a free plan.',
    ],
    [
      'a price id that is no text',
      { priceId: 1 },
      400,
      'invalid_parameter',
      'priceId: must be the price id of a free plan',
    ],
    ['an unknown field', { product: 'Free' }, 400, 'invalid_parameter', 'The request: unknown field "product"'],
    ['broken JSON', '{', 400, 'bad_json', 'The request body is not valid JSON.'],
  ])('refuses %s and redeems nothing', async (_name, body, status, code, error) => {
    const named = typeof body === 'object' && 'plan' in body ? { priceId: prices[String(body.plan)] } : body
    const answer = await redeem(named)
    expect([answer.status, answer.body]).toEqual([status, { success: false, error, code }])
    expect((await get('/api/billing/subscription')).subscription).toBeNull()
    expect((await get('/api/keys')).apiKeys).toEqual([])
  })

  test('is not for members', async () => {
    const member = await startSession(server)
    const headers = { 'x-workspace-id': await joinWorkspace(server, person, member, 'member') }
    const answer = await member.call('POST', '/api/billing/subscribe-free-plan', { body: {}, headers })
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    const seen = await member.call('GET', '/api/billing/subscription', { headers })
    expect([seen.status, seen.body.data.subscription]).toEqual([200, null])
  })

  test('reports unlimited credits where the plan says so', async () => {
    const { products } = server.deps.stripe!.client
    const made = await products.create({
      name: 'Endless',
      metadata: { unlimited: 'true' },
      default_price_data: { currency: 'usd', unit_amount: 0, recurring: { interval: 'month' } },
    })
    await settleBilling(server)
    const { Endless } = await plansByName(person)
    expect((await redeem({ priceId: Endless?.priceId })).status).toBe(200)
    await products.update(made.id, { active: false })
    await settleBilling(server)
    expect(await plansByName(person)).not.toHaveProperty('Endless')
    expect((await get('/api/billing/credits')).credits.unlimited).toBe(true)
  })
})

describe('preferences', () => {
  const put = (body: unknown) => person.call('PUT', '/api/billing/preferences', { body })

  test('change the given fields and keep the rest', async () => {
    expect((await put({ alertThreshold: 0 })).body).toEqual({
      success: true,
      data: { alertThreshold: 0, spendCapCents: null },
    })
    expect((await put({ spendCapCents: 5000 })).body.data).toEqual({ alertThreshold: 0, spendCapCents: 5000 })
    expect((await put({ alertThreshold: 100, spendCapCents: null })).body.data).toEqual({
      alertThreshold: 100,
      spendCapCents: null,
    })
    expect(await get('/api/billing/preferences')).toEqual({ alertThreshold: 100, spendCapCents: null })
  })

  test.each([
    [{}, 'The request: names nothing to change: send alertThreshold, spendCapCents or both'],
    [{ alertThreshold: -1 }, 'alertThreshold: must be at least 0'],
    [{ alertThreshold: 101 }, 'alertThreshold: must be at most 100'],
    [{ alertThreshold: 1.5 }, 'alertThreshold: must be a whole number from 0 to 100'],
    [{ alertThreshold: '90' }, 'alertThreshold: must be a whole number from 0 to 100'],
    [{ alertThreshold: null }, 'alertThreshold: must be a whole number from 0 to 100'],
    [{ spendCapCents: -1 }, 'spendCapCents: must be at least 0'],
    [{ spendCapCents: 1e12 }, 'spendCapCents: must be at most 100000000'],
    [{ threshold: 5 }, 'The request: unknown field "threshold"'],
  ])('refuse %j', async (body, error) => {
    const answer = await put(body)
    expect([answer.status, answer.body]).toEqual([400, { success: false, error, code: 'invalid_parameter' }])
    expect(await get('/api/billing/preferences')).toEqual({ alertThreshold: 90, spendCapCents: null })
  })

  test('are read by members and changed by owners and admins', async () => {
    const member = await startSession(server)
    const headers = { 'x-workspace-id': await joinWorkspace(server, person, member, 'member') }
    expect((await member.call('GET', '/api/billing/preferences', { headers })).status).toBe(200)
    expect(
      (await member.call('PUT', '/api/billing/preferences', { body: { alertThreshold: 1 }, headers })).status,
    ).toBe(403)
  })
})

describe('GET /billing/invoices', () => {
  test("lists the workspace's own invoices, newest first", async () => {
    const stranger = await startSession(server)
    await stranger.call('GET', '/billing/invoices')
    await get('/billing/invoices')
    const add = `insert into invoices (id, account_id, number, status, amount_cents, created_at)
      select $2, id, $3, $4, $5, $6 from accounts where personal_of = $1`
    await server.db.pool.query(add, [person.userId, 'in_1', 'FM-0001', 'paid', 1900, '2026-01-31T00:00:00Z'])
    await server.db.pool.query(add, [person.userId, 'in_2', 'FM-0002', 'open', 100, '2026-02-28T00:00:00Z'])
    await server.db.pool.query(add, [stranger.userId, 'in_3', 'FM-0003', 'paid', 5, '2026-03-31T00:00:00Z'])
    expect(await get('/billing/invoices')).toEqual([
      {
        id: 'in_2',
        number: 'FM-0002',
        description: null,
        created_at: '2026-02-28T00:00:00.000Z',
        amount: 100,
        currency: 'usd',
        status: 'open',
        invoice_pdf: expect.stringContaining('/billing/invoices/in_'),
        receipt: null,
      },
      {
        id: 'in_1',
        number: 'FM-0001',
        description: null,
        created_at: '2026-01-31T00:00:00.000Z',
        amount: 1900,
        currency: 'usd',
        status: 'paid',
        invoice_pdf: expect.stringContaining('/billing/invoices/in_'),
        receipt: expect.stringContaining('/billing/invoices/in_1/receipt?'),
      },
    ])
  })
})
