import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { syncCatalog } from '../../plans/sync-catalog.ts'
import { refundInvoice } from '../../refunds/refund-invoice.ts'
import type { Scenario } from './plans.ts'
import { DAY, HOUR, type World } from './world.ts'

/** Amounts of the seeded prices in other currencies, by product. The pack is not sold in yen, Pro's year only in euros. */
const others: Record<string, Record<string, { unit_amount?: number; unit_amount_decimal?: string }>> = {
  Pro: { eur: { unit_amount: 1_700 }, jpy: { unit_amount: 2_900 } },
  year: { eur: { unit_amount: 16_320 }, jpy: { unit_amount: 2_900 } },
  'Pay-as-you-go': {
    jpy: { unit_amount_decimal: '0.02' },
    kwd: { unit_amount_decimal: '0.5' },
    eur: { unit_amount_decimal: '0.01' },
  },
  pack: { eur: { unit_amount: 180 } },
}

/** Runs a story with a catalog of several currencies, and takes them away again. */
const inCurrencies =
  (story: Scenario): Scenario =>
  async (world) => {
    const { stripe, server, plans } = world
    const { data } = await stripe.products.list({ limit: 100 })
    const packId = data.find(({ metadata }) => metadata.type === 'credits')!.default_price as string
    const ids = {
      Pro: plans.Pro!.priceId,
      year: plans.Pro!.annual!.priceId,
      'Pay-as-you-go': plans['Pay-as-you-go']!.priceId,
      pack: packId,
    }
    const set = async (options: typeof others, minimums: Record<string, string>) => {
      for (const [name, id] of Object.entries(ids))
        await stripe.prices.update(id, { currency_options: (options[name] ?? '') as never })
      await stripe.products.update(plans['Pay-as-you-go']!.productId, { metadata: minimums })
      await syncCatalog(server.deps)
    }
    await set(others, { minimum_jpy: '150', minimum_kwd: '300' })
    try {
      await story(world)
    } finally {
      await set({}, { minimum_jpy: '', minimum_kwd: '' })
    }
  }

const post = (world: World, path: string, body: object) => world.person.call('POST', `/api/billing/${path}`, { body })

async function pay(world: World, path: string, body: object, card?: string): Promise<void> {
  const opened = await post(world, path, body)
  if (opened.status !== 200) throw new Error(opened.text)
  const paid = await world.press(opened.body.data.url, 'pay', card)
  if (paid.location === null) throw new Error(`the checkout page kept the buyer: ${paid.text}`)
  await world.settle()
}
const buy = (world: World, plan: string, currency: string) =>
  pay(world, 'checkout', { priceId: world.plans[plan]!.priceId, trial: false, currency })

const refused = async (world: World, path: string, body: object) => {
  const { status, body: answer } = await post(world, path, body)
  return [status, answer.code, answer.error]
}
const amounts = async (world: World) =>
  (await world.invoices()).map(({ amount, currency, status }) => `${amount} ${currency} ${status}`).sort()
const live = async (world: World) => {
  const { data } = await world.stripe.subscriptions.list({ customer: await world.customer() })
  return data.map(({ currency, status }) => `${status} ${currency}`)
}
const ledger = async (world: World) => {
  const { rows } = await world.server.db.pool.query(
    'select cause, currency, sum(cents)::int as cents from money_ledger where account_id = $1 group by 1, 2 order by 1, 2',
    [await world.account()],
  )
  return rows.map(({ cause, currency, cents }) => `${cause} ${cents} ${currency}`)
}
const cancel = async (world: World) => {
  await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
  await world.endPeriod()
  expect(await world.subscription()).toBeNull()
}

/** Stories of prices in several currencies. */
export const currencyScenarios: Record<string, Scenario> = {
  'a plan in euros: the free plan follows, and its month goes on': inCurrencies(async (world) => {
    await world.redeemFree()
    const { current_period_end: end } = await world.subscription()
    await world.spend(300)
    const opened = await post(world, 'checkout', { priceId: world.plans.Pro!.priceId, trial: false, currency: 'eur' })
    await world.settle()
    expect(await live(world)).toEqual(['active eur'])
    expect(await world.subscription()).toMatchObject({ plan_type: 'free', currency: 'eur', current_period_end: end })
    expect(await world.credits()).toBe(700)
    await world.press(opened.body.data.url, 'pay')
    await world.settle()
    expect(await live(world)).toEqual(['active eur'])
    expect(await world.subscription()).toMatchObject({
      currency: 'eur',
      plan: { name: 'Pro', amount: 1_700, currency: 'eur' },
    })
    expect(await world.credits()).toBe(100_700)
    await world.endPeriod()
    expect(await amounts(world)).toEqual(['1700 eur paid', '1700 eur paid'])
    expect(await ledger(world)).toEqual(['payment 3400 eur'])
  }),
  'with a plan in euros everything is in euros, and another currency is refused with the way out': inCurrencies(
    async (world) => {
      await buy(world, 'Pro', 'eur')
      const wayOut =
        'Pro is billed in EUR, and so is everything else. To pay in another currency, cancel Pro under Manage Billing. Once it has ended, you can choose one.'
      expect(await refused(world, 'credits/topup', { packs: 1, currency: 'usd' })).toEqual([409, 'conflict', wayOut])
      const payg = world.plans['Pay-as-you-go']!.priceId
      expect(await refused(world, 'checkout', { priceId: payg, currency: 'jpy' })).toEqual([409, 'conflict', wayOut])
      await pay(world, 'credits/topup', { packs: 2 })
      expect(await amounts(world)).toEqual(['1700 eur paid', '360 eur paid'])
      expect(await world.credits()).toBe(120_000)
    },
  ),
  'a price that is missing is refused, and nothing is begun': inCurrencies(async (world) => {
    const pro = world.plans.Pro!.priceId
    expect(await refused(world, 'credits/topup', { packs: 1, currency: 'jpy' })).toEqual([
      400,
      'invalid_parameter',
      'currency: 10,000 credits is not sold in JPY. Choose USD or EUR.',
    ])
    expect((await refused(world, 'checkout', { priceId: pro, currency: 'gbp' }))[2]).toBe(
      'currency: Pro is not sold in GBP. Choose USD, EUR or JPY.',
    )
    // A year that is not twelve months less 20 percent is not offered, but its price is known.
    const { plans } = await world.get('/api/billing/plans')
    const pricesOf = (name: string) => plans.find((plan: { name: string }) => plan.name === name).prices
    expect(pricesOf('Pro')).toEqual({
      eur: { price: 1_700, unit_amount_decimal: '1700', annual: 16_320 },
      jpy: { price: 2_900, unit_amount_decimal: '2900' },
    })
    // Without a minimum in euros, pay-as-you-go is not sold in them.
    expect(Object.keys(pricesOf('Pay-as-you-go'))).toEqual(['jpy', 'kwd'])
    const { rows } = await world.server.db.pool.query(
      'select (select count(*) from checkouts)::int + (select count(*) from topups)::int as begun',
    )
    expect(rows[0].begun).toBe(0)
  }),
  'while something in another currency waits at Stripe, a purchase is refused, and later it succeeds': inCurrencies(
    async (world) => {
      await pay(world, 'credits/topup', { packs: 1 })
      const customer = await world.customer()
      await world.stripe.invoiceItems.create({ customer, amount: 100, currency: 'usd' })
      const wanted = { priceId: world.plans.Pro!.priceId, trial: false, currency: 'eur' }
      expect(await refused(world, 'checkout', wanted)).toEqual([
        409,
        'conflict',
        'An earlier invoice in another currency is not finished yet. Nothing was charged. Try again in a few hours, or pay in that currency.',
      ])
      const billed = await world.stripe.invoices.create({
        customer,
        pending_invoice_items_behavior: 'include',
        auto_advance: false,
      })
      await world.stripe.invoices.finalizeInvoice(billed.id!)
      await world.stripe.invoices.voidInvoice(billed.id!)
      await buy(world, 'Pro', 'eur')
      expect(await amounts(world)).toEqual(['100 usd void', '1700 eur paid', '200 usd paid'])
    },
  ),
  'two pages in two currencies at once: one plan is bought, and one price is paid': inCurrencies(async (world) => {
    const priceId = world.plans.Pro!.priceId
    const opened = await Promise.all(
      ['eur', 'jpy'].map((currency) => post(world, 'checkout', { priceId, trial: false, currency })),
    )
    expect(opened.map(({ status }) => status)).toEqual([200, 200])
    await Promise.all(opened.map(({ body }) => world.press(body.data.url, 'pay')))
    await world.settle()
    expect(await live(world)).toHaveLength(1)
    expect(await amounts(world)).toHaveLength(1)
    expect(await world.credits()).toBe(100_000)
    const { currency } = await world.subscription()
    expect(await amounts(world)).toEqual([currency === 'eur' ? '1700 eur paid' : '2900 jpy paid'])
  }),
  'an account changes its currency after its plan has ended; the old consent charges nothing': inCurrencies(
    async (world) => {
      await buy(world, 'Pro', 'eur')
      await post(world, 'credits/auto-topup', { enabled: true, threshold: 200_000, packs: 1, monthlyCapCents: 180 })
      await world.pass(60)
      expect(await amounts(world)).toEqual(['1700 eur paid', '180 eur paid'])
      expect((await world.get('/api/billing/credits/topup')).autoTopup).toMatchObject({
        currency: 'eur',
        suspended: null,
      })
      await cancel(world)
      const paid = await amounts(world)
      await buy(world, 'Pro', 'usd')
      await world.pass(HOUR)
      expect(await amounts(world)).toEqual([...paid, '1900 usd paid'].sort())
      expect((await world.get('/api/billing/credits/topup')).autoTopup.suspended).toBe('currency_changed')
      expect((await world.get('/api/billing/plans')).currency).toBe('usd')
      expect((await ledger(world)).map((line) => line.split(' ').at(-1))).toEqual(['eur', 'usd'])
      await post(world, 'credits/auto-topup', { enabled: true, threshold: 200_000, packs: 1, monthlyCapCents: 200 })
      await world.pass(HOUR)
      expect(await amounts(world)).toContain('200 usd paid')
    },
  ),
  'automatic top-ups stop when the pack loses the currency, and nothing is charged': inCurrencies(async (world) => {
    await pay(world, 'credits/topup', { packs: 1, saveCard: true, currency: 'eur' })
    await post(world, 'credits/auto-topup', { enabled: true, threshold: 20_000 })
    const { rows } = await world.server.db.pool.query('select price_id from credit_packs where active')
    await world.stripe.prices.update(rows[0].price_id, { currency_options: '' })
    await syncCatalog(world.server.deps)
    await world.pass(60)
    expect(await amounts(world)).toEqual(['180 eur paid'])
    expect((await world.get('/api/billing/credits/topup')).autoTopup.suspended).toBe('no_price')
    expect(await refused(world, 'credits/topup', { packs: 1 })).toEqual([200, undefined, undefined])
  }),
  'pay-as-you-go in yen: a month costs its minimum in yen, and the cap counts yen': inCurrencies(async (world) => {
    await buy(world, 'Pay-as-you-go', 'jpy')
    await world.person.call('PUT', '/api/billing/preferences', { body: { spendCapCents: 200 } })
    expect(await world.get('/api/billing/preferences')).toMatchObject({ spendCapCents: 200, spendCapCurrency: 'jpy' })
    expect(await world.spend(10_001)).toBe('insufficient_credits')
    await world.spend(10_000)
    expect(await world.get('/api/billing/upcoming-invoice')).toMatchObject({
      upcoming: { amount: 200, currency: 'jpy', lines: [{ amount: 200 }] },
    })
    await world.endPeriod()
    await world.endPeriod()
    expect(await amounts(world)).toEqual(['150 jpy paid', '200 jpy paid'])
  }),
  'pay-as-you-go in a currency of three decimals is billed in tens': inCurrencies(async (world) => {
    await buy(world, 'Pay-as-you-go', 'kwd')
    await world.spend(1_029)
    await world.endPeriod()
    expect(await amounts(world)).toEqual(['510 kwd paid'])
  }),
  'a cap in another currency pays for nothing until it is set again': inCurrencies(async (world) => {
    await world.person.call('PUT', '/api/billing/preferences', { body: { spendCapCents: 5_000 } })
    expect(await world.get('/api/billing/preferences')).toMatchObject({ spendCapCurrency: 'usd' })
    await buy(world, 'Pay-as-you-go', 'jpy')
    expect(await world.spend(1)).toBe('insufficient_credits')
    await world.person.call('PUT', '/api/billing/preferences', { body: { spendCapCents: 5_000 } })
    expect(await world.spend(1)).toBe('charged')
  }),
  'a refund in euros is booked in euros': inCurrencies(async (world) => {
    await pay(world, 'credits/topup', { packs: 2, currency: 'eur' })
    const [invoice] = await world.invoices()
    await refundInvoice(world.server.deps, {
      actId: randomUUID(),
      invoiceId: invoice!.id,
      cents: 180,
      operator: 'test',
    })
    await world.settle()
    expect(await ledger(world)).toEqual(['payment 360 eur', 'refund -180 eur'])
    expect(await world.credits()).toBe(10_000)
    await world.pass(DAY)
  }),
}
