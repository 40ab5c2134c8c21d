import Fastify from 'fastify'
import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { applyInvoice } from '../invoices/apply-invoice.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { applySubscription } from '../subscriptions/apply-subscription.ts'
import {
  accountOf,
  buyCredits,
  buyPlan,
  passTime,
  plansByName,
  pressCheckout,
  settleBilling,
} from '../testing/billing.ts'
import { findMissedEvents } from './find-missed-events.ts'
import { processEvents } from './process-events.ts'
import { replayEvent } from './replay-events.ts'
import { registerWebhook } from './webhook.ts'

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
const event = (change: object = {}) =>
  JSON.stringify({
    id: `evt_${Math.random().toString(36).slice(2)}`,
    object: 'event',
    type: 'invoice.paid',
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    api_version: '2026-10-28.endive',
    data: { object: { id: 'in_unknown', object: 'invoice', customer: 'cus_unknown' } },
    ...change,
  })

function post(payload: string, signature?: string) {
  const headers = { 'content-type': 'application/json', ...(signature && { 'stripe-signature': signature }) }
  return fetch(`${server.url}/webhooks/stripe`, { method: 'POST', body: payload, headers })
}

const sign = (payload: string, secret = server.deps.stripe!.webhookSecret, timestamp?: number) =>
  new Stripe('sk_test_x').webhooks.generateTestHeaderString({ payload, secret, ...(timestamp && { timestamp }) })

const kept = async () => (await server.db.pool.query('select count(*)::int as n from stripe_events')).rows[0].n

describe('POST /webhooks/stripe', () => {
  test.each([
    ['without a signature', (): [string, string?] => [event()], 'The signature of this event is missing.'],
    ['with a forged signature', () => [event(), 't=1,v1=00'], 'The signature of this event is not valid.'],
    [
      'of another endpoint',
      () => {
        const payload = event()
        return [payload, sign(payload, 'whsec_of_somebody_else')]
      },
      'The signature of this event is not valid.',
    ],
    [
      'that is 301 seconds old',
      () => {
        const payload = event()
        return [payload, sign(payload, undefined, Math.floor(Date.now() / 1000) - 301)]
      },
      'The signature of this event is not valid.',
    ],
    [
      'whose body was altered',
      () => {
        const payload = event()
        return [payload.replace('invoice.paid', 'invoice.void'), sign(payload)]
      },
      'The signature of this event is not valid.',
    ],
    [
      'of live mode',
      () => {
        const payload = event({ livemode: true })
        return [payload, sign(payload)]
      },
      "This event's mode (test or live) does not match this server's.",
    ],
  ] as [string, () => [string, string?], string][])(
    'refuses an event %s, and keeps nothing',
    async (_what, make, text) => {
      const before = await kept()
      const warn = vi.spyOn(server.deps.log, 'warn')
      const [payload, signature] = make()
      const answer = await post(payload, signature)
      const logged = warn.mock.calls
      warn.mockRestore()
      const body = (await answer.json()) as { error: string }
      expect([answer.status, body.error]).toEqual([400, text])
      expect(JSON.stringify(body)).not.toContain('whsec_')
      expect(await kept()).toBe(before)
      // The log tells the operator, without the secret or the payload.
      expect(logged).toEqual([[{ requestId: expect.any(String), reason: text }, 'a Stripe event was refused']])
    },
  )

  test('refuses half a megabyte, and any event on a server without Stripe', async () => {
    const before = await kept()
    const large = await post(event({ data: { object: { id: 'x'.repeat(524_288) } } }), 't=1,v1=00')
    expect([large.status, ((await large.json()) as { code: string }).code]).toEqual([413, 'payload_too_large'])
    const { stripe } = server.deps
    server.deps.stripe = null
    const payload = event()
    const closed = await post(payload, sign(payload, stripe!.webhookSecret))
    server.deps.stripe = stripe
    expect([closed.status, ((await closed.json()) as { code: string }).code]).toEqual([503, 'billing_unavailable'])
    expect(await kept()).toBe(before)
  })

  test('a live server refuses events of the test mode', async () => {
    const before = await kept()
    const { stripe } = server.deps
    server.deps.stripe = { ...stripe!, mode: 'live' }
    const payload = event()
    const refused = await post(payload, sign(payload))
    server.deps.stripe = stripe
    expect([refused.status, await kept()]).toEqual([400, before])
  })

  test('stores a valid event once, and an unknown customer changes nothing', async () => {
    const payload = event({ type: 'invoice.deleted' })
    const before = await kept()
    for (let copy = 0; copy < 3; copy++) expect((await post(payload, sign(payload))).status).toBe(200)
    expect(await kept()).toBe(before + 1)
  })

  test('accepts an event with another API version, and warns the operator', async () => {
    const payload = event({ type: 'invoice.deleted', api_version: '2020-08-27' })
    const before = await kept()
    const warn = vi.spyOn(server.deps.log, 'warn')
    expect((await post(payload, sign(payload))).status).toBe(200)
    const logged = warn.mock.calls
    warn.mockRestore()
    expect(await kept()).toBe(before + 1)
    const { id } = JSON.parse(payload)
    expect(logged).toEqual([
      [{ event: id, version: '2020-08-27' }, 'a Stripe event has another API version than this server'],
    ])
  })

  test('warns the operator about an invoice that Stripe could not finalize', async () => {
    await buyPlan(server, person, (await plansByName(person)).Pro)
    const { rows } = await server.db.pool.query('select id from billing_customers where account_id = $1', [
      await accountOf(server, person),
    ])
    const { id } = await server.deps.stripe!.client.invoices.create({ customer: rows[0].id, auto_advance: false })
    await settleBilling(server)
    const error = vi.spyOn(server.deps.log, 'error')
    const payload = event({ type: 'invoice.finalization_failed', data: { object: { id, object: 'invoice' } } })
    await post(payload, sign(payload))
    await settleBilling(server)
    const logged = error.mock.calls
    error.mockRestore()
    expect(logged).toEqual([
      [{ invoice: id }, 'Stripe could not finalize an invoice: nothing is charged until an operator fixes it'],
    ])
  })

  test('gives up an event after ten attempts and continues with others', async () => {
    const payload = event({ id: 'evt_dead' })
    await post(payload, sign(payload))
    const waits: { attempts: number; seconds: number }[] = []
    // The server tries on its own, too: an attempt that is under way is not made twice.
    for (let round = 0; round < 200 && waits.at(-1)?.attempts !== 10; round++) {
      const { rows } = await server.db.pool.query(
        `select attempts, extract(epoch from next_attempt_at - app_now())::float as seconds
         from stripe_events where id = 'evt_dead'`,
      )
      waits.push(rows[0])
      await server.db.pool.query("update stripe_events set next_attempt_at = app_now() where id = 'evt_dead'")
      await processEvents(server.deps)
    }
    const { rows } = await server.db.pool.query(
      "select attempts, dead_at is not null as dead, processed_at from stripe_events where id = 'evt_dead'",
    )
    expect(rows).toEqual([{ attempts: 10, dead: true, processed_at: null }])
    // After each failure it waits twice as long: 1 s, 2 s, 4 s ... less what has passed since.
    expect(waits.filter(({ attempts, seconds }) => attempts > 0 && seconds > 2 ** (attempts - 1))).toEqual([])
    expect(Math.max(...waits.map(({ seconds }) => seconds))).toBeGreaterThan(60)
    await buyCredits(server, person, 1)
    expect(await credits()).toBe(10_000)
    // An operator's replay has ten attempts again.
    await replayEvent(server.deps, 'evt_dead')
    const tried = `from stripe_events where id = 'evt_dead' and attempts > 0`
    await expect.poll(async () => (await server.db.pool.query(`select ${tried}`)).rows.length).toBe(1)
    const again = await server.db.pool.query(`delete ${tried} returning attempts < 5 as few, dead_at`)
    expect(again.rows).toEqual([{ few: true, dead_at: null }])
  })
})

test('an event that is stored while the server closes is left for the next start', async () => {
  let reads = 0
  const deps = {
    ...server.deps,
    get stripe() {
      reads++
      return server.deps.stripe
    },
  }
  const app = Fastify()
  await registerWebhook(app, deps)
  const payload = event()
  const headers = { 'content-type': 'application/json', 'stripe-signature': sign(payload) }
  const client = await server.db.pool.connect()
  try {
    await client.query('begin; lock table stripe_events')
    const answer = app.inject({ method: 'POST', url: '/webhooks/stripe', payload, headers })
    const waits = `select count(*)::int as n from pg_locks where not granted and relation = 'stripe_events'::regclass`
    await expect.poll(async () => (await client.query(waits)).rows[0].n).toBeGreaterThan(0)
    await app.close()
    await client.query('commit')
    expect((await answer).statusCode).toBe(200)
    // By the check of the signature, and by nothing that applies events.
    expect(reads).toBe(1)
  } finally {
    await client.query('rollback')
    client.release()
  }
  const { rows } = await server.db.pool.query('select attempts from stripe_events where id = $1', [
    JSON.parse(payload).id,
  ])
  expect(rows).toEqual([{ attempts: 0 }])
})

test("a checkout of another account's top-up grants nothing", async () => {
  const victim = await startSession(server)
  await victim.call('POST', '/api/billing/credits/topup', { body: { packs: 5 } })
  await person.call('POST', '/api/billing/portal', { body: {} })
  const { rows } = await server.db.pool.query(
    'select (select id from billing_customers where account_id = $1) as customer, (select id from topups where account_id = $2) as topup',
    [await accountOf(server, person), await accountOf(server, victim)],
  )
  const { client } = server.deps.stripe!
  const pack = await server.db.pool.query('select price_id from credit_packs where active')
  const session = await client.checkout.sessions.create({
    mode: 'payment',
    customer: rows[0].customer,
    line_items: [{ price: pack.rows[0].price_id, quantity: 1 }],
    metadata: { finmeter_topup: String(rows[0].topup) },
    success_url: 'https://example.com/',
  })
  await pressCheckout(session.url!, 'pay')
  await settleBilling(server)
  expect(await credits()).toBe(0)
  expect((await victim.call('GET', '/api/billing/credits')).body.data.credits.remaining).toBe(0)
})

test('an event that Stripe lists only later is found, too', async () => {
  server.stripeSandbox!.disturbances.paused = true
  const opened = await person.call('POST', '/api/billing/credits/topup', { body: { packs: 1 } })
  await pressCheckout(opened.body.data.url, 'pay')
  // Half an hour ago, everything up to now was looked for.
  await server.db.pool.query(`update billing_settings set events_until = app_now() + interval '30 minutes'`)
  expect(await findMissedEvents(server.deps)).toBeGreaterThan(0)
  server.stripeSandbox!.disturbances.paused = false
  await settleBilling(server)
  const { rows } = await server.db.pool.query('select status from topups where account_id = $1', [
    await accountOf(server, person),
  ])
  expect(rows).toEqual([{ status: 'paid' }])
})

test('a second trial that begins at Stripe gives no credits', async () => {
  const { Pro } = await plansByName(person)
  await buyPlan(server, person, Pro, { trial: true })
  const { subscription } = await get('/api/billing/subscription')
  const { client } = server.deps.stripe!
  const { customer } = await client.subscriptions.cancel(subscription.id)
  await settleBilling(server)
  const left = await credits()
  await client.subscriptions.create({
    customer: customer as string,
    items: [{ price: Pro!.priceId }],
    trial_period_days: 14,
  })
  await settleBilling(server)
  expect((await get('/api/billing/subscription')).subscription.status).toBe('active')
  expect(await credits()).toBe(left)
})

test('a payment that is heard of after the end of its subscription gives credits until the end of the paid month', async () => {
  const { Pro } = await plansByName(person)
  server.stripeSandbox!.disturbances.paused = true
  const opened = await person.call('POST', '/api/billing/checkout', { body: { priceId: Pro?.priceId, trial: false } })
  await pressCheckout(opened.body.data.url, 'pay')
  const accountId = await accountOf(server, person)
  const customers = await server.db.pool.query('select id from billing_customers where account_id = $1', [accountId])
  const { stripe, db } = server.deps
  const [bought] = (await stripe!.client.subscriptions.list({ customer: customers.rows[0].id })).data
  await stripe!.client.subscriptions.cancel(bought!.id)
  await transactInLease(db, 'test', async (tx) => {
    const ctx = { ...server.deps, stripe: stripe!, tx }
    await applySubscription(ctx, bought!.id)
    await applyInvoice(ctx, bought!.latest_invoice as string)
  })
  const { rows } = await server.db.pool.query('select expires_at from credit_grants where account_id = $1', [accountId])
  expect(rows).toEqual([{ expires_at: new Date(bought!.items.data[0]!.current_period_end * 1000) }])
  server.stripeSandbox!.disturbances.paused = false
  await settleBilling(server)
})

test('managers get one mail before a trial ends', async () => {
  const plans = await plansByName(person)
  await buyPlan(server, person, plans.Pro, { trial: true })
  await passTime(server, 12 * 86_400)
  const subjects = () => server.mailbox!.list(person.email).map(({ subject }) => subject)
  await expect.poll(subjects).toEqual(['Your trial ends soon'])
})
