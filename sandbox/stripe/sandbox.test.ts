import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { operations } from './api/contract.ts'
import { customerWith, finalInvoice } from './testing/harness.ts'
import { bench, plans, shareBench, stripe } from './testing/shared-bench.ts'

shareBench()

const call = (method: string, path: string, body = '', headers: Record<string, string> = {}) =>
  bench.sandbox.fetch(`https://api.stripe.com${path}`, {
    method,
    headers: { authorization: 'Bearer sk_test_x', ...headers },
    ...(method === 'POST' && { body }),
  })

describe('the API', () => {
  it('serves each of the 61 paths and 93 operations of the contract', async () => {
    expect(new Set(operations.map((operation) => operation.path)).size).toBe(61)
    expect(operations).toHaveLength(93)
    const answers = await Promise.all(
      operations.map((operation) => call(operation.method, operation.path.replace('{id}', 'none'))),
    )
    expect(answers.filter((answer) => answer.status >= 500)).toEqual([])
  })

  it("answers anything else with 404 in Stripe's words, and never leaves /v1/", async () => {
    for (const path of ['/v1/coupons', '/v1/setup_intents']) expect((await call('GET', path)).status).toBe(404)
    await expect(bench.sandbox.fetch('https://api.stripe.com/v2/core/events')).rejects.toThrow('answers only /v1/')
    await expect(stripe.products.retrieve('prod_none')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such product: 'prod_none'",
    })
    await expect(stripe.products.retrieve(plans.pro.id)).rejects.toMatchObject({ statusCode: 404 })
  })

  it('names the wrong parameter', async () => {
    const old = stripe.checkout.sessions.create({ mode: 'payment', payment_method_types: ['card'] } as never)
    await expect(old).rejects.toMatchObject({
      code: 'parameter_unknown',
      message: 'Received unknown parameter: payment_method_types',
    })
    await expect(
      stripe.customers.create({ metadata: { a: 'x'.repeat(501) }, balance: 'much' as never }),
    ).rejects.toMatchObject({ statusCode: 400 })
    await expect(stripe.prices.create({} as never)).rejects.toMatchObject({
      code: 'parameter_missing',
      param: 'currency',
    })
    await expect(stripe.subscriptions.update('sub_x', { billing_cycle_anchor: 'now' } as never)).rejects.toMatchObject({
      statusCode: 400,
      param: 'billing_cycle_anchor',
    })
    await expect(stripe.customers.list({ limit: 101 })).rejects.toMatchObject({ param: 'limit' })
    const line_items = [{ price: plans.pro.id, quantity: 1 }]
    const link = stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items,
      success_url: 'javascript:alert(1)',
    })
    await expect(link).rejects.toMatchObject({ code: 'url_invalid', param: 'success_url' })
    await expect(stripe.customers.create({ email: '' })).rejects.toMatchObject({ code: 'parameter_invalid_empty' })
  })

  it('refuses parameters and values that it would have to ignore', async () => {
    const line_items = [{ price: plans.pro.id, quantity: 1 }]
    const page = { mode: 'subscription', line_items, success_url: 'https://shop.test/' } as const
    await expect(
      stripe.checkout.sessions.create({ ...page, subscription_data: { trial_end: 2_000_000_000 } }),
    ).rejects.toMatchObject({ statusCode: 400, message: 'The sandbox does not serve trial_end.', param: 'trial_end' })
    await expect(
      stripe.subscriptions.update('sub_x', { pause_collection: { behavior: 'void' } }),
    ).rejects.toMatchObject({ statusCode: 400, param: 'pause_collection' })
    for (const payment_behavior of ['pending_if_incomplete', 'default_incomplete'] as const)
      await expect(stripe.subscriptions.update('sub_x', { payment_behavior })).rejects.toMatchObject({
        statusCode: 400,
        param: 'payment_behavior',
      })
    const items = [{ price: plans.pro.id }, { price: plans.max.id }]
    const buyer = (await customerWith(stripe, 'pm_card_visa')).id
    await expect(stripe.subscriptions.create({ customer: buyer, items })).rejects.toMatchObject({
      statusCode: 400,
      param: 'items',
    })
    const { id } = await stripe.subscriptions.create({ customer: buyer, items: items.slice(0, 1) })
    await expect(stripe.subscriptions.update(id, { items: items.slice(1) })).rejects.toMatchObject({ param: 'items' })
    await expect(stripe.subscriptions.update(id, { items: [{ id: 'si_x' }] })).rejects.toMatchObject({
      statusCode: 404,
      param: 'items[0][id]',
    })
    const pausing = { trial_settings: { end_behavior: { missing_payment_method: 'pause' as const } } }
    await expect(stripe.checkout.sessions.create({ ...page, subscription_data: pausing })).rejects.toMatchObject({
      statusCode: 400,
      param: 'missing_payment_method',
    })
    const inline = [{ quantity: 1, price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'x' } } }]
    await expect(
      stripe.checkout.sessions.create({ ...page, mode: 'payment', line_items: inline }),
    ).rejects.toMatchObject({ statusCode: 400, param: 'price_data' })
    await expect(
      stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', success_url: 'https://shop.test/' }),
    ).rejects.toMatchObject({ statusCode: 400, param: 'mode' })
    await expect(
      stripe.checkout.sessions.create({
        ...page,
        line_items: [...line_items, { price: plans.pack.id, quantity: 1 }],
      }),
    ).rejects.toMatchObject({ statusCode: 400, param: 'line_items' })
  })

  it('refuses a missing key, a live key and another API version', async () => {
    expect((await call('GET', '/v1/products', '', { authorization: '' })).status).toBe(401)
    const live = await call('GET', '/v1/products', '', { authorization: 'Bearer sk_live_abc' })
    expect([live.status, (await live.text()).includes('sk_live_abc')]).toEqual([401, false])
    expect((await call('GET', '/v1/products', '', { 'stripe-version': '2020-08-27' })).status).toBe(400)
    expect(stripe.getApiField('version')).toBe('2026-10-28.endive')
  })

  it('repeats the answer for an idempotency key, even concurrently, and refuses other parameters', async () => {
    const send = (name: string) => stripe.products.create({ name }, { idempotencyKey: 'one' })
    const made = await Promise.all([send('Once'), send('Once'), send('Once')])
    expect(new Set(made.map((product) => product.id)).size).toBe(1)
    expect((await stripe.products.list({ limit: 100 })).data.filter((product) => product.name === 'Once')).toHaveLength(
      1,
    )
    await expect(send('Twice')).rejects.toMatchObject({ type: 'StripeIdempotencyError' })
    const broke = await customerWith(stripe, 'pm_card_chargeCustomerFail')
    const invoice = (await finalInvoice(stripe, broke.id, 500)).id as string
    const decline = () => stripe.invoices.pay(invoice, {}, { idempotencyKey: 'two' }).catch((error) => error)
    const errors = await Promise.all([decline(), decline()])
    expect(errors[0].payment_intent.latest_charge).toBe(errors[1].payment_intent.latest_charge)
    expect((await stripe.invoices.retrieve(invoice)).attempt_count).toBe(1)
  })

  it('pages, filters and expands', async () => {
    for (let n = 0; n < 5; n++) await stripe.customers.create({ email: `page${n}@example.test` })
    const seen: string[] = []
    for await (const customer of stripe.customers.list({ limit: 2 })) seen.push(customer.email ?? '')
    expect(seen.slice(0, 5)).toEqual(
      ['page4', 'page3', 'page2', 'page1', 'page0'].map((name) => `${name}@example.test`),
    )
    expect((await stripe.customers.list({ email: 'page3@example.test' })).data).toHaveLength(1)
    const [newest, older] = (await stripe.customers.list({ limit: 2 })).data as [Stripe.Customer, Stripe.Customer]
    expect((await stripe.customers.list({ ending_before: older.id })).data.map((one) => one.id)).toEqual([newest.id])
    const products = await stripe.products.list({ active: true, limit: 100, expand: ['data.default_price'] })
    const payg = await stripe.prices.retrieve(plans.payg.id, { expand: ['product'] })
    expect(products.data.find((product) => product.name === 'Pro')?.default_price).toMatchObject({ unit_amount: 1900 })
    expect([
      payg.unit_amount,
      String(payg.unit_amount_decimal),
      (payg.product as Stripe.Product).metadata.type,
    ]).toEqual([null, '0.01', 'payg'])
    await expect(stripe.products.list({ expand: ['default_price'] })).rejects.toMatchObject({
      message: expect.stringContaining('cannot be expanded'),
    })
    expect(
      (await stripe.prices.list({ recurring: { interval: 'year' }, product: plans.pro.product as string })).data.map(
        (price) => price.id,
      ),
    ).toEqual([plans.proYear.id])
  })

  it('merges metadata, unsets with an empty string, moves lookup keys and deletes customers', async () => {
    const customer = await customerWith(stripe, null, { metadata: { a: '1', b: '2' }, phone: '1' })
    const changed = await stripe.customers.update(customer.id, { metadata: { a: '', c: '3' }, name: 'Grace' })
    expect(changed.metadata).toEqual({ b: '2', c: '3' })
    await stripe.prices.update(plans.pro.id, { lookup_key: 'pro_monthly' })
    await expect(stripe.prices.update(plans.max.id, { lookup_key: 'pro_monthly' })).rejects.toMatchObject({
      statusCode: 400,
    })
    await stripe.prices.update(plans.max.id, { lookup_key: 'pro_monthly', transfer_lookup_key: true })
    expect((await stripe.prices.list({ lookup_keys: ['pro_monthly'] })).data[0]?.id).toBe(plans.max.id)
    await stripe.customers.del(customer.id)
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true })
    await expect(stripe.customers.update(customer.id, { name: 'x' })).rejects.toMatchObject({ statusCode: 404 })
  })

  it('serves the SDK over HTTP', async () => {
    await bench.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = bench.app.server.address() as { port: number }
    const remote = new Stripe('sk_test_http', { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 })
    const customer = await remote.customers.create({ email: 'http@example.test' }, { idempotencyKey: 'http' })
    expect((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).toMatchObject({
      email: 'http@example.test',
    })
  })
})
