import Stripe from 'stripe'
import { afterEach, describe, expect, it } from 'vitest'
import { customerWith, webhookSecret } from '../testing/harness.ts'
import { bench, shareBench, stripe } from '../testing/shared-bench.ts'
import { sign } from './webhooks.ts'

shareBench()
afterEach(() => {
  Object.assign(bench.sandbox.disturbances, {
    paused: false,
    duplicates: 0,
    shuffle: false,
    drop: () => false,
    random: Math.random,
  })
  bench.receiver.status = 200
})

const names = ['a', 'b', 'c', 'd', 'e', 'f']
const make = async () => {
  for (const name of names) await stripe.products.create({ name })
}
const arrived = () => bench.events.map((event) => (event.data.object as Stripe.Product).name)

describe('webhooks', () => {
  it('are signed as the SDK signs; only a fresh signature of the same bytes passes', () => {
    const payload = '{"id":"evt_1"}'
    const now = Math.floor(Date.now() / 1000)
    expect(sign(payload, webhookSecret, now)).toBe(
      stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret, timestamp: now }),
    )
    const verify =
      (text: string, header: string, secret = webhookSecret) =>
      () =>
        stripe.webhooks.constructEvent(text, header, secret)
    expect(verify(payload, sign(payload, webhookSecret, now))).not.toThrow()
    expect(verify(`${payload} `, sign(payload, webhookSecret, now))).toThrow(
      Stripe.errors.StripeSignatureVerificationError,
    )
    expect(verify(payload, sign(payload, webhookSecret, now - 301))).toThrow(
      Stripe.errors.StripeSignatureVerificationError,
    )
    expect(verify(payload, sign(payload, 'whsec_foreign', now))).toThrow(Stripe.errors.StripeSignatureVerificationError)
  })

  it('arrive once and in order, with the API version and what changed', async () => {
    await make()
    await bench.sandbox.flush()
    expect(arrived()).toEqual(names)
    expect(bench.events[0]).toMatchObject({
      api_version: '2026-10-28.endive',
      type: 'product.created',
      livemode: false,
      pending_webhooks: 1,
    })
    const customer = await customerWith(stripe, null)
    await stripe.customers.update(customer.id, { name: 'Grace' }, { idempotencyKey: 'rename' })
    await bench.sandbox.flush()
    expect(bench.events.at(-1)).toMatchObject({
      data: { previous_attributes: { name: 'Ada' } },
      request: { idempotency_key: 'rename' },
    })
    expect(
      (await stripe.events.list({ type: 'product.created', limit: 2 })).data.map(
        (event) => (event.data.object as Stripe.Product).name,
      ),
    ).toEqual(['f', 'e'])
  })

  it('arrive repeatedly, in another order, late or not at all on request', async () => {
    bench.sandbox.disturbances.duplicates = 2
    await make()
    await bench.sandbox.flush()
    expect(arrived()).toEqual(names.flatMap((name) => [name, name, name]))
    expect(new Set(bench.events.map((event) => event.id)).size).toBe(6)
    bench.events.length = 0
    Object.assign(bench.sandbox.disturbances, {
      duplicates: 0,
      shuffle: true,
      random: () => 0,
      drop: (event: { data: { object: { name: string } } }) => event.data.object.name === 'c',
    })
    await make()
    bench.sandbox.disturbances.paused = true
    await bench.sandbox.flush()
    expect(arrived()).toEqual([])
    bench.sandbox.disturbances.paused = false
    await bench.sandbox.flush()
    expect(arrived()).not.toEqual(names)
    expect(arrived().sort()).toEqual(names.filter((name) => name !== 'c'))
    const lost = await stripe.events.list({ delivery_success: false })
    expect(lost.data.map((event) => (event.data.object as Stripe.Product).name)).toEqual(['c'])
  })

  it('are retried until the receiver accepts, each with a fresh signature', async () => {
    bench.receiver.status = 500
    await stripe.products.create({ name: 'stubborn' })
    await bench.sandbox.flush()
    const tries = bench.events.length
    expect(tries).toBe(11)
    expect((await stripe.events.list({ delivery_success: false, limit: 1 })).data[0]?.id).toBe(bench.events[0]?.id)
    bench.events.length = 0
    await stripe.products.create({ name: 'later' })
    bench.receiver.status = 200
    await bench.sandbox.flush()
    expect(arrived()).toEqual(['later'])
  })

  it('are not sent for what was rolled back', async () => {
    const broke = await customerWith(stripe, 'pm_card_chargeCustomerFail')
    const product = await stripe.products.create({
      name: 'x',
      default_price_data: { currency: 'usd', unit_amount: 500, recurring: { interval: 'month' } },
    })
    await bench.sandbox.flush()
    bench.events.length = 0
    const items = [{ price: product.default_price as string }]
    await expect(
      stripe.subscriptions.create({ customer: broke.id, items, payment_behavior: 'error_if_incomplete' }),
    ).rejects.toThrow()
    await bench.sandbox.flush()
    expect(bench.types()).toEqual([])
  })
})
