import type Stripe from 'stripe'
import { beforeAll, describe, expect, it } from 'vitest'
import { customerWith } from '../testing/harness.ts'
import { bench, plans, shareBench, stripe } from '../testing/shared-bench.ts'
import { addresses, sellFrom } from '../testing/taxed.ts'

shareBench()

let price: Stripe.Price
beforeAll(async () => {
  await sellFrom(stripe, 'DE')
  price = await stripe.prices.create({
    product: plans.pro.product as string,
    currency: 'eur',
    unit_amount: 1000,
    tax_behavior: 'exclusive',
    recurring: { interval: 'month' },
  })
})

const path = (session: Stripe.Checkout.Session) => new URL(session.url as string).pathname
const open = (session: Stripe.Checkout.Session) => bench.app.inject({ url: path(session) })

async function press(session: Stripe.Checkout.Session, fields: Record<string, string>) {
  const token = /name="token" value="([^"]+)"/.exec((await open(session)).body)?.[1] ?? ''
  return bench.app.inject({
    method: 'POST',
    url: path(session),
    payload: new URLSearchParams({ token, asked: 'yes', ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

const subscribe = (extra: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'https://shop.test/done',
    automatic_tax: { enabled: true },
    ...extra,
  })
const again = (session: Stripe.Checkout.Session) =>
  stripe.checkout.sessions.retrieve(session.id, { expand: ['invoice', 'subscription'] })

describe('the portal', () => {
  it('takes an address and a tax id as far as it may, and says what is wrong with them', async () => {
    const customer = await customerWith(stripe, null, { address: addresses.DE })
    const configuration = await stripe.billingPortal.configurations.create({
      features: { customer_update: { enabled: true, allowed_updates: ['address', 'tax_id'] } },
    })
    const portal = await stripe.billingPortal.sessions.create({
      customer: customer.id,
      configuration: configuration.id,
      return_url: 'https://shop.test/',
    })
    const at = portal as unknown as Stripe.Checkout.Session
    const french = { action: 'details', ...addresses.FR, tax_id_type: 'eu_vat', business_name: 'Not allowed' }
    expect((await press(at, { ...french, tax_id: 'FR1' })).body).toContain('Invalid value for eu_vat.')
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ address: addresses.DE })
    expect((await press(at, { ...french, country: '' })).body).toContain('Enter your billing address.')
    expect((await press(at, { ...french, tax_id: 'FR11111111111' })).statusCode).toBe(303)
    await bench.sandbox.runDue()
    expect((await open(at)).body).toContain('FR11111111111 <span class="badge">unverified</span>')
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ address: addresses.FR, name: 'Ada' })
    const closed = await stripe.billingPortal.sessions.create({
      customer: customer.id,
      return_url: 'https://shop.test/',
    })
    const refused = await press(closed as unknown as Stripe.Checkout.Session, { ...french, ...addresses.DE })
    expect(refused.body).toContain('This subscription no longer exists.')
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ address: addresses.FR })
  })
})

describe('checkout with automatic tax', () => {
  it('asks a new buyer for an address, shows the tax, and charges it', async () => {
    const session = await subscribe()
    expect([session.automatic_tax.status, session.amount_total]).toEqual(['requires_location_inputs', 1000])
    const page = (await open(session)).body
    expect(page).toContain('name="country"')
    expect(page).not.toContain('name="tax_id"')
    expect(page).toContain('Tax is added when your address is known.')
    for (const sent of ['yes', 'no'])
      expect((await press(session, { outcome: 'pay', asked: sent })).body).toContain('Enter your billing address.')
    const half = await press(session, { outcome: 'details', country: 'US' })
    expect(half.body).toContain('Enter a country and, in the US and Canada, a state or postal code.')
    const seen = await press(session, { outcome: 'details', ...addresses.DE })
    expect(seen.body).toContain('VAT Germany (19%)')
    expect(seen.body).toContain('€11.90')
    expect(await again(session)).toMatchObject({
      amount_subtotal: 1000,
      amount_total: 1190,
      total_details: { amount_tax: 190 },
      automatic_tax: { enabled: true, status: 'complete' },
    })
    expect((await press(session, { outcome: 'pay', ...addresses.DE })).statusCode).toBe(303)
    const done = await again(session)
    expect([(done.invoice as Stripe.Invoice).amount_paid, done.payment_status]).toEqual([1190, 'paid'])
    expect((done.subscription as Stripe.Subscription).automatic_tax.enabled).toBe(true)
    expect(done.customer_details?.address).toMatchObject(addresses.DE)
    expect(await stripe.customers.retrieve(done.customer as string)).toMatchObject({ address: addresses.DE })
  })

  it('says before a trial what is charged after it, with its tax', async () => {
    const session = await subscribe({ subscription_data: { trial_period_days: 14 } })
    const unknown = (await open(session)).body
    expect(unknown).toContain('Then €10.00, until canceled.')
    expect(unknown).toContain('Tax is added when your address is known.')
    const seen = (await press(session, { outcome: 'details', ...addresses.DE })).body
    expect(seen).toContain('Then €11.90, with VAT Germany (19%) €1.90, until canceled.')
    expect(seen).toContain('€0.00 <small class="soft">due today</small>')
  })

  it('takes a tax id with the name of the business, and charges in reverse', async () => {
    const customer = await customerWith(stripe, null)
    const session = await subscribe({
      customer: customer.id,
      customer_update: { address: 'auto', name: 'auto' },
      tax_id_collection: { enabled: true },
    })
    expect(session.tax_id_collection).toEqual({ enabled: true, required: 'never' })
    const buyer = { ...addresses.FR, tax_id_type: 'eu_vat', tax_id: 'FR12345678901' }
    const wrong = await press(session, { outcome: 'pay', ...buyer, tax_id: 'FR1' })
    expect(wrong.body).toContain('Invalid value for eu_vat.')
    expect((await press(session, { outcome: 'pay', ...buyer })).body).toContain('Enter the name of your business.')
    const declined = await press(session, { outcome: 'decline', ...buyer, business_name: 'Ada SARL' })
    expect(declined.body).toContain('Your card was declined.')
    expect((await stripe.customers.listTaxIds(customer.id)).data).toEqual([])
    expect((await press(session, { outcome: 'pay', ...buyer, business_name: 'Ada SARL' })).statusCode).toBe(303)
    const done = await again(session)
    expect(done.customer_details).toMatchObject({
      name: 'Ada SARL',
      business_name: 'Ada SARL',
      tax_ids: [{ type: 'eu_vat', value: 'FR12345678901' }],
    })
    const invoice = done.invoice as Stripe.Invoice
    expect([invoice.amount_paid, invoice.total_taxes?.[0]?.taxability_reason, invoice.customer_tax_ids]).toEqual([
      1000,
      'reverse_charge',
      [{ type: 'eu_vat', value: 'FR12345678901' }],
    ])
    expect((await stripe.customers.listTaxIds(customer.id)).data.map(({ value }) => value)).toEqual(['FR12345678901'])
    const paper = await bench.app.inject({ url: new URL(invoice.hosted_invoice_url as string).pathname })
    expect(paper.body).toContain('Tax to be paid by the buyer on reverse charge basis')
  })

  it('uses the saved address of a customer, and refuses one who has none', async () => {
    const line_items = [{ price: price.id, quantity: 1 }]
    const known = await customerWith(stripe, null, { address: addresses.DE })
    const session = await subscribe({ customer: known.id, line_items })
    expect([session.amount_total, session.automatic_tax.status]).toEqual([1190, 'complete'])
    expect((await open(session)).body).not.toContain('name="country"')
    expect((await press(session, { outcome: 'pay', ...addresses.FR })).statusCode).toBe(303)
    expect(((await again(session)).invoice as Stripe.Invoice).amount_paid).toBe(1190)
    const nowhere = (await customerWith(stripe, null)).id
    await expect(subscribe({ customer: nowhere })).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining(
        'Automatic tax calculation in Checkout requires a valid address on the Customer.',
      ),
    })
    await expect(
      subscribe({ customer: nowhere, customer_update: { address: 'auto' }, tax_id_collection: { enabled: true } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('set `customer_update[name]` to `auto`') })
    await expect(subscribe({ customer_update: { address: 'auto' } })).rejects.toMatchObject({
      param: 'customer_update',
    })
  })

  it('sells once with the tax on the payment and its invoice, after authentication too', async () => {
    const pack = await stripe.prices.create({
      product: plans.pack.product as string,
      currency: 'eur',
      unit_amount: 1190,
      tax_behavior: 'inclusive',
    })
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price: pack.id, quantity: 1 }],
      success_url: 'https://shop.test/done',
      automatic_tax: { enabled: true },
      invoice_creation: { enabled: true },
      name_collection: { individual: { enabled: true } },
    })
    expect((await press(session, { outcome: 'pay', ...addresses.DE })).body).toContain('Enter your name.')
    const asked = await press(session, { outcome: 'authenticate', ...addresses.DE, individual_name: 'Ada' })
    expect(asked.body).toContain('Complete authentication')
    const token = /name="token" value="([^"]+)"/.exec(asked.body)?.[1] ?? ''
    const payload = new URLSearchParams({
      token,
      outcome: 'authenticated',
      card: 'pm_card_authenticationRequired',
    }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await bench.app.inject({ method: 'POST', url: path(session), payload, headers })
    const done = await again(session)
    const invoice = done.invoice as Stripe.Invoice
    expect([done.amount_total, done.total_details?.amount_tax, invoice.total, invoice.total_excluding_tax]).toEqual([
      1190, 190, 1190, 1000,
    ])
    expect(done.collected_information?.individual_name).toBe('Ada')
  })

  it('asks for an address without tax when told to', async () => {
    const session = await subscribe({ automatic_tax: { enabled: false }, billing_address_collection: 'required' })
    expect(session.billing_address_collection).toBe('required')
    expect((await press(session, { outcome: 'pay' })).body).toContain('Enter your billing address.')
    expect((await press(session, { outcome: 'pay', ...addresses.AT })).statusCode).toBe(303)
    const done = await again(session)
    expect([done.amount_total, done.customer_details?.address?.country]).toEqual([1000, 'AT'])
  })
})
