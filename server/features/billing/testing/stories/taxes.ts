import { expect } from 'vitest'
import { refundInvoice } from '../../refunds/refund-invoice.ts'
import { berlin, setUpTaxes } from '../set-up-taxes.ts'
import type { Scenario } from './plans.ts'
import { startSandboxStage } from './sandbox-stage.ts'
import type { Stage } from './stage.ts'
import { HOUR, type World } from './world.ts'

const paris = {
  country: 'FR',
  line1: '1 rue de Rivoli',
  postal_code: '75001',
  city: 'Paris',
  business_name: 'Étoile SARL',
}
const zurich = { country: 'CH', line1: 'Bahnhofstr. 1', postal_code: '8001', city: 'Zürich', business_name: 'Uhr AG' }

/** A German seller with a registration at home; a plan whose price contains the tax, and one that bears none. */
export async function startTaxedStage(): Promise<Stage> {
  const stage = await startSandboxStage({ TAXES: 'stripe' })
  const { client } = stage.server.deps.stripe!
  await setUpTaxes(stage.server)
  const price = { currency: 'usd', recurring: { interval: 'month' as const } }
  const inclusive = { ...price, unit_amount: 1_190, tax_behavior: 'inclusive' as const }
  await client.products.create({ name: 'Gross', metadata: { credits: '5000' }, default_price_data: inclusive })
  await client.products.create({
    name: 'Exempt',
    metadata: { credits: '5000' },
    tax_code: 'txcd_00000000',
    default_price_data: { ...price, unit_amount: 900, tax_behavior: 'exclusive' },
  })
  const { data } = await client.prices.list({ product: 'prod_finmeter_stories_max', limit: 1 })
  await client.prices.update(data[0]!.id, { tax_behavior: 'exclusive' })
  await stage.settle()
  return stage
}

async function buyFrom(world: World, plan: string, buyer: Record<string, string>, trial = false): Promise<void> {
  const paid = await world.press(await world.openCheckout(plan, trial), 'pay', undefined, buyer)
  if (paid.location === null) throw new Error(`the checkout page kept the buyer: ${paid.text}`)
  await world.settle()
}

/** Each invoice with its tax, oldest first: `2261 paid, 361 tax`. */
const invoices = async (world: World) =>
  (await world.invoices())
    .toReversed()
    .map(({ amount, status, tax }) => `${amount} ${status}, ${tax?.untaxed ?? `${tax?.amount} tax`}`)

const details = async (world: World) => (await world.get('/api/billing/tax-details')).taxDetails

/** The ledger of money is the provider's to the cent, and its tax is the tax of paid invoices without that of credit notes. */
async function addsUp(world: World): Promise<void> {
  const customer = await world.customer()
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
  const taxOf = (taxes: { amount: number }[] | null) => sum((taxes ?? []).map(({ amount }) => amount))
  const charges = (await world.stripe.charges.list({ customer, limit: 100 })).data.filter(({ paid }) => paid)
  const paid = (await world.stripe.invoices.list({ customer, status: 'paid', limit: 100 })).data
  const notes = (await world.stripe.creditNotes.list({ customer, limit: 100 })).data
  const { rows } = await world.server.db.pool.query(
    `select coalesce(sum(cents), 0)::int as cents, coalesce(sum(cents) filter (where source = 'tax'), 0)::int as tax
     from money_ledger where account_id = $1`,
    [await world.account()],
  )
  expect(rows[0]).toEqual({
    cents: sum(charges.map(({ amount, amount_refunded }) => amount - amount_refunded)),
    tax:
      sum(paid.map(({ total_taxes }) => taxOf(total_taxes))) - sum(notes.map(({ total_taxes }) => taxOf(total_taxes))),
  })
}

async function refund(world: World, cents: number): Promise<void> {
  const [invoice] = await world.invoices()
  const invoiceId = invoice!.id
  await refundInvoice(world.server.deps, { actId: crypto.randomUUID(), invoiceId, cents, operator: 'command line' })
  await world.settle()
}

/** Stories of taxes, for a seller in Germany who uses Stripe Tax. */
export const taxScenarios: Record<string, Scenario> = {
  'tax is added to a plan, month after month, and its credits are those of the price': async (world) => {
    await buyFrom(world, 'Pro', berlin)
    expect(await world.credits()).toBe(100_000)
    expect(await world.get('/api/billing/upcoming-invoice')).toMatchObject({
      upcoming: { amount: 2_261, lines: [{ amount: 1_900 }], taxes: [{ label: 'VAT', percent: 19, amount: 361 }] },
    })
    await world.endPeriod()
    expect(await invoices(world)).toEqual(['2261 paid, 361 tax', '2261 paid, 361 tax'])
    expect((await world.invoices())[0]).toMatchObject({
      tax: { lines: [{ label: 'VAT', percent: 19, amount: 361, included: false }] },
    })
    expect(await details(world)).toMatchObject({ name: 'Bär GmbH', address: { country: 'DE' }, located: true })
    await addsUp(world)
  },
  'a free plan does not become a paid one without tax: the portal leaves that to the payment page': async (world) => {
    await world.redeemFree()
    const { id } = await world.subscription()
    const change = { action: 'change', subscription: id, price: world.plans.Pro!.priceId }
    await world.portal({ action: 'card', card: 'pm_card_visa' })
    expect(await world.portal(change)).toContain('This change is not available.')
    await buyFrom(world, 'Pro', berlin)
    expect(await invoices(world)).toContain('2261 paid, 361 tax')
    await addsUp(world)
  },
  'a business elsewhere in the Union pays by reverse charge, and its number is verified': async (world) => {
    await buyFrom(world, 'Pro', { ...paris, tax_id_type: 'eu_vat', tax_id: 'FR12345678901' })
    expect(await invoices(world)).toEqual(['1900 paid, reverse_charge'])
    await world.pass(60)
    expect((await details(world)).taxIds).toMatchObject([{ type: 'eu_vat', value: 'FR12345678901', state: 'verified' }])
    await addsUp(world)
  },
  'the answers of the register are told apart': async (world) => {
    await buyFrom(world, 'Pro', berlin)
    for (const value of ['DE 111 111 111', 'DE222222222', 'DE333333333', 'DE123456789'])
      expect(
        (await world.person.call('POST', '/api/billing/tax-ids', { body: { type: 'eu_vat', value } })).status,
      ).toBe(201)
    await world.pass(60)
    const states = async () =>
      (await details(world)).taxIds.map(({ value, state }: { value: string; state: string }) => `${value} ${state}`)
    expect(await states()).toEqual([
      'DE111111111 unverified',
      'DE222222222 pending',
      'DE333333333 unavailable',
      'DE123456789 verified',
    ])
    const [{ id }] = (await details(world)).taxIds
    expect((await world.person.call('DELETE', `/api/billing/tax-ids/${id}`)).status).toBe(200)
    await world.settle()
    expect(await states()).toHaveLength(3)
  },
  'no tax where the seller has no registration, nor on what is exempt': async (world) => {
    await buyFrom(world, 'Pro', zurich)
    expect(await invoices(world)).toEqual(['1900 paid, not_collecting'])
    await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
    await world.endPeriod()
    await buyFrom(world, 'Exempt', berlin)
    expect(await invoices(world)).toEqual(['1900 paid, not_collecting', '900 paid, exempt'])
    await addsUp(world)
  },
  'a price that contains its tax: refunds in parts give the tax back, each with a credit note': async (world) => {
    await buyFrom(world, 'Gross', berlin)
    expect(await invoices(world)).toEqual(['1190 paid, 190 tax'])
    const ledger = async () =>
      (
        await world.server.db.pool.query(
          `select case source when 'tax' then 'tax' else 'net' end as part, sum(cents)::int as cents from money_ledger group by 1 order by 1`,
        )
      ).rows
    expect(await ledger()).toEqual([
      { part: 'net', cents: 1_000 },
      { part: 'tax', cents: 190 },
    ])
    await refund(world, 333)
    await addsUp(world)
    await refund(world, 857)
    expect(await ledger()).toEqual([
      { part: 'net', cents: 0 },
      { part: 'tax', cents: 0 },
    ])
    expect(await world.credits()).toBe(0)
    const notes = await world.stripe.creditNotes.list({ customer: await world.customer() })
    expect(notes.data.map(({ total }) => total).sort()).toEqual([333, 857])
    await addsUp(world)
  },
  'a refund at the payment provider gets its credit note, too, and once': async (world) => {
    await buyFrom(world, 'Pro', berlin)
    const { rows } = await world.server.db.pool.query('select payment_intent_id as intent from invoices')
    await world.stripe.refunds.create({ payment_intent: rows[0].intent, amount: 1_000 })
    await world.settle()
    await world.settle()
    expect((await world.stripe.creditNotes.list({ customer: await world.customer() })).data).toHaveLength(1)
    await addsUp(world)
  },
  'a refund takes credits and tax back, also when other credit notes leave no room for its own': async (world) => {
    await buyFrom(world, 'Pro', berlin)
    const [invoice] = await world.invoices()
    await world.stripe.creditNotes.create({ invoice: invoice!.id, amount: 2_261, credit_amount: 2_261 })
    await refund(world, 2_261)
    expect(await world.credits()).toBe(0)
    const { rows } = await world.server.db.pool.query(
      `select sum(cents)::int as cents, sum(cents) filter (where source = 'tax')::int as tax from money_ledger`,
    )
    expect(rows).toEqual([{ cents: 0, tax: 0 }])
  },
  'what is credited before payment is never paid, nor its tax; a refund of the rest gives the rest back': async (
    world,
  ) => {
    await buyFrom(world, 'Pro', berlin)
    const { stripe } = world
    const customer = await world.customer()
    const { id } = await stripe.invoices.create({ customer, currency: 'usd', automatic_tax: { enabled: true } })
    const item = { customer, invoice: id!, description: 'Setup', tax_behavior: 'exclusive' as const }
    await stripe.invoiceItems.create({ ...item, amount: 3_000 })
    await stripe.invoices.finalizeInvoice(id!)
    await stripe.creditNotes.create({ invoice: id!, amount: 1_190 })
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    await stripe.invoices.pay(id!, { payment_method: card.id })
    await world.settle()
    await addsUp(world)
    for (const cents of [1_000, 1_380]) {
      await refundInvoice(world.server.deps, { actId: crypto.randomUUID(), invoiceId: id!, cents, operator: 'test' })
      await world.settle()
      await addsUp(world)
    }
  },
  'a dispute takes the tax with it, and winning it brings both back': async (world) => {
    await buyFrom(world, 'Pro', berlin)
    const { data } = await world.stripe.charges.list({ customer: await world.customer() })
    const dispute = await world.stage.openDispute(data[0]!.id)
    await world.settle()
    const tax = async () =>
      (await world.server.db.pool.query(`select sum(cents)::int as cents from money_ledger where source = 'tax'`))
        .rows[0]
    expect(await tax()).toEqual({ cents: 0 })
    await world.stage.closeDispute(dispute, 'won')
    await world.settle()
    expect(await tax()).toEqual({ cents: 361 })
    await addsUp(world)
  },
  'a change in the middle of a period is taxed on both of its lines': async (world) => {
    await buyFrom(world, 'Pro', berlin)
    await world.pass(10 * 86_400, 2)
    const { id } = await world.subscription()
    await world.portal({ action: 'change', subscription: id, price: world.plans.Max!.priceId })
    expect(await world.subscription()).toMatchObject({ plan: { name: 'Max' } })
    const [changed] = await world.invoices()
    expect(changed!.tax!.amount).toBe(changed!.amount - Math.round(changed!.amount / 1.19))
    await addsUp(world)
  },
  'a downgrade is taxed when it begins': async (world) => {
    await buyFrom(world, 'Max', berlin)
    const { id } = await world.subscription()
    await world.portal({ action: 'change', subscription: id, price: world.plans.Pro!.priceId })
    await world.endPeriod()
    expect(await invoices(world)).toEqual(['5831 paid, 931 tax', '2261 paid, 361 tax'])
    await addsUp(world)
  },
  'a trial begins without tax and continues with it': async (world) => {
    await buyFrom(world, 'Pro', berlin, true)
    expect(await invoices(world)).toEqual([])
    await world.pass(15 * 86_400, 3)
    expect(await invoices(world)).toEqual(['2261 paid, 361 tax'])
    await addsUp(world)
  },
  'pay-as-you-go is taxed on usage and minimum': async (world) => {
    await buyFrom(world, 'Pay-as-you-go', berlin)
    await world.spend(4_000)
    expect(await world.get('/api/billing/upcoming-invoice')).toMatchObject({
      upcoming: { amount: 100, tax_added: true },
    })
    await world.endPeriod()
    expect(await invoices(world)).toEqual(['119 paid, 19 tax'])
    await addsUp(world)
  },
  'a top-up and an automatic one are taxed; their credits are those of the packs': async (world) => {
    await buyFrom(world, 'Pro', berlin)
    await world.topUp(1, { saveCard: true })
    await world.spend(109_500)
    const body = { enabled: true, threshold: 1_000, monthlyCapCents: 500 }
    await world.person.call('POST', '/api/billing/credits/auto-topup', { body })
    await world.pass(60)
    expect(await world.credits()).toBe(10_500)
    // Those of the same second have no order.
    expect((await invoices(world)).sort()).toEqual(['2261 paid, 361 tax', '238 paid, 38 tax', '238 paid, 38 tax'])
    await addsUp(world)
  },
  'a subscription whose place is lost renews without tax, is found, and is taxed again': async (world) => {
    await buyFrom(world, 'Pro', berlin)
    const customer = await world.customer()
    await world.stripe.customers.update(customer, { address: '', tax: { validate_location: 'deferred' } })
    await world.settle()
    expect(await details(world)).toMatchObject({ address: null, located: false })
    await world.endPeriod()
    expect(await invoices(world)).toEqual(['2261 paid, 361 tax', '1900 paid, no_location'])
    const lost = () => world.server.db.pool.query('select tax_off from subscriptions where tax_off is not null')
    expect((await lost()).rows).toEqual([{ tax_off: 'requires_location_inputs' }])
    const body = { name: 'Bär GmbH', country: 'DE', postalCode: '10119', city: 'Berlin' }
    expect((await world.person.call('PUT', '/api/billing/address', { body })).status).toBe(200)
    await world.settle()
    expect((await lost()).rows).toEqual([])
    await world.pass(HOUR)
    await world.endPeriod()
    expect((await invoices(world)).at(-1)).toBe('2261 paid, 361 tax')
    await addsUp(world)
  },
}
