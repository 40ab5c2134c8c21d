import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { call, joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { buyCredits, buyPlan, plansByName } from './testing/billing.ts'

let server: TestServer
let person: TestSession
let pro: string
beforeAll(async () => {
  server = await startTestServer()
  pro = (await plansByName(await startSession(server))).Pro!.priceId
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
})

/** Every call that changes money, with a valid body. */
const changes: [method: string, path: string, body: () => object][] = [
  ['POST', '/api/billing/checkout', () => ({ priceId: pro })],
  ['POST', '/api/billing/portal', () => ({})],
  ['POST', '/api/billing/subscribe-free-plan', () => ({})],
  ['POST', '/api/billing/credits/topup', () => ({ packs: 1 })],
  ['POST', '/api/billing/credits/auto-topup', () => ({ enabled: true, threshold: 10, packs: 1 })],
  ['PUT', '/api/billing/preferences', () => ({ alertThreshold: 50 })],
  ['PUT', '/api/billing/alert-webhook', () => ({ url: null })],
]
const reads = [
  '/api/billing/plans',
  '/api/billing/plans/prod_pro',
  '/api/billing/subscription',
  '/api/billing/credits',
  '/api/billing/credits/topup',
  '/api/billing/credits/history',
  '/api/billing/preferences',
  '/api/billing/alert-webhook',
  '/api/billing/upcoming-invoice',
  '/billing/invoices',
]

describe('who may', () => {
  test.each(reads.map((path) => ['GET', path]).concat(changes.map(([method, path]) => [method, path])))(
    '%s %s requires a session',
    async (method, path) => {
      const answer = await call(server, method!, path!, method === 'GET' ? {} : { body: {} })
      expect([answer.status, answer.body.success, answer.body.code]).toEqual([401, false, 'unauthorized'])
    },
  )

  test.each(changes)('%s %s is refused to members', async (method, path, body) => {
    const member = await startSession(server)
    const headers = { 'x-workspace-id': await joinWorkspace(server, person, member, 'member') }
    const answer = await member.call(method, path, { body: body(), headers })
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    expect((await person.call('GET', '/api/billing/subscription')).body.data.subscription).toBeNull()
  })

  test.each([
    ...reads.map((path) => ['GET', path] as const),
    ...changes.map(([method, path]) => [method, path] as const),
  ])('%s %s: a foreign workspace looks like a missing one', async (method, path) => {
    const host = await startSession(server)
    const profile = await host.call('GET', '/api/auth/profile')
    const body = changes.find((one) => one[0] === method && one[1] === path)?.[2]()
    const ask = (id: string) => person.call(method, path, { ...(body && { body }), headers: { 'x-workspace-id': id } })
    const theirs = await ask(profile.body.data.workspace.id)
    const nobodys = await ask('00000000-0000-4000-8000-000000000000')
    expect([theirs.status, theirs.body]).toEqual([nobodys.status, nobodys.body])
    expect([403, 404]).toContain(theirs.status)
  })
})

describe('invalid bodies', () => {
  test.each([
    ['/api/billing/portal', { returnUrl: 7 }, 'returnUrl: must be an address'],
    ['/api/billing/portal', { customer: 'cus_1' }, 'The request: unknown field "customer"'],
    ['/api/billing/checkout', { priceId: '' }, 'priceId: must not be empty'],
    ['/api/billing/checkout', { priceId: 'price_1', trial: 'yes' }, 'trial: must be true or false'],
    ['/api/billing/credits/topup', { packs: '3' }, 'packs: must be a whole number of packs'],
    ['/api/billing/credits/topup', { packs: 1, requestId: '' }, 'requestId: must not be empty'],
    ['/api/billing/credits/auto-topup', { enabled: 'on' }, 'enabled: must be true or false'],
    ['/api/billing/credits/auto-topup', {}, 'enabled: must be true or false'],
  ])('POST %s refuses %j', async (path, body, error) => {
    const answer = await person.call('POST', path, { body })
    expect([answer.status, answer.body]).toEqual([400, { success: false, error, code: 'invalid_parameter' }])
  })
})

test('a second paid plan is refused, and so is the same one again', async () => {
  await buyPlan(server, person, (await plansByName(person)).Pro)
  const again = await person.call('POST', '/api/billing/checkout', { body: { priceId: pro } })
  expect([again.status, again.body.code, again.body.error]).toEqual([409, 'conflict', 'You are already on Pro.'])
  const payg = (await plansByName(person))['Pay-as-you-go']!.priceId
  const other = await person.call('POST', '/api/billing/checkout', { body: { priceId: payg } })
  expect([other.status, other.body.error]).toEqual([
    409,
    'You are subscribed to Pro. Change or cancel it under Manage Billing.',
  ])
})

test('with a paid plan the free one is refused, redeemed before or not, and nothing is granted', async () => {
  await buyPlan(server, person, (await plansByName(person)).Pro)
  const redeemer = await startSession(server)
  await redeemer.call('POST', '/api/billing/subscribe-free-plan')
  await buyPlan(server, redeemer, (await plansByName(redeemer)).Pro)
  for (const [one, credits] of [
    [person, 100_000],
    [redeemer, 101_000],
  ] as const) {
    const answer = await one.call('POST', '/api/billing/subscribe-free-plan')
    expect([answer.status, answer.body]).toEqual([
      409,
      {
        success: false,
        error: 'You are subscribed to Pro. Change or cancel it under Manage Billing.',
        code: 'conflict',
      },
    ])
    expect((await one.call('GET', '/api/billing/subscription')).body.data.subscriptions).toHaveLength(1)
    expect((await one.call('GET', '/api/billing/credits')).body.data.credits.remaining).toBe(credits)
  }
})

describe('the PDF of an invoice', () => {
  const linkOf = async (): Promise<URL> => {
    await buyCredits(server, person, 1)
    const [invoice] = (await person.call('GET', '/billing/invoices')).body.data
    return new URL(invoice.invoice_pdf)
  }
  const open = (url: URL) => fetch(`${server.url}${url.pathname}${url.search}`, { redirect: 'manual' })

  test('opens by its link, without a session', async () => {
    const answer = await open(await linkOf())
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'private, no-store'])
    const pdf = await fetch(answer.headers.get('location')!)
    expect(pdf.headers.get('content-type')).toContain('application/pdf')
    expect(
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
  })

  test('an altered, foreign or expired link opens nothing', async () => {
    const link = await linkOf()
    const altered = (change: (url: URL) => void) => {
      const url = new URL(link)
      change(url)
      return url
    }
    const stranger = await startSession(server)
    await buyCredits(server, stranger, 1)
    const [theirs] = (await stranger.call('GET', '/billing/invoices')).body.data
    for (const url of [
      altered((one) => one.searchParams.set('signature', 'AAAA')),
      altered((one) => one.searchParams.delete('signature')),
      altered((one) => one.searchParams.set('expires', String(Number(one.searchParams.get('expires')) + 60))),
      altered((one) => {
        one.pathname = `/billing/invoices/${theirs.id}/pdf`
      }),
      altered((one) => {
        one.pathname = '/billing/invoices/in_nobody/pdf'
      }),
    ]) {
      const answer = await open(url)
      const { code, error } = (await answer.json()) as { code: string; error: string }
      expect([answer.status, code, error]).toEqual([
        404,
        'not_found',
        'This link is not valid. Open the invoice list again.',
      ])
    }
  })
})

describe('while the payment provider does not answer', () => {
  test('every call that needs it says so, nothing is bought, and stored data is still shown', async () => {
    await buyPlan(server, person, (await plansByName(person)).Pro)
    const fresh = await startSession(server)
    await fresh.call('GET', '/api/auth/profile')
    const access = server.deps.stripe!
    const { client } = access
    access.client = new Stripe('sk_test_dead', {
      host: '127.0.0.1',
      port: await freePort(),
      protocol: 'http',
      maxNetworkRetries: 0,
    })
    try {
      for (const [path, body] of [
        ['/api/billing/checkout', { priceId: pro }],
        ['/api/billing/portal', {}],
        ['/api/billing/subscribe-free-plan', {}],
        ['/api/billing/credits/topup', { packs: 1 }],
      ] as const) {
        const answer = await fresh.call('POST', path, { body })
        expect([path, answer.status, answer.body]).toEqual([
          path,
          503,
          {
            success: false,
            error: 'The payment provider did not answer as expected. Nothing was charged. Try again shortly.',
            code: 'billing_unavailable',
          },
        ])
        expect(answer.headers.get('retry-after')).toBe('5')
      }
      const upcoming = await person.call('GET', '/api/billing/upcoming-invoice')
      expect([upcoming.status, upcoming.body.code]).toEqual([503, 'billing_unavailable'])
      expect((await person.call('GET', '/api/billing/plans')).body.data.plans).toHaveLength(3)
      expect((await person.call('GET', '/api/billing/subscription')).body.data.subscription.plan.name).toBe('Pro')
      const invoices = await person.call('GET', '/billing/invoices')
      expect(invoices.status).toBe(200)
      const link = new URL(invoices.body.data[0].invoice_pdf)
      const pdf = await fetch(`${server.url}${link.pathname}${link.search}`, { redirect: 'manual' })
      expect([pdf.status, ((await pdf.json()) as { code: string }).code]).toEqual([503, 'billing_unavailable'])
    } finally {
      access.client = client
    }
    expect((await fresh.call('GET', '/api/billing/credits')).body.data.credits.remaining).toBe(0)
    const retried = await fresh.call('POST', '/api/billing/checkout', { body: { priceId: pro } })
    expect(retried.status).toBe(200)
  })
})

test('where nothing is sold, whatever costs money says so; the free plan is given all the same', async () => {
  const { stripe } = server.deps
  server.deps.stripe = null
  try {
    for (const [path, body] of [
      ['/api/billing/checkout', { priceId: pro }],
      ['/api/billing/portal', {}],
      ['/api/billing/credits/topup', { packs: 1 }],
      ['/api/billing/credits/auto-topup', { enabled: true }],
    ] as const) {
      const answer = await person.call('POST', path, { body })
      expect([path, answer.status, answer.body]).toEqual([
        path,
        503,
        {
          success: false,
          error: 'This server has no payment provider set up, so nothing can be bought here.',
          code: 'billing_unavailable',
        },
      ])
    }
    expect((await person.call('GET', '/billing/invoices')).body.data).toEqual([])
    expect((await person.call('GET', '/api/billing/upcoming-invoice')).body.data.upcoming).toBeNull()
    expect((await person.call('POST', '/api/billing/subscribe-free-plan')).status).toBe(200)
  } finally {
    server.deps.stripe = stripe
  }
  expect((await person.call('GET', '/api/billing/credits')).body.data.credits.remaining).toBe(1_000)
})

test('a requestId belongs to one account: the same id in another account opens a separate page', async () => {
  const stranger = await startSession(server)
  const body = { packs: 1, requestId: 'mine' }
  const mine = await person.call('POST', '/api/billing/credits/topup', { body })
  const theirs = await stranger.call('POST', '/api/billing/credits/topup', { body: { ...body, packs: 2 } })
  expect([mine.status, theirs.status]).toEqual([200, 200])
  expect(theirs.body.data.url).not.toBe(mine.body.data.url)
})

test('where no credits are sold, a top-up is not found', async () => {
  await server.db.pool.query('update credit_packs set active = false')
  const answer = await person.call('POST', '/api/billing/credits/topup', { body: { packs: 1 } })
  await server.db.pool.query('update credit_packs set active = true')
  expect([answer.status, answer.body]).toEqual([
    404,
    { success: false, error: 'Credits are currently not for sale.', code: 'not_found' },
  ])
})
