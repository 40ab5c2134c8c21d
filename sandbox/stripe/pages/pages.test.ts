import type { LightMyRequestResponse } from 'fastify'
import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { customerWith, finalInvoice, publicUrl, seconds } from '../testing/harness.ts'
import { bench, plans, shareBench, stripe } from '../testing/shared-bench.ts'

shareBench()

const urls = {
  success_url: 'https://shop.test/done?session_id={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://shop.test/back',
}
const path = (url: string | null) => new URL(url as string).pathname
const open = (url: string) => bench.app.inject({ url })
const tokenOf = (page: LightMyRequestResponse) => /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''

async function press(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const token = tokenOf(await open(url))
  const payload = new URLSearchParams({ token, ...fields }).toString()
  return bench.app.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

async function checkout(params: Stripe.Checkout.SessionCreateParams) {
  const session = await stripe.checkout.sessions.create({ ...urls, ...params })
  const again = (expand: string[] = []) => stripe.checkout.sessions.retrieve(session.id, { expand })
  return { session, url: path(session.url), again }
}

const pro = (): Stripe.Checkout.SessionCreateParams => ({
  mode: 'subscription',
  line_items: [{ price: plans.pro.id, quantity: 1 }],
})

describe('the checkout page', () => {
  it('sells a subscription and sends the buyer back with the session', async () => {
    const customer = await customerWith(stripe, null)
    const { session, url, again } = await checkout({
      ...pro(),
      customer: customer.id,
      client_reference_id: 'acc',
      subscription_data: { metadata: { acc: '7' } },
    })
    expect(session.url).toBe(`${publicUrl}/sandbox/checkout/${session.id}`)
    const page = await open(url)
    expect([page.statusCode, page.headers['content-security-policy']]).toEqual([
      200,
      expect.stringContaining("default-src 'none'"),
    ])
    expect(page.body).toContain('SANDBOX')
    expect(page.body).not.toMatch(/<script|card number|cvc/i)
    const token = tokenOf(page)
    // A hosted editor that forwards the port rewrites Origin to localhost.
    const done = await press(url, { outcome: 'pay' }, { origin: 'http://localhost:3000' })
    expect([done.statusCode, done.headers.location]).toEqual([303, `https://shop.test/done?session_id=${session.id}`])
    const after = await again(['subscription'])
    const subscription = after.subscription as Stripe.Subscription
    expect([after.status, after.payment_status, after.client_reference_id, after.amount_total]).toEqual([
      'complete',
      'paid',
      'acc',
      1900,
    ])
    expect([subscription.status, subscription.metadata.acc, typeof subscription.default_payment_method]).toEqual([
      'active',
      '7',
      'string',
    ])
    await bench.sandbox.flush()
    expect(bench.types()).toEqual(
      expect.arrayContaining(['checkout.session.completed', 'customer.subscription.created', 'invoice.paid']),
    )
    const twice = await press(url, { outcome: 'pay', token })
    expect(twice.body).toContain('This checkout is complete.')
    expect((await stripe.subscriptions.list({ customer: customer.id })).data).toHaveLength(1)
  })

  it.each([
    ['decline', 'Your card was declined.'],
    ['insufficient_funds', 'Your card has insufficient funds.'],
    ['authentication_failed', 'We are unable to authenticate your payment method.'],
    ['nonsense', 'Choose one of the outcomes below.'],
  ])('stays open after %s and says why', async (outcome, text) => {
    for (const params of [pro(), { mode: 'payment' as const, line_items: [{ price: plans.pack.id, quantity: 2 }] }]) {
      const customer = await customerWith(stripe, null)
      const { url, again } = await checkout({ ...params, customer: customer.id })
      expect((await press(url, { outcome })).body).toContain(text)
      expect([
        (await again()).status,
        (await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data.length,
      ]).toEqual(['open', 0])
      expect((await press(url, { outcome: 'pay' })).statusCode).toBe(303)
    }
  })

  it('asks for authentication and saves the card that needs it every time', async () => {
    const customer = await customerWith(stripe, null)
    const { url, again } = await checkout({ ...pro(), customer: customer.id })
    const challenge = await press(url, { outcome: 'authenticate' })
    expect([challenge.statusCode, challenge.body.includes('Complete authentication')]).toEqual([200, true])
    expect((await press(url, { outcome: 'authenticated', card: 'pm_card_authenticationRequired' })).statusCode).toBe(
      303,
    )
    const subscription = (await again(['subscription'])).subscription as Stripe.Subscription
    const next = await finalInvoice(stripe, customer.id, 100)
    const payment_method = subscription.default_payment_method as string
    await expect(stripe.invoices.pay(next.id as string, { payment_method })).rejects.toMatchObject({
      code: 'authentication_required',
    })
  })

  it('starts a trial, with a card or without', async () => {
    const trial = {
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' as const } },
    }
    const withCard = await checkout({ ...pro(), subscription_data: trial, payment_method_collection: 'always' })
    const offered = (await open(withCard.url)).body
    expect(offered).toContain('Free for 14 days, until Nov 15, 2026.')
    expect(offered).toContain('$0.00 <small class="soft">due today</small>')
    expect(offered).toContain('$0.00<br><span class="soft">then $19.00</span>')
    expect(offered).not.toContain('<select')
    expect((await press(withCard.url, { outcome: 'pay' })).statusCode).toBe(303)
    const session = await withCard.again(['subscription'])
    expect([
      session.payment_status,
      (session.subscription as Stripe.Subscription).status,
      session.amount_total,
    ]).toEqual(['no_payment_required', 'trialing', 0])
    const portal = await stripe.billingPortal.sessions.create({ customer: session.customer as string })
    expect((await open(path(portal.url))).body).toContain('Free until Nov 15, 2026, then the first payment.')
    const without = await checkout({ ...pro(), subscription_data: trial, payment_method_collection: 'if_required' })
    expect((await open(without.url)).body).not.toContain('Test card')
    await press(without.url, { outcome: 'pay' })
    expect(
      ((await without.again(['subscription'])).subscription as Stripe.Subscription).default_payment_method,
    ).toBeNull()
  })

  it('sells credits with an invoice that carries the same metadata, and saves the card when asked', async () => {
    const customer = await customerWith(stripe, null)
    const metadata = { topup: '9' }
    const { url, again } = await checkout({
      mode: 'payment',
      customer: customer.id,
      line_items: [{ price: plans.pack.id, quantity: 2 }],
      metadata,
      invoice_creation: { enabled: true, invoice_data: { metadata } },
      payment_intent_data: { metadata, setup_future_usage: 'off_session' },
    })
    const words = (await open(url)).body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
    expect(words).toMatch(/\$20\.00 due today .* 2 × [^×]+ \$10\.00 each \$20\.00/)
    await press(url, { outcome: 'pay', card: 'pm_card_mastercard' })
    const session = await again(['invoice', 'payment_intent'])
    const invoice = session.invoice as Stripe.Invoice
    expect([
      session.payment_status,
      session.amount_total,
      invoice.status,
      invoice.amount_paid,
      invoice.metadata,
    ]).toEqual(['paid', 2000, 'paid', 2000, metadata])
    expect((session.payment_intent as Stripe.PaymentIntent).metadata).toEqual(metadata)
    expect((await stripe.customers.listPaymentMethods(customer.id)).data[0]?.card?.brand).toBe('mastercard')
    expect((await stripe.charges.list({ customer: customer.id })).data).toHaveLength(1)
  })

  it('can be left, and expires, after which it cannot be paid', async () => {
    const left = await checkout(pro())
    expect((await press(left.url, { outcome: 'abandon' })).headers.location).toBe('https://shop.test/back')
    expect((await left.again()).status).toBe('open')
    expect((await stripe.checkout.sessions.expire(left.session.id)).status).toBe('expired')
    expect((await open(left.url)).body).toContain('This checkout has expired.')
    const late = await checkout(pro())
    await bench.sandbox.advance(86_401)
    expect((await late.again()).status).toBe('expired')
    await bench.sandbox.flush()
    expect(bench.types().filter((type) => type === 'checkout.session.expired')).toHaveLength(2)
    await expect(stripe.checkout.sessions.expire(late.session.id)).rejects.toMatchObject({ statusCode: 400 })
  })

  it('refuses forged forms and guessed ids, and escapes what a shop sends', async () => {
    const { url } = await checkout(pro())
    const other = await checkout(pro())
    const foreign = tokenOf(await open(other.url))
    expect((await press(url, { outcome: 'pay', token: foreign })).statusCode).toBe(403)
    expect((await press(url, { outcome: 'pay', token: '' })).statusCode).toBe(403)
    expect((await press(url, { outcome: 'pay' }, { origin: 'https://evil.test' })).statusCode).toBe(403)
    expect((await press(url, { outcome: 'pay' }, { origin: 'http://localhost.evil.test' })).statusCode).toBe(403)
    expect((await open('/sandbox/checkout/cs_test_sbxguess')).statusCode).toBe(404)
    expect((await open(`/sandbox/checkout/${plans.pro.id}`)).statusCode).toBe(404)
    const { default_price: price } = await stripe.products.create({
      name: '<img src=x onerror=alert(1)>',
      default_price_data: { currency: 'usd', unit_amount: 100 },
    })
    const named = await checkout({ mode: 'payment', line_items: [{ quantity: 1, price: price as string }] })
    expect((await open(named.url)).body).toContain('&lt;img src=x')
  })
})

describe('the invoice page', () => {
  it('collects a failed invoice and renders the same PDF each time', async () => {
    const customer = await customerWith(stripe, 'pm_card_authenticationRequired')
    const invoice = await finalInvoice(stripe, customer.id, 1234)
    await expect(stripe.invoices.pay(invoice.id as string)).rejects.toMatchObject({ code: 'authentication_required' })
    const url = path(invoice.hosted_invoice_url as string)
    expect((await press(url, { outcome: 'pay', card: 'pm_card_chargeCustomerFail' })).body).toContain(
      'Your card was declined.',
    )
    expect((await press(url, { outcome: 'authenticate' })).body).toContain('paid')
    expect((await stripe.invoices.retrieve(invoice.id as string)).status).toBe('paid')
    const pdf = async () => (await open(path(invoice.invoice_pdf as string))).rawPayload
    const [first, second] = [await pdf(), await pdf()]
    expect([first.subarray(0, 5).toString(), first.equals(second)]).toEqual(['%PDF-', true])
    expect((await open('/sandbox/checkout/invoices/guess/pdf')).statusCode).toBe(404)
  })
})

describe('the portal', () => {
  async function opened(price: Stripe.Price, card = 'pm_card_visa') {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: seconds('2026-11-01T00:00:00Z') })
    const customer = await customerWith(stripe, card, { test_clock: clock.id })
    const subscription = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] })
    const products = [plans.pro, plans.max].map((plan) => ({
      product: plan.product as string,
      prices: plan === plans.pro ? [plan.id, plans.proYear.id] : [plan.id],
    }))
    const configuration = await stripe.billingPortal.configurations.create({
      features: {
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true, mode: 'at_period_end' },
        subscription_update: {
          enabled: true,
          default_allowed_updates: ['price'],
          products,
          proration_behavior: 'always_invoice',
          billing_cycle_anchor: 'now',
          schedule_at_period_end: { conditions: [{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }] },
        },
      },
    })
    const session = await stripe.billingPortal.sessions.create({
      customer: customer.id,
      configuration: configuration.id,
      return_url: 'https://shop.test/billing',
    })
    const now = () => stripe.subscriptions.retrieve(subscription.id)
    const to = (iso: string) => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: seconds(iso) })
    return { customer, subscription, url: path(session.url), now, to }
  }

  it('previews an upgrade, then makes it and charges it at once', async () => {
    const { subscription, url, now, customer } = await opened(plans.pro)
    const page = await open(url)
    expect(page.body).toContain('Pro, $19.00 / month')
    expect(page.body).toContain('Return to the shop')
    const choice = { subscription: subscription.id, price: plans.max.id }
    expect((await press(url, { ...choice, action: 'preview' })).body).toContain('Due today: <strong>$30.00</strong>')
    expect((await now()).items.data[0]?.price.id).toBe(plans.pro.id)
    expect((await press(url, { ...choice, action: 'change' })).statusCode).toBe(303)
    expect((await now()).items.data[0]?.price.id).toBe(plans.max.id)
    expect((await stripe.invoices.list({ customer: customer.id })).data[0]?.amount_paid).toBe(3000)
    expect((await open(url)).body).toContain('$30.00')
  })

  it('schedules a downgrade for the end of the period', async () => {
    const { subscription, url, now, to } = await opened(plans.max)
    const choice = { subscription: subscription.id, price: plans.pro.id }
    expect((await press(url, { ...choice, action: 'preview' })).body).toContain(
      'The change takes effect on Dec 1, 2026. Nothing is due today.',
    )
    await press(url, { ...choice, action: 'change' })
    expect([(await now()).items.data[0]?.price.id, (await now()).schedule !== null]).toEqual([plans.max.id, true])
    await to('2026-12-01T02:00:00Z')
    expect((await now()).items.data[0]?.price.id).toBe(plans.pro.id)
  })

  it('changes nothing when the payment for the new plan fails', async () => {
    const { subscription, url, now, customer } = await opened(plans.pro)
    await press(url, { action: 'card', card: 'pm_card_chargeCustomerFail' })
    const failed = await press(url, { subscription: subscription.id, price: plans.max.id, action: 'change' })
    expect(failed.body).toContain('Your card was declined.')
    expect([
      (await now()).items.data[0]?.price.id,
      (await stripe.invoices.list({ customer: customer.id })).data.length,
    ]).toEqual([plans.pro.id, 1])
  })

  it('cancels by setting only cancel_at, and resumes', async () => {
    const { subscription, url, now } = await opened(plans.pro)
    await press(url, { subscription: subscription.id, action: 'cancel' })
    expect([(await now()).cancel_at, (await now()).cancel_at_period_end]).toEqual([
      seconds('2026-12-01T00:00:00Z'),
      false,
    ])
    expect((await open(url)).body).toContain('Ends on Dec 1, 2026.')
    await press(url, { subscription: subscription.id, action: 'resume' })
    expect((await now()).cancel_at).toBeNull()
  })

  it('changes no other customer, and nothing that is not offered', async () => {
    const [mine, theirs] = [await opened(plans.pro), await opened(plans.pro)]
    expect((await press(mine.url, { subscription: theirs.subscription.id, action: 'cancel' })).body).toContain(
      'This subscription no longer exists.',
    )
    expect((await theirs.now()).cancel_at).toBeNull()
    expect(
      (await press(mine.url, { subscription: mine.subscription.id, price: plans.free.id, action: 'change' })).body,
    ).toContain('This change is not available.')
    await mine.to('2026-11-01T02:00:00Z')
    expect((await open(mine.url)).statusCode).toBe(404)
  })
})
