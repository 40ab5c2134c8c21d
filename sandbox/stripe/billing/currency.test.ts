import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { customerWith, seconds } from '../testing/harness.ts'
import { bench, plans, shareBench, stripe } from '../testing/shared-bench.ts'
import { exponentOf, money, multiply, prorate } from './money.ts'

shareBench()

const urls = { success_url: 'https://shop.test/done', cancel_url: 'https://shop.test/back' }
/** Pro at $19, 18 euros or 2,900 yen a month. */
const world = () =>
  stripe.prices.create({
    product: plans.pro.product as string,
    currency: 'usd',
    unit_amount: 1900,
    tax_behavior: 'exclusive',
    recurring: { interval: 'month' },
    currency_options: { eur: { unit_amount: 1800, tax_behavior: 'inclusive' }, jpy: { unit_amount: 2900 } },
    expand: ['currency_options'],
  })

describe('a price in several currencies', () => {
  it('shows its amounts only when they are asked for, and takes more', async () => {
    const made = await world()
    expect(made.currency_options).toMatchObject({
      usd: { unit_amount: 1900, tax_behavior: 'exclusive', custom_unit_amount: null },
      eur: { unit_amount: 1800, tax_behavior: 'inclusive' },
      jpy: { unit_amount: 2900, tax_behavior: 'unspecified' },
    })
    expect(await stripe.prices.retrieve(made.id)).not.toHaveProperty('currency_options')
    await stripe.prices.update(made.id, {
      currency_options: { gbp: { unit_amount: 1700 }, jpy: { unit_amount: 3000 } },
    })
    const changed = await stripe.prices.retrieve(made.id, { expand: ['currency_options'] })
    expect(Object.entries(changed.currency_options ?? {}).map(([name, one]) => [name, one.unit_amount])).toEqual(
      expect.arrayContaining([
        ['eur', 1800],
        ['gbp', 1700],
        ['jpy', 3000],
        ['usd', 1900],
      ]),
    )
    const bare = await stripe.prices.update(made.id, { currency_options: '', expand: ['currency_options'] })
    expect(Object.keys(bare.currency_options ?? {})).toEqual(['usd'])
    await expect(
      stripe.prices.update(made.id, { currency_options: { usd: { unit_amount: 1 } } }),
    ).rejects.toMatchObject({ param: 'currency_options[usd]' })
    await expect(
      stripe.prices.create({
        product: made.product as string,
        currency: 'usd',
        unit_amount: 1,
        currency_options: { eur: { tax_behavior: 'exclusive' } },
      }),
    ).rejects.toMatchObject({ code: 'parameter_missing' })
  })

  it('keeps a tax behavior once it is set', async () => {
    const made = await world()
    for (const change of [
      { tax_behavior: 'inclusive' },
      { tax_behavior: 'unspecified' },
      { currency_options: { eur: { unit_amount: 1800, tax_behavior: 'exclusive' } } },
    ] as Stripe.PriceUpdateParams[])
      await expect(stripe.prices.update(made.id, change)).rejects.toMatchObject({ param: 'tax_behavior' })
    await stripe.prices.update(made.id, { tax_behavior: 'exclusive', nickname: 'same' })
    const open = await stripe.prices.create({ product: made.product as string, currency: 'usd', unit_amount: 100 })
    expect((await stripe.prices.update(open.id, { tax_behavior: 'inclusive' })).tax_behavior).toBe('inclusive')
  })

  it('is billed in the currency of the subscription, and prorated in it', async () => {
    const price = await world()
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: seconds('2026-11-01T00:00:00Z') })
    const customer = await customerWith(stripe, 'pm_card_visa', { test_clock: clock.id })
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      currency: 'eur',
      items: [{ price: price.id }],
    })
    const invoices = async () => (await stripe.invoices.list({ customer: customer.id })).data
    expect([subscription.currency, subscription.items.data[0]?.price.currency]).toEqual(['eur', 'usd'])
    expect((await invoices()).map((one) => [one.currency, one.total, one.lines.data[0]?.description])).toEqual([
      ['eur', 1800, '1 × Pro (at €18.00 / month)'],
    ])
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: seconds('2026-11-16T00:00:00Z') })
    const item = subscription.items.data[0]?.id as string
    await expect(
      stripe.subscriptions.update(subscription.id, { items: [{ id: item, price: plans.max.id }] }),
    ).rejects.toMatchObject({
      param: 'items[0][price]',
      message: "The price specified supports currencies of `usd` which doesn't include the expected currency of `eur`.",
    })
    await stripe.subscriptions.update(subscription.id, {
      items: [{ id: item, quantity: 2 }],
      proration_behavior: 'always_invoice',
    })
    expect((await invoices())[0]?.lines.data.map((line) => [line.currency, line.amount])).toEqual([
      ['eur', -900],
      ['eur', 1800],
    ])
  })

  it('is sold at checkout in the currency that is asked for', async () => {
    const price = await world()
    const line_items = [{ price: price.id, quantity: 1 }]
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      currency: 'jpy',
      line_items,
      ...urls,
    })
    expect([session.currency, session.amount_total]).toEqual(['jpy', 2900])
    const page = await bench.app.inject({ url: new URL(session.url as string).pathname })
    expect(page.body).toContain('¥2,900')
    const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const payload = new URLSearchParams({ token, outcome: 'pay' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await bench.app.inject({ method: 'POST', url: new URL(session.url as string).pathname, payload, headers })
    const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'invoice'] })
    expect([(done.subscription as Stripe.Subscription).currency, (done.invoice as Stripe.Invoice).total]).toEqual([
      'jpy',
      2900,
    ])
    await expect(
      stripe.checkout.sessions.create({ mode: 'subscription', currency: 'chf', line_items, ...urls }),
    ).rejects.toMatchObject({ statusCode: 400, message: expect.stringContaining('expected currency of `chf`') })
  })
})

describe('a customer', () => {
  it('holds no second currency beside an active subscription', async () => {
    const price = await world()
    const customer = (await customerWith(stripe, 'pm_card_visa')).id
    const items = [{ price: price.id }]
    const first = await stripe.subscriptions.create({ customer, items, currency: 'eur' })
    const refused = { message: expect.stringContaining('You cannot combine currencies on a single customer.') }
    await expect(stripe.subscriptions.create({ customer, items })).rejects.toMatchObject(refused)
    await expect(
      stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        line_items: [{ price: price.id, quantity: 1 }],
        ...urls,
      }),
    ).rejects.toMatchObject(refused)
    await expect(stripe.invoiceItems.create({ customer, amount: 100, currency: 'usd' })).rejects.toMatchObject(refused)
    await stripe.subscriptions.cancel(first.id)
    expect((await stripe.subscriptions.create({ customer, items })).currency).toBe('usd')
  })

  it('keeps a balance for each currency', async () => {
    const customer = (await customerWith(stripe, 'pm_card_visa')).id
    const pay = async (currency: string, amount: number) => {
      const invoice = (await stripe.invoices.create({ customer, currency })).id as string
      await stripe.invoiceItems.create({ customer, invoice, amount, currency })
      return (await stripe.invoices.finalizeInvoice(invoice)).amount_due
    }
    expect([await pay('eur', -500), await pay('usd', 700), await pay('eur', 700)]).toEqual([0, 700, 200])
    const invoice = (await stripe.invoices.create({ customer, currency: 'eur' })).id as string
    await expect(stripe.invoiceItems.create({ customer, invoice, amount: 5, currency: 'usd' })).rejects.toMatchObject({
      param: 'currency',
    })
    expect((await stripe.invoiceItems.create({ customer, invoice, amount: 5 })).currency).toBe('eur')
    expect((await stripe.invoices.create({ customer })).currency).toBe('eur')
  })
})

describe('amounts', () => {
  it('have the decimals of their currency', () => {
    expect(['usd', 'jpy', 'kwd', 'isk', 'ugx'].map(exponentOf)).toEqual([2, 0, 3, 2, 2])
    expect([money(1900, 'jpy'), money(12_340, 'kwd'), money(0.01, 'usd', true), money(5, 'eur')]).toEqual([
      '¥1,900',
      'KWD\u00a012.340',
      '$0.0001',
      '€0.05',
    ])
    expect([
      multiply('3', 5, 'kwd'),
      multiply('3', 1, 'kwd'),
      prorate(1000, 1, 3, 'kwd'),
      prorate(100, 1, 3, 'jpy'),
    ]).toEqual([20, 0, 330, 33])
  })

  it('end in zero in three-decimal currencies', async () => {
    const product = plans.pro.product as string
    await expect(stripe.prices.create({ product, currency: 'kwd', unit_amount: 1234 })).rejects.toMatchObject({
      param: 'unit_amount',
    })
    expect((await stripe.prices.create({ product, currency: 'kwd', unit_amount: 1230 })).unit_amount).toBe(1230)
    const customer = (await customerWith(stripe, null)).id
    await expect(stripe.invoiceItems.create({ customer, currency: 'kwd', amount: 1234 })).rejects.toMatchObject({
      param: 'amount',
    })
  })
})
