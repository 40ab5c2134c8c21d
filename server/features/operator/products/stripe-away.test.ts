import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { syncCatalog } from '../../billing/plans/sync-catalog.ts'
import type { StripeAccess } from '../../billing/stripe/client.ts'
import { buyPlan, plansByName, pressCheckout, settleBilling } from '../../billing/testing/billing.ts'
import { openConsole } from '../testing/console.ts'
import { publishChange, unsteadyStripe } from '../testing/products.ts'
import { runProductJobs } from './run-product-jobs.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const steady = server.deps.stripe!
const { client } = steady
const owner = await openConsole(server, 'owner')
const { pool } = server.db

const read = async (id: string) => (await owner.call('GET', `/products/${id}`)).body.data.product
const use = (stripe: StripeAccess) => {
  server.deps.stripe = stripe
}
afterEach(() => use(steady))

/** Jobs that wait for their next attempt are due now. */
const run = async (stripe = steady) => {
  await pool.query('update product_jobs set next_attempt_at = app_now() where done_at is null')
  return runProductJobs({ ...server.deps, stripe })
}
const job = async (id: string) =>
  (
    await pool.query(
      `select kind, attempts, error, done_at, failed_at from product_jobs where product_id = $1 order by id`,
      [id],
    )
  ).rows

/** Waits until the server itself has tried, after a request: it would put off what a test then runs. */
const tried = (id: string) =>
  expect
    .poll(async () => {
      const { rows } = await pool.query(
        `select from product_jobs where product_id = $1 and done_at is null and failed_at is null
         and next_attempt_at < created_at + interval '0.5 seconds'`,
        [id],
      )
      return rows.length
    })
    .toBe(0)

/**
 * Runs the jobs of a product until all are done. The server's own attempt, for which Stripe is away, may still be under way: a job
 * that it takes fails, and is due again later.
 */
const settle = (id: string, stripe = steady) =>
  expect
    .poll(async () => {
      await run(stripe)
      return (await job(id)).filter(({ done_at }) => done_at === null).length
    })
    .toBe(0)

/** A draft of a new plan. Returns its product. */
async function prepare(fields: object = {}): Promise<string> {
  const made = await owner.act('/products', {
    fields: {
      kind: 'plan',
      name: randomUUID().slice(0, 8),
      description: 'For teams.',
      currency: 'usd',
      features: [],
      price_cents: 4900,
      interval: 'month',
      yearly: true,
      credits: 500_000,
      unlimited: false,
      rate_limit_per_minute: 2400,
      trial_days: 0,
      ...fields,
    },
  })
  return made.body.data.product.product.id
}

async function sell(): Promise<string> {
  const id = await prepare()
  await owner.act(`/products/${id}/publish`, { row_version: 1 })
  await settle(id)
  return id
}

/** What Stripe has of a product. */
async function atStripe(id: string) {
  const products = await client.products.list({ limit: 100 })
  const prices = await client.prices.list({ product: id, limit: 100 })
  return {
    products: products.data.filter((one) => one.id === id).length,
    prices: prices.data.map(({ unit_amount, active }) => `${unit_amount} ${active ? 'active' : 'archived'}`).sort(),
  }
}

test('published while Stripe is down: the draft stays, the job retries, and then there is one product and one price of each kind', async () => {
  const id = await prepare()
  use(unsteadyStripe(server, () => false))
  const published = await owner.act(`/products/${id}/publish`, { row_version: 1 })
  expect(published.status).toBe(200)
  await tried(id)
  for (let attempt = 0; attempt < 2; attempt++) expect(await run(unsteadyStripe(server, () => false))).toBe(0)
  const waiting = await read(id)
  expect(waiting).toMatchObject({
    product: { state: 'new', draft: true, job: { kind: 'publish', failed: false, error: 'Stripe did not answer.' } },
    live: null,
    draft: { row_version: 1 },
  })
  expect(waiting.product.job.attempts).toBeGreaterThan(1)
  const edited = await owner.act(`/products/${id}/draft`, { fields: waiting.draft.fields, row_version: 1 })
  expect([edited.status, edited.body.error]).toEqual([
    409,
    'This product is being published. Change it after the payment provider has confirmed that.',
  ])
  expect(await atStripe(id)).toEqual({ products: 0, prices: [] })
  await settle(id)
  expect(await run()).toBe(0)
  expect(await atStripe(id)).toEqual({ products: 1, prices: ['47040 active', '4900 active'] })
  expect(await read(id)).toMatchObject({ product: { state: 'on_sale', draft: false, job: null }, draft: null })
  const { rows } = await pool.query(
    'select active, price_cents from plans where product_id = $1 order by price_cents',
    [id],
  )
  expect(rows).toEqual([
    { active: true, price_cents: 4900 },
    { active: true, price_cents: 47_040 },
  ])
})

test('whichever answer is lost on the way, a repeat ends with one product, its new prices, and the old ones archived', async () => {
  // How many requests a change makes, so that each of them is once the first without an answer.
  const count = async (id: string) => {
    let asked = 0
    await publishChange(owner, id, { price_cents: 5900 })
    await settle(
      id,
      unsteadyStripe(server, () => ++asked > 0),
    )
    return asked
  }
  use(unsteadyStripe(server, () => false))
  const requests = await count(await sell())
  expect(requests).toBeGreaterThan(8)
  for (let broken = 1; broken <= requests; broken++) {
    const id = await sell()
    await publishChange(owner, id, { price_cents: 5900 })
    await tried(id)
    let asked = 0
    // A request is sent twice before it counts as lost.
    await run(unsteadyStripe(server, () => ++asked < broken))
    const between = await pool.query('select price_cents from plans where product_id = $1 and active and listed', [id])
    expect([4900, 5900]).toContain(between.rows[0].price_cents)
    await settle(id)
    expect([broken, await atStripe(id)]).toEqual([
      broken,
      { products: 1, prices: ['47040 archived', '4900 archived', '56640 active', '5900 active'] },
    ])
    expect((await read(id)).draft).toBeNull()
  }
}, 600_000)

test('what Stripe refuses is not tried again: the draft can be mended', async () => {
  const id = await prepare({ currency: 'usd' })
  await pool.query(`update product_drafts set fields = fields || '{"name": ""}' where product_id = $1`, [id])
  await owner.act(`/products/${id}/publish`, { row_version: 1 })
  await tried(id)
  await run()
  const [refused] = await job(id)
  expect([refused.kind, refused.attempts, refused.failed_at === null]).toEqual(['publish', 1, false])
  const { product, draft } = await read(id)
  expect([product.job.failed, product.state, draft.row_version]).toEqual([true, 'new', 1])
  const mended = await publishChange(owner, id, { name: 'Mended' })
  expect(mended.status).toBe(200)
  await run()
  expect((await read(id)).product).toMatchObject({ state: 'on_sale', name: 'Mended', job: null })
})

test('a plan archived under an open checkout: that one ends as paid at the old price, and no new one starts', async () => {
  const id = await sell()
  const [buyer, late] = [await startSession(server), await startSession(server)]
  const plan = (await plansByName(buyer))[(await read(id)).live.name]!
  const opened = await buyer.call('POST', '/api/billing/checkout', { body: { priceId: plan.priceId, trial: false } })
  expect((await read(id)).open_checkouts).toBe(1)
  use(unsteadyStripe(server, () => false))
  expect((await owner.act(`/products/${id}/archive`)).status).toBe(200)
  await tried(id)
  use(steady)
  for (const _ of ['before Stripe knows', 'and when the catalog is read']) {
    for (const person of [buyer, late]) {
      const refused = await person.call('POST', '/api/billing/checkout', { body: { priceId: plan.priceId } })
      expect([refused.status, refused.body.error]).toEqual([404, 'This plan does not exist.'])
    }
    expect(Object.keys(await plansByName(late))).not.toContain(plan.name)
    await syncCatalog(server.deps)
    await run()
  }
  expect((await client.products.retrieve(id)).active).toBe(true)
  const paid = await pressCheckout(opened.body.data.url, 'pay')
  expect(paid.location).toContain('checkout=success')
  await settleBilling(server)
  const { subscription } = (await buyer.call('GET', '/api/billing/subscription')).body.data
  expect([subscription.status, subscription.plan.amount]).toEqual(['active', 4900])
  expect((await buyer.call('GET', '/api/billing/credits')).body.data.credits.remaining).toBe(500_000)
  expect(await run()).toBe(1)
  expect((await client.products.retrieve(id)).active).toBe(false)
  const { product, live, versions } = await read(id)
  expect([product.state, product.subscribers, product.job, live, versions[0].fields]).toEqual([
    'archived',
    1,
    null,
    null,
    null,
  ])
  expect((await owner.act(`/products/${id}/archive`)).status).toBe(409)
})

test('a checkout that is open while its price is replaced ends as paid at the old price', async () => {
  const id = await sell()
  const buyer = await startSession(server)
  const plan = (await plansByName(buyer))[(await read(id)).live.name]!
  const opened = await buyer.call('POST', '/api/billing/checkout', { body: { priceId: plan.annual!.priceId } })
  await publishChange(owner, id, { price_cents: 6900 })
  await run()
  expect((await client.prices.retrieve(plan.annual!.priceId)).active).toBe(true)
  // Read again, the old yearly price does not come back.
  await syncCatalog(server.deps)
  expect((await plansByName(buyer))[plan.name]).toMatchObject({ price: 6900, annual: { price: 66_240 } })
  await pressCheckout(opened.body.data.url, 'pay')
  await settleBilling(server)
  expect((await buyer.call('GET', '/api/billing/subscription')).body.data.subscription.plan.amount).toBe(47_040)
  await run()
  expect((await client.prices.retrieve(plan.annual!.priceId)).active).toBe(false)
})

test('a price that is sold again before its retirement was due stays', async () => {
  const id = await sell()
  const buyer = await startSession(server)
  const { live } = await read(id)
  const plan = (await plansByName(buyer))[live.name]!
  await buyer.call('POST', '/api/billing/checkout', { body: { priceId: plan.priceId } })
  await publishChange(owner, id, { price_cents: 6900 })
  await run()
  await publishChange(owner, id, { price_cents: 4900 })
  await run()
  expect((await plansByName(buyer))[live.name]).toMatchObject({ priceId: plan.priceId, price: 4900 })
  await buyPlan(server, buyer, plan)
  await run()
  expect((await client.prices.retrieve(plan.priceId)).active).toBe(true)
})

test('an archived product is published again', async () => {
  const id = await sell()
  await owner.act(`/products/${id}/archive`)
  await run()
  const { versions } = await read(id)
  const fields = { ...versions[1].fields, credits: 600_000 }
  await owner.act(`/products/${id}/draft`, { fields, row_version: 0 })
  expect((await owner.act(`/products/${id}/publish`, { row_version: 1 })).status).toBe(200)
  await run()
  expect(await read(id)).toMatchObject({ product: { state: 'on_sale' }, live: fields })
})

test('without a payment provider nothing is published', async () => {
  const id = await prepare()
  server.deps.stripe = null
  const { status, body } = await owner.act(`/products/${id}/publish`, { row_version: 1 })
  expect([status, body.code]).toEqual([503, 'billing_unavailable'])
  expect((await owner.call('GET', '/products')).body.data.sells).toBe(false)
  expect(await job(id)).toEqual([])
})
