import type Stripe from 'stripe'
import { beforeAll, describe, expect, it } from 'vitest'
import { customerWith, seconds } from '../testing/harness.ts'
import { bench, plans, shareBench, stripe } from '../testing/shared-bench.ts'
import { addresses, buyerAt, sellFrom, taxedDraft, taxesOf } from '../testing/taxed.ts'

shareBench()

const lost = {
  statusCode: 400,
  code: 'customer_tax_location_invalid',
  message:
    "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.",
}

it('is refused before the account has a head office', async () => {
  const { customer } = await buyerAt(stripe, 'DE')
  expect(await stripe.tax.settings.retrieve()).toMatchObject({
    status: 'pending',
    head_office: null,
    status_details: { pending: { missing_fields: ['head_office'] } },
  })
  const automatic_tax = { enabled: true }
  const refused = { statusCode: 400, message: expect.stringContaining('valid head office address') }
  const items = [{ price: plans.pro.id }]
  await expect(stripe.invoices.create({ customer: customer.id, automatic_tax })).rejects.toMatchObject(refused)
  await expect(stripe.subscriptions.create({ customer: customer.id, items, automatic_tax })).rejects.toMatchObject(
    refused,
  )
  await expect(
    stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: plans.pro.id, quantity: 1 }],
      success_url: 'https://shop.test/',
      automatic_tax,
    }),
  ).rejects.toMatchObject(refused)
})

describe('a registered seller', () => {
  beforeAll(() => sellFrom(stripe, 'DE', 'GB', 'CH', 'US-CA'))

  it.each([
    ['DE', [], 1900, 'standard_rated'],
    ['DE', [{ type: 'eu_vat', value: 'DE123456789' }], 1900, 'standard_rated'],
    ['FR', [], 0, 'not_collecting'],
    ['FR', [{ type: 'eu_vat', value: 'FR12345678901' }], 0, 'reverse_charge'],
    ['AT', [{ type: 'eu_vat', value: 'ATU12345678' }], 0, 'reverse_charge'],
    ['GB', [], 2000, 'standard_rated'],
    ['GB', [{ type: 'gb_vat', value: 'GB123456789' }], 0, 'reverse_charge'],
    ['CH', [{ type: 'ch_vat', value: 'CHE-123.456.789 MWST' }], 810, 'standard_rated'],
    ['US-CA', [], 725, 'standard_rated'],
    ['US-NY', [], 0, 'not_collecting'],
  ] as const)('taxes a sale to %s with %j: %d, %s', async (place, ids, tax, reason) => {
    const { customer } = await buyerAt(stripe, place, { tax_id_data: [...ids] })
    const draft = await taxedDraft(stripe, customer.id, [10_000])
    expect(taxesOf(draft)).toEqual([[tax, reason, 'exclusive', tax ? 10_000 : 0]])
    expect([draft.subtotal, draft.total, draft.total_excluding_tax, draft.automatic_tax.status]).toEqual([
      10_000,
      10_000 + tax,
      10_000,
      'complete',
    ])
    expect(draft.customer_address?.country).toBe(place.slice(0, 2))
    expect(draft.customer_tax_ids ?? []).toEqual(ids)
    const rate = draft.total_taxes?.[0]?.tax_rate_details?.tax_rate as string
    expect(await stripe.taxRates.retrieve(rate)).toMatchObject({
      active: false,
      percentage: tax / 100,
      inclusive: false,
    })
    const paid = await stripe.invoices.pay((await stripe.invoices.finalizeInvoice(draft.id as string)).id as string)
    expect([paid.amount_paid, paid.status]).toEqual([10_000 + tax, 'paid'])
  })

  it('rounds each line on its own, within or on top of the price', async () => {
    const { customer } = await buyerAt(stripe, 'DE')
    const on = await taxedDraft(stripe, customer.id, [3, 3, 3])
    expect([on.total, on.lines.data.map((line) => line.taxes?.[0]?.amount), taxesOf(on)]).toEqual([
      12,
      [1, 1, 1],
      [[3, 'standard_rated', 'exclusive', 9]],
    ])
    const within = await taxedDraft(stripe, customer.id, [1190, 1], { tax_behavior: 'inclusive' })
    expect([within.total, within.total_excluding_tax, within.subtotal, within.subtotal_excluding_tax]).toEqual([
      1191, 1001, 1191, 1001,
    ])
    expect(taxesOf(within)).toEqual([[190, 'standard_rated', 'inclusive', 1001]])
    const yen = await taxedDraft(stripe, customer.id, [1001], { tax_behavior: 'exclusive' }, 'jpy')
    const dinars = await taxedDraft(stripe, customer.id, [1230], { tax_behavior: 'exclusive' }, 'kwd')
    expect([yen.total, dinars.total]).toEqual([1191, 1460])
  })

  it('takes the behavior from the price, its currency, or the default of the account', async () => {
    const { customer } = await buyerAt(stripe, 'DE')
    await expect(taxedDraft(stripe, customer.id, [100], {})).rejects.toMatchObject({
      message: expect.stringContaining('does not have a `tax_behavior` set which is required'),
    })
    await stripe.tax.settings.update({ defaults: { tax_behavior: 'inferred_by_currency' } })
    const [euros, dollars] = [
      await taxedDraft(stripe, customer.id, [1190], {}),
      await taxedDraft(stripe, customer.id, [1000], {}, 'usd'),
    ]
    expect([euros.total, euros.total_excluding_tax, dollars.total]).toEqual([1190, 1000, 1190])
    const product = plans.pack.product as string
    const price = await stripe.prices.create({
      product,
      currency: 'usd',
      unit_amount: 1000,
      tax_behavior: 'inclusive',
      currency_options: { eur: { unit_amount: 1000, tax_behavior: 'exclusive' } },
    })
    const invoice = (
      await stripe.invoices.create({ customer: customer.id, currency: 'eur', automatic_tax: { enabled: true } })
    ).id as string
    await stripe.invoiceItems.create({ customer: customer.id, invoice, pricing: { price: price.id } })
    expect((await stripe.invoices.retrieve(invoice)).total).toBe(1190)
  })

  it('sees what bears no tax: exempt products and customers', async () => {
    const { customer } = await buyerAt(stripe, 'US-CA')
    const code = (tax_code: string) => taxedDraft(stripe, customer.id, [1000], { tax_behavior: 'exclusive', tax_code })
    expect(taxesOf(await code('txcd_10103001'))).toEqual([[0, 'product_exempt', 'exclusive', 0]])
    expect(taxesOf(await code('txcd_00000000'))).toEqual([[0, 'not_subject_to_tax', 'exclusive', 0]])
    expect(taxesOf(await code('txcd_99999999'))).toEqual([[73, 'standard_rated', 'exclusive', 1000]])
    const exempt = await buyerAt(stripe, 'DE', { tax_exempt: 'exempt' })
    expect(taxesOf(await taxedDraft(stripe, exempt.customer.id, [1000]))).toEqual([
      [0, 'customer_exempt', 'exclusive', 0],
    ])
  })

  it('does not finalize an invoice of a customer without a place, and says why', async () => {
    const { customer } = await buyerAt(stripe, null)
    const draft = await taxedDraft(stripe, customer.id, [1000])
    expect([draft.automatic_tax.status, draft.total, draft.total_taxes]).toEqual(['requires_location_inputs', 1000, []])
    await expect(stripe.invoices.finalizeInvoice(draft.id as string)).rejects.toMatchObject(lost)
    expect(await stripe.invoices.retrieve(draft.id as string)).toMatchObject({
      status: 'draft',
      last_finalization_error: { code: 'customer_tax_location_invalid' },
    })
    await bench.sandbox.flush()
    expect(bench.types()).toContain('invoice.finalization_failed')
    await stripe.customers.update(customer.id, { address: addresses.DE })
    expect(await stripe.invoices.finalizeInvoice(draft.id as string)).toMatchObject({
      total: 1190,
      last_finalization_error: null,
    })
  })

  it('taxes a subscription from its first invoice through changes and previews', async () => {
    const { customer, to, invoices } = await buyerAt(stripe, 'DE')
    const price = async (unit_amount: number) =>
      stripe.prices.create({
        product: plans.pro.product as string,
        currency: 'eur',
        unit_amount,
        tax_behavior: 'exclusive',
        recurring: { interval: 'month' },
      })
    const [small, large] = [await price(1000), await price(3000)]
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: small.id }],
      automatic_tax: { enabled: true },
    })
    expect(subscription.automatic_tax).toMatchObject({ enabled: true, disabled_reason: null })
    expect((await invoices()).map((one) => one.amount_paid)).toEqual([1190])
    await to('2026-11-16T00:00:00Z')
    const items = [{ id: subscription.items.data[0]?.id as string, price: large.id }]
    const details = { items, proration_behavior: 'always_invoice' as const }
    const seen = await stripe.invoices.createPreview({ subscription: subscription.id, subscription_details: details })
    expect([seen.lines.data.map((line) => [line.amount, line.taxes?.[0]?.amount]), seen.total]).toEqual([
      [
        [-500, -95],
        [1500, 285],
      ],
      1190,
    ])
    const inFrance = await stripe.invoices.createPreview({
      subscription: subscription.id,
      subscription_details: details,
      customer_details: { address: addresses.FR, tax_ids: [{ type: 'eu_vat', value: 'FR12345678901' }] },
    })
    expect([inFrance.total, inFrance.total_taxes?.[0]?.taxability_reason]).toEqual([1000, 'reverse_charge'])
    await stripe.subscriptions.update(subscription.id, details)
    expect((await invoices())[0]).toMatchObject({ status: 'paid', amount_paid: 1190 })
  })

  it('previews an invoice of items, also for an address that is not saved', async () => {
    const { customer, invoices } = await buyerAt(stripe, null)
    const look = (customer_details?: Stripe.InvoiceCreatePreviewParams.CustomerDetails) =>
      stripe.invoices.createPreview({
        customer: customer.id,
        currency: 'eur',
        automatic_tax: { enabled: true },
        invoice_items: [{ amount: 1000, currency: 'eur', tax_behavior: 'exclusive' }],
        ...(customer_details && { customer_details }),
      })
    expect((await look()).automatic_tax.status).toBe('requires_location_inputs')
    expect([(await look({ address: addresses.DE })).total, (await look({ address: addresses.FR })).total]).toEqual([
      1190, 1000,
    ])
    expect(await invoices()).toEqual([])
    await expect(
      stripe.invoices.createPreview({ customer: customer.id, invoice_items: [{ currency: 'eur' }] }),
    ).rejects.toMatchObject({ param: 'invoice_items[0][amount]' })
  })

  it('goes on without tax when a renewal lacks the place, and says so', async () => {
    const { customer, to, invoices } = await buyerAt(stripe, 'DE')
    const price = await stripe.prices.create({
      product: plans.pro.product as string,
      currency: 'eur',
      unit_amount: 1000,
      tax_behavior: 'exclusive',
      recurring: { interval: 'month' },
    })
    const items = [{ price: price.id }]
    const automatic_tax = { enabled: true }
    const nowhere = await buyerAt(stripe, null)
    await expect(
      stripe.subscriptions.create({ customer: nowhere.customer.id, items, automatic_tax }),
    ).rejects.toMatchObject(lost)
    const { id, items: own } = await stripe.subscriptions.create({ customer: customer.id, items, automatic_tax })
    await expect(stripe.customers.update(customer.id, { address: { country: 'US' } })).rejects.toMatchObject(lost)
    await stripe.customers.update(customer.id, { address: '' })
    await expect(
      stripe.subscriptions.update(id, { items: [{ id: own.data[0]?.id as string, quantity: 2 }] }),
    ).rejects.toMatchObject(lost)
    await to('2026-12-01T00:30:00Z')
    expect((await invoices())[0]?.automatic_tax.status).toBe('requires_location_inputs')
    await to('2026-12-02T00:00:00Z')
    expect((await invoices())[0]).toMatchObject({
      status: 'paid',
      total: 1000,
      automatic_tax: { enabled: false, disabled_reason: 'finalization_requires_location_inputs' },
    })
    expect((await stripe.subscriptions.retrieve(id)).automatic_tax).toMatchObject({
      enabled: false,
      disabled_reason: 'requires_location_inputs',
    })
    await expect(stripe.subscriptions.update(id, { automatic_tax })).rejects.toMatchObject(lost)
    await stripe.customers.update(customer.id, { address: addresses.DE })
    expect((await stripe.subscriptions.update(id, { automatic_tax })).automatic_tax).toMatchObject({
      enabled: true,
      disabled_reason: null,
    })
  })

  it('names its own tax ids on invoices', async () => {
    const own = await stripe.taxIds.create({ type: 'eu_vat', value: 'DE123456789' })
    expect([own.customer, own.owner?.type, own.verification]).toEqual([null, 'self', null])
    const customer = (await customerWith(stripe, null)).id
    const invoice = await stripe.invoices.create({ customer, account_tax_ids: [own.id], expand: ['account_tax_ids'] })
    expect(invoice.account_tax_ids).toMatchObject([{ value: 'DE123456789' }])
    await expect(stripe.invoices.create({ customer, account_tax_ids: ['txi_none'] })).rejects.toMatchObject({
      statusCode: 404,
      param: 'account_tax_ids',
    })
  })
})

describe('registrations', () => {
  it('cover the union from one country, start and end', async () => {
    const make = (extra: Partial<Stripe.Tax.RegistrationCreateParams>) =>
      stripe.tax.registrations.create({
        country: 'DE',
        active_from: 'now',
        country_options: { de: { type: 'oss_union' } },
        ...extra,
      })
    const { customer } = await buyerAt(stripe, 'FR')
    const taxed = async () => taxesOf(await taxedDraft(stripe, customer.id, [1000]))
    expect(await taxed()).toEqual([[0, 'not_collecting', 'exclusive', 0]])
    expect((await stripe.customers.retrieve(customer.id, { expand: ['tax'] })) as Stripe.Customer).toMatchObject({
      tax: { automatic_tax: 'not_collecting', location: { country: 'FR', source: 'billing_address', state: null } },
    })
    const oss = await make({})
    expect(await taxed()).toEqual([[200, 'standard_rated', 'exclusive', 1000]])
    await stripe.tax.registrations.update(oss.id, { expires_at: 'now' })
    expect(await taxed()).toEqual([[0, 'not_collecting', 'exclusive', 0]])
    const later = await make({ active_from: seconds('2027-01-01T00:00:00Z') })
    expect([(await stripe.tax.registrations.retrieve(oss.id)).status, later.status]).toEqual(['expired', 'scheduled'])
    const ids = async (status: 'expired' | 'scheduled') =>
      (await stripe.tax.registrations.list({ status })).data.map(({ id }) => id)
    expect([await ids('expired'), await ids('scheduled')]).toEqual([[oss.id], [later.id]])
    await expect(make({ country: 'FR' })).rejects.toMatchObject({ param: 'country_options' })
  })
})

describe("the operator's own tax rates", () => {
  const rate = (percentage: number, inclusive: boolean, extra: Partial<Stripe.TaxRateCreateParams> = {}) =>
    stripe.taxRates.create({ display_name: 'VAT', percentage, inclusive, country: 'DE', ...extra })

  it('are made, listed, changed and archived', async () => {
    const made = await rate(19, false, { description: 'VAT Germany', tax_type: 'vat' })
    expect(made).toMatchObject({ active: true, effective_percentage: 19, rate_type: 'percentage', jurisdiction: null })
    await stripe.taxRates.update(made.id, { active: false })
    expect((await stripe.taxRates.list({ active: false, inclusive: false })).data.map(({ id }) => id)).toContain(
      made.id,
    )
    const { customer } = await buyerAt(stripe, 'DE')
    await expect(stripe.invoices.create({ customer: customer.id, default_tax_rates: [made.id] })).rejects.toMatchObject(
      { param: 'default_tax_rates' },
    )
    await expect(rate(101, false)).rejects.toMatchObject({ param: 'percentage' })
  })

  it('tax lines, those without rates of their own by the default of the invoice', async () => {
    const [full, reduced, within] = [await rate(19, false), await rate(7, false), await rate(19, true)]
    const customer = (await customerWith(stripe, null)).id
    const invoice = (await stripe.invoices.create({ customer, default_tax_rates: [full.id] })).id as string
    await stripe.invoiceItems.create({ customer, invoice, amount: 1000 })
    await stripe.invoiceItems.create({ customer, invoice, amount: 1000, tax_rates: [reduced.id] })
    const both = await stripe.invoices.retrieve(invoice)
    expect([both.total, taxesOf(both)]).toEqual([
      2260,
      [
        [190, 'not_available', 'exclusive', 1000],
        [70, 'not_available', 'exclusive', 1000],
      ],
    ])
    expect(both.default_tax_rates).toMatchObject([{ id: full.id }])
    const contained = await taxedDraft(stripe, customer, [1190], { tax_rates: [within.id], currency: 'usd' }, 'usd')
    expect([contained.total, contained.total_excluding_tax]).toEqual([1190, 1000])
    await expect(
      taxedDraft(stripe, customer, [100], { tax_rates: [within.id], tax_behavior: 'exclusive' }),
    ).rejects.toMatchObject({ message: expect.stringContaining('`tax_behavior` that conflicts') })
  })

  it('follow a subscription, and a checkout', async () => {
    const full = await rate(19, false)
    const { customer, to, invoices } = await buyerAt(stripe, null)
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: plans.pro.id }],
      default_tax_rates: [full.id],
    })
    expect(subscription.default_tax_rates).toMatchObject([{ id: full.id }])
    await to('2026-12-02T00:00:00Z')
    expect((await invoices()).map((one) => one.amount_paid)).toEqual([2261, 2261])
    await stripe.subscriptions.update(subscription.id, { default_tax_rates: '' })
    await to('2027-01-02T00:00:00Z')
    expect((await invoices())[0]?.amount_paid).toBe(1900)
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price: plans.pack.id, quantity: 2, tax_rates: [full.id] }],
      success_url: 'https://shop.test/',
    })
    expect([session.amount_subtotal, session.amount_total, session.total_details?.amount_tax]).toEqual([
      2000, 2380, 380,
    ])
  })
})
