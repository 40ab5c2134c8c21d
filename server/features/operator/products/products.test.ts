import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import {
  buyCredits,
  buyPlan,
  passTime,
  plansByName,
  pressCheckout,
  settleBilling,
} from '../../billing/testing/billing.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'
import { publishChange } from '../testing/products.ts'
import { runProductJobs } from './run-product-jobs.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const { client } = server.deps.stripe!
const owner = await openConsole(server, 'owner')
const finance = await openConsole(server, 'finance')

const read = async (id: string) => (await owner.call('GET', `/products/${id}`)).body.data.product
const entry = async (id: string) =>
  (await owner.call('GET', '/products')).body.data.products.find((one: { id: string }) => one.id === id)
const run = () => runProductJobs(server.deps)
const pro = {
  kind: 'plan',
  name: 'Pro',
  description: 'For products and agents that run every day.',
  currency: 'usd',
  features: ['100,000 requests per month', 'REST API and MCP server', '1,200 requests per minute', 'Priority support'],
  price_cents: 1900,
  interval: 'month',
  yearly: true,
  credits: 100_000,
  unlimited: false,
  rate_limit_per_minute: 1200,
  trial_days: 14,
}

/** A pack has fewer fields than a plan. */
const packOnly = Object.fromEntries(
  ['features', 'interval', 'yearly', 'unlimited', 'rate_limit_per_minute', 'trial_days'].map((name) => [
    name,
    undefined,
  ]),
)

/** A plan of its own for a test, on sale. Returns its product. */
async function sell(fields: object = {}, operator: TestOperator = owner): Promise<string> {
  const made = await operator.act('/products', { fields: { ...pro, name: randomUUID().slice(0, 8), ...fields } })
  if (made.status !== 200) throw new Error(made.text)
  const { id } = made.body.data.product.product
  const published = await owner.act(`/products/${id}/publish`, { row_version: 1 })
  if (published.status !== 200) throw new Error(published.text)
  await run()
  return id
}

describe('the list', () => {
  test('has the plans, pay-as-you-go and packs of a new installation, with their prices', async () => {
    const { products, mrr, sells, currency } = (await owner.call('GET', '/products')).body.data
    expect([sells, currency, mrr]).toEqual([true, 'usd', [{ currency: 'usd', cents: 0 }]])
    const lines = products.map(({ id, name, state, free, draft, prices }: Record<string, unknown>) => [
      id,
      name,
      state,
      free,
      draft,
      (prices as Record<string, unknown>[]).map((price) => [
        price.price_cents,
        price.unit_cents,
        price.interval,
        price.credits,
      ]),
    ])
    expect(lines).toEqual([
      ['prod_free', 'Free', 'on_sale', true, false, [[0, null, 'month', 1000]]],
      [
        'prod_pro',
        'Pro',
        'on_sale',
        false,
        false,
        [
          [1900, null, 'month', 100_000],
          [18_240, null, 'year', 100_000],
        ],
      ],
      ['prod_payg', 'Pay-as-you-go', 'on_sale', false, false, [[0, '0.01', 'month', 0]]],
      ['prod_credits', '10,000 credits', 'on_sale', false, false, [[200, null, null, 10_000]]],
    ])
    expect((await read('prod_pro')).live).toEqual(pro)
  })

  test('counts customers and recurring revenue without trials, and a year by twelfths', async () => {
    const id = await sell({ price_cents: 1000 })
    const plan = (await plansByName(await startSession(server)))[(await entry(id)).name]!
    const buyers = await Promise.all([1, 2, 3].map(() => startSession(server)))
    await buyPlan(server, buyers[0]!, plan)
    await buyPlan(server, buyers[1]!, plan, { trial: true })
    await buyPlan(server, buyers[2]!, plan, { priceId: plan.annual!.priceId })
    const { subscribers, prices } = await entry(id)
    expect(subscribers).toBe(3)
    expect(prices).toMatchObject([
      { interval: 'month', subscribers: 2, trials: 1, mrr: { usd: 1000 } },
      { interval: 'year', subscribers: 1, trials: 0, mrr: { usd: 800 } },
    ])
    const { rows } = await server.db.pool.query(
      `select count(*)::int as n from subscriptions join plans using (price_id) where product_id = $1 and status = 'active'`,
      [id],
    )
    expect(rows[0].n).toBe(3)
    await server.db.pool.query(
      `update subscriptions set status = 'past_due', past_due_since = app_now() - interval '6 days 23 hours' where price_id = $1`,
      [plan.priceId],
    )
    expect((await entry(id)).subscribers).toBe(3)
    await server.db.pool.query(
      `update subscriptions set past_due_since = app_now() - interval '7 days' where price_id = $1`,
      [plan.priceId],
    )
    expect((await entry(id)).subscribers).toBe(1)
  })
})

describe('prices in other currencies', () => {
  const optionsOf = async (priceId: string) => {
    const { currency_options: options = {} } = await client.prices.retrieve(priceId, { expand: ['currency_options'] })
    return Object.fromEntries(Object.entries(options).map(([currency, { unit_amount }]) => [currency, unit_amount]))
  }

  test('are published with the price, and by the year 20 percent less', async () => {
    const id = await sell({ other_prices: { eur: 1700, jpy: 2900 } })
    const { live, product } = await read(id)
    expect(live.other_prices).toEqual({ eur: 1700, jpy: 2900 })
    const [month, year] = product.prices
    expect(await optionsOf(month.id)).toEqual({ usd: 1900, eur: 1700, jpy: 2900 })
    expect(await optionsOf(year.id)).toEqual({ usd: 18_240, eur: 16_320, jpy: 27_840 })
    const seen = Object.values(await plansByName(await startSession(server))).find((plan) => plan.id === id)!
    expect(seen.prices).toEqual({
      eur: { price: 1700, unit_amount_decimal: '1700', annual: 16_320 },
      jpy: { price: 2900, unit_amount_decimal: '2900', annual: 27_840 },
    })
  })

  test('one that is left out makes a new price without it, and the old one keeps its customers', async () => {
    const id = await sell({ other_prices: { eur: 1700 }, yearly: false })
    const { live, product } = await read(id)
    const { other_prices: _, ...fields } = live
    await owner.act(`/products/${id}/draft`, { fields, row_version: 0 })
    const published = await owner.act(`/products/${id}/publish`, { row_version: 1 })
    expect(published.status).toBe(200)
    await run()
    const now = await read(id)
    expect(now.live).not.toHaveProperty('other_prices')
    expect(now.product.prices[0].id).not.toBe(product.prices[0].id)
    expect(await optionsOf(product.prices[0].id)).toEqual({ usd: 1900, eur: 1700 })
  })

  test('revenue in them is apart from that in dollars', async () => {
    const id = await sell({ other_prices: { eur: 1700 }, price_cents: 7700 })
    const plan = Object.values(await plansByName(await startSession(server))).find((one) => one.id === id)!
    const before = new Map((await owner.call('GET', '/products')).body.data.mrr.map(Object.values))
    const buyer = await startSession(server)
    const opened = await buyer.call('POST', '/api/billing/checkout', {
      body: { priceId: plan.priceId, trial: false, currency: 'eur' },
    })
    await pressCheckout(opened.body.data.url, 'pay')
    await settleBilling(server)
    const after = new Map((await owner.call('GET', '/products')).body.data.mrr.map(Object.values))
    expect([after.get('eur'), after.get('usd')]).toEqual([1700 + Number(before.get('eur') ?? 0), before.get('usd')])
    expect((await entry(id)).prices[0].mrr).toEqual({ eur: 1700 })
  })

  test.each([
    [{ usd: 1700 }, 'fields.other_prices: has usd, which is its own currency'],
    [{ kwd: 1705 }, 'fields.other_prices: must end in 0 in currencies of three decimals'],
    [{ eur: 0 }, 'fields.other_prices.eur: must be at least 1'],
    [{ EUR: 1700 }, 'fields.other_prices: must name currencies such as eur'],
  ])('refuses %j', async (other_prices, text) => {
    const { status, body } = await owner.act('/products', { fields: { ...pro, other_prices } })
    expect([status, body.error]).toEqual([400, text])
  })

  test('a free plan has none', async () => {
    const fields = { ...pro, price_cents: 0, yearly: false, trial_days: 0, other_prices: { eur: 1 } }
    const { status, body } = await owner.act('/products', { fields })
    expect([status, body.error]).toEqual([
      400,
      'fields.other_prices: is not needed: a free plan is free in every currency',
    ])
  })
})

describe('drafts', () => {
  test('finance saves one, which changes nothing that is sold; an owner publishes it', async () => {
    const id = await sell()
    const sold = await read(id)
    const fields = { ...sold.live, description: 'New words.', features: ['One line'] }
    const saved = await finance.act(`/products/${id}/draft`, { fields, row_version: 0 })
    expect(saved.body.data.product).toMatchObject({
      draft: { fields, row_version: 1, edited_by: finance.email, outdated: false },
      product: { draft: true },
    })
    expect((await read(id)).live).toEqual(sold.live)
    expect((await finance.act(`/products/${id}/publish`, { row_version: 1 })).status).toBe(403)
    const published = await owner.act(`/products/${id}/publish`, { row_version: 1 })
    expect(published.status).toBe(200)
    await run()
    const now = await read(id)
    expect([now.draft, now.product.job, now.live]).toEqual([null, null, fields])
    expect(now.versions).toMatchObject([
      { version: 2, fields, published_by: owner.email, reason: 'Asked for by the customer' },
      { version: 1 },
    ])
    // The amount is the same, so the price is.
    expect(now.product.prices.map((price: { id: string }) => price.id)).toEqual(
      sold.product.prices.map((price: { id: string }) => price.id),
    )
    const atStripe = await client.products.retrieve(id)
    expect([atStripe.description, atStripe.marketing_features]).toEqual(['New words.', [{ name: 'One line' }]])
    const { entries } = (await owner.call('GET', '/log')).body.data
    expect(entries[0]).toMatchObject({
      action: 'product.published',
      target: id,
      before: { description: sold.live.description, features: sold.live.features },
      after: { description: 'New words.', features: ['One line'] },
    })
  })

  test('of two operators who edit one, the second gets both versions', async () => {
    const id = await sell()
    const { live } = await read(id)
    const theirs = { ...live, price_cents: 2500 }
    const yours = { ...live, price_cents: 2900 }
    const answers = await Promise.all([
      owner.act(`/products/${id}/draft`, { fields: theirs, row_version: 0 }),
      owner.act(`/products/${id}/draft`, { fields: theirs, row_version: 0 }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const second = await finance.act(`/products/${id}/draft`, { fields: yours, row_version: 0 })
    expect([second.status, second.body]).toEqual([
      409,
      {
        success: false,
        code: 'conflict',
        error: `${owner.email} saved this draft after you opened it. Compare both versions, then save again.`,
        versions: { yours, current: { fields: theirs, row_version: 1, edited_by: owner.email } },
      },
    ])
    expect((await finance.act(`/products/${id}/draft`, { fields: yours, row_version: 1 })).status).toBe(200)
    const stale = await owner.act(`/products/${id}/publish`, { row_version: 1 })
    expect([stale.status, stale.body.versions.current.fields.price_cents]).toEqual([409, 2900])
    expect((await owner.act(`/products/${id}/discard`, { row_version: 1 })).status).toBe(409)
    expect((await owner.act(`/products/${id}/discard`, { row_version: 2 })).body.data).toEqual({ discarded: true })
    expect((await read(id)).draft).toBeNull()
    expect((await owner.act(`/products/${id}/publish`, { row_version: 2 })).status).toBe(404)
  })

  test('two owners publish one draft: one version, and Stripe is told once', async () => {
    const id = await sell()
    await owner.act(`/products/${id}/draft`, {
      fields: { ...(await read(id)).live, price_cents: 2900 },
      row_version: 0,
    })
    const other = await openConsole(server, 'owner')
    const answers = await Promise.all(
      [owner, other].map((one) => one.act(`/products/${id}/publish`, { row_version: 1 })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    await run()
    expect((await read(id)).versions).toHaveLength(2)
    const prices = await client.prices.list({ product: id, limit: 100 })
    expect(prices.data.filter(({ unit_amount }) => unit_amount === 2900)).toHaveLength(1)
  })

  test('a repeated request is one act', async () => {
    const actId = randomUUID()
    const fields = { ...pro, name: 'Once' }
    const [one, again] = [
      await owner.act('/products', { fields }, actId),
      await owner.act('/products', { fields }, actId),
    ]
    expect(again.body.data.product.product.id).toBe(one.body.data.product.product.id)
    const { products } = (await owner.call('GET', '/products')).body.data
    expect(products.filter(({ name }: { name: string }) => name === 'Once')).toMatchObject([
      { state: 'new', draft: true },
    ])
  })

  test('what a product cannot be is refused with what to do', async () => {
    const save = async (id: string, change: object) => {
      const { live } = await read(id)
      const { status, body } = await owner.act(`/products/${id}/draft`, {
        fields: { ...live, ...change },
        row_version: 0,
      })
      return [status, body.error]
    }
    expect(await save('prod_free', { price_cents: 900 })).toEqual([
      400,
      'price_cents: a free plan stays free. Create a new plan and archive this one',
    ])
    expect(await save('prod_pro', { price_cents: 0, trial_days: 0, yearly: false })).toEqual([
      400,
      'price_cents: a paid plan stays paid. Create a new plan and archive this one',
    ])
    expect(await save('prod_pro', { currency: 'eur' })).toEqual([400, 'currency: this product is sold in usd'])
    expect(await save('prod_free', { trial_days: 14 })).toEqual([
      400,
      'fields.trial_days: must be 0: a free plan has no trial',
    ])
    expect(await save('prod_pro', { price_cents: 49 })).toEqual([
      400,
      'fields.price_cents: must be 0, or at least 50 cents',
    ])
    expect(await save('prod_payg', { unit_cents: '0.00' })).toEqual([400, 'fields.unit_cents: must be more than 0'])
    const missing = await owner.act('/products/prod_none/draft', { fields: pro, row_version: 0 })
    expect(missing.status).toBe(404)
    expect((await owner.call('GET', '/products/prod_none')).status).toBe(404)
    const payg = await owner.act('/products', { fields: (await read('prod_payg')).live })
    expect(payg.status).toBe(400)
    const same = await sell()
    await owner.act(`/products/${same}/draft`, { fields: (await read(same)).live, row_version: 0 })
    const nothing = await owner.act(`/products/${same}/publish`, { row_version: 1 })
    expect([nothing.status, nothing.body.error]).toEqual([400, 'This draft changes nothing.'])
  })

  test('a product that was changed at Stripe meanwhile is not overwritten', async () => {
    const id = await sell()
    await owner.act(`/products/${id}/draft`, {
      fields: { ...(await read(id)).live, price_cents: 2900 },
      row_version: 0,
    })
    await client.products.update(id, { description: 'Written at Stripe' })
    await settleBilling(server)
    expect((await read(id)).draft.outdated).toBe(true)
    const refused = await owner.act(`/products/${id}/publish`, { row_version: 1 })
    expect([refused.status, refused.body.versions.current.description]).toEqual([409, 'Written at Stripe'])
  })
})

describe('a new price', () => {
  test('of pay-as-you-go is counted by the same meter, and a pack has one, too', async () => {
    expect((await publishChange(owner, 'prod_payg', { unit_cents: '0.025' })).status).toBe(200)
    expect((await publishChange(owner, 'prod_credits', { price_cents: 300 })).status).toBe(200)
    await run()
    const [payg] = (await entry('prod_payg')).prices
    const price = await client.prices.retrieve(payg.id)
    const meters = await client.billing.meters.list({ limit: 100 })
    expect([payg.unit_cents, price.recurring?.meter, meters.data.length]).toEqual(['0.025', meters.data[0]!.id, 1])
    const buyer = await startSession(server)
    await buyCredits(server, buyer, 2)
    const [invoice] = (await buyer.call('GET', '/billing/invoices')).body.data
    expect(invoice.amount).toBe(600)
  })

  test('a second pack is made, and only the cheapest is on sale', async () => {
    const id = await sell({ kind: 'pack', price_cents: 50, credits: 1_000, ...packOnly })
    expect([(await entry(id)).state, (await entry('prod_credits')).state]).toEqual(['on_sale', 'unsold'])
    expect((await owner.act(`/products/${id}/archive`)).status).toBe(200)
    await run()
    expect([(await entry(id)).state, (await entry('prod_credits')).state]).toEqual(['archived', 'on_sale'])
  })

  // Last: the console's sessions end as time passes.
  test('is paid by new customers; those of the old one keep price and credits, also after their renewal', async () => {
    const id = await sell({ price_cents: 1000, credits: 5_000 })
    const { name } = await entry(id)
    const [old, young] = [await startSession(server), await startSession(server)]
    await buyPlan(server, old, (await plansByName(old))[name])
    expect((await publishChange(owner, id, { price_cents: 1500, credits: 9_000 })).status).toBe(200)
    await run()
    await buyPlan(server, young, (await plansByName(young))[name])
    const held = async (person: typeof old) =>
      (await person.call('GET', '/api/billing/subscription')).body.data.subscription.plan
    expect([(await held(old)).amount, (await held(young)).amount]).toEqual([1000, 1500])
    const { prices, subscribers } = await entry(id)
    expect(subscribers).toBe(2)
    expect(prices.map(({ mrr }: { mrr: unknown }) => mrr)).toEqual([{ usd: 1500 }, {}, { usd: 1000 }])
    expect(prices).toMatchObject([
      { price_cents: 1500, on_sale: true, subscribers: 1, credits: 9_000 },
      { price_cents: 14_400, on_sale: true, subscribers: 0, interval: 'year' },
      { price_cents: 1000, on_sale: false, subscribers: 1, credits: 5_000 },
    ])
    const active = await client.prices.list({ product: id, active: true })
    expect(active.data.map(({ unit_amount }) => unit_amount).sort()).toEqual([14_400, 1500])
    await passTime(server, 32 * 86_400)
    const { credits } = (await old.call('GET', '/api/billing/credits')).body.data
    expect([(await held(old)).amount, credits.remaining]).toEqual([1000, 5_000])
    const [invoice] = (await old.call('GET', '/billing/invoices')).body.data
    expect(invoice).toMatchObject({ amount: 1000, status: 'paid' })
    // What is kept of it here can be made again from Stripe.
    const retired = await client.prices.retrieve(prices[2].id)
    expect([retired.active, retired.metadata.credits]).toEqual([false, '5000'])
  })
})
