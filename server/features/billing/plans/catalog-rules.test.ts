import { pino } from 'pino'
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { settleBilling } from '../testing/billing.ts'
import { prepareCatalog } from './sync-catalog.ts'

// The rules of the specification, end to end: a seller edits products, a customer reads plans.
let server: TestServer
let person: TestSession
let stripe: Stripe
beforeAll(async () => {
  server = await startTestServer()
  person = await startSession(server)
  stripe = server.deps.stripe!.client
})
afterAll(() => server.close())

const month = { interval: 'month' } as const
const sell = (name: string, metadata: Record<string, string>, price: object = { unit_amount: 900 }) =>
  stripe.products.create({ name, metadata, default_price_data: { currency: 'usd', recurring: month, ...price } })
const offered = async (id: string): Promise<Plan | undefined> => {
  await settleBilling(server)
  const { plans } = (await person.call('GET', '/api/billing/plans')).body.data
  return plans.find((plan: Plan) => plan.id === id)
}
/** Startup log lines about products, in order. */
async function notices(): Promise<string[]> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await prepareCatalog({ ...server.deps, log })
  return lines.map((line) => JSON.parse(line)).flatMap(({ product, msg }) => (product ? `${product}: ${msg}` : []))
}

test.each([
  [{ credits: '5' }, 5],
  [{ credits: '5', credit: '7' }, 5],
  [{ credit: '7' }, 7],
  [{ credits: '0', credit: '7' }, 7],
  [{ credits: '1.5', credit: '9' }, 9],
  [{ credits: '-3' }, 1000],
  [{ credits: 'many' }, 1000],
  [{}, 1000],
])('a plan with metadata %j gives %d credits', async (metadata, credits) => {
  const { id } = await sell('Credits', metadata as Record<string, string>)
  expect(await offered(id)).toMatchObject({ credits, type: 'paid', price: 900 })
  await stripe.products.update(id, { active: false })
})

test('a plan is free if its price is 0, and pay-as-you-go by its metadata alone', async () => {
  const gift = await sell('Gift', {}, { unit_amount: 0 })
  const cent = await sell('Cent', {}, { unit_amount: 1 })
  const { data } = await stripe.billing.meters.list({ limit: 1 })
  const fraction = await stripe.products.create({ name: 'By the call', metadata: { type: 'payg', credits: '500' } })
  const metered = await stripe.prices.create({
    product: fraction.id,
    currency: 'usd',
    unit_amount_decimal: '0.0125' as unknown as Stripe.Decimal,
    recurring: { ...month, usage_type: 'metered', meter: data[0]!.id },
  })
  await stripe.products.update(fraction.id, { default_price: metered.id })
  expect(await offered(gift.id)).toMatchObject({ type: 'free', price: 0 })
  expect(await offered(cent.id)).toMatchObject({ type: 'paid', price: 1 })
  expect(await offered(fraction.id)).toMatchObject({
    type: 'paid',
    price: 0,
    credits: 0,
    metadata: { type: 'payg' },
    default_price: { id: metered.id, unit_amount_decimal: '0.0125' },
  })
  for (const { id } of [gift, cent, fraction]) await stripe.products.update(id, { active: false })
})

test('a plan has every field of the specification, as its seller wrote them', async () => {
  const made = await stripe.products.create({
    name: 'Project',
    description: 'For a team.',
    metadata: { credits: '12', rate_limit: '7' },
    marketing_features: [{ name: 'One' }, { name: 'Two' }],
    default_price_data: { currency: 'usd', unit_amount: 12_345, recurring: { interval: 'year' } },
  })
  const price = String(made.default_price)
  expect(await offered(made.id)).toEqual({
    id: made.id,
    productId: made.id,
    priceId: price,
    name: 'Project',
    description: 'For a team.',
    price: 12_345,
    currency: 'usd',
    interval: 'year',
    active: true,
    type: 'paid',
    current: false,
    credits: 12,
    features: ['One', 'Two'],
    marketing_features: [{ name: 'One' }, { name: 'Two' }],
    metadata: { credits: '12', rate_limit: '7' },
    default_price: { id: price, unit_amount_decimal: '12345' },
  })
  await stripe.products.update(made.id, { active: false })
})

test('a yearly price is offered if it is exactly twelve months minus 20 percent; others are logged', async () => {
  const { id: product } = await sell('Yearly', { credits: '1' }, { unit_amount: 999 })
  const yearly = (unit_amount: number) =>
    stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval: 'year' } })
  const wrong = await yearly(9_591)
  expect(await offered(product)).not.toHaveProperty('annual')
  expect(await notices()).toEqual([
    `${product}: a Stripe product is not offered as configured: its yearly price must be 9590 cents (twelve months minus 20 percent)`,
  ])
  await stripe.prices.update(wrong.id, { active: false })
  const right = await yearly(9_590)
  expect(await offered(product)).toMatchObject({ price: 999, annual: { priceId: right.id, price: 9_590 } })
  expect(await notices()).toEqual([])
  await stripe.products.update(product, { active: false })
})

test('what is not a plan is not listed, and the log says why', async () => {
  const priceless = await stripe.products.create({ name: 'Priceless' })
  const once = await sell('Once', {}, { recurring: undefined, unit_amount: 100 })
  const weekly = await sell('Weekly', {}, { recurring: { interval: 'week' }, unit_amount: 100 })
  const quarterly = await sell('Quarterly', {}, { recurring: { ...month, interval_count: 3 }, unit_amount: 100 })
  const pack = await sell(
    'Empty pack',
    { type: 'credits', credits: 'some' },
    { recurring: undefined, unit_amount: 100 },
  )
  const hidden = [priceless, once, weekly, quarterly, pack]
  for (const { id } of hidden) expect(await offered(id)).toBeUndefined()
  const reason = 'a Stripe product is not offered as configured:'
  expect((await notices()).toSorted()).toEqual(
    [
      `${priceless.id}: ${reason} it has no active default price`,
      `${once.id}: ${reason} its default price is not recurring`,
      `${weekly.id}: ${reason} its price must be monthly or yearly`,
      `${quarterly.id}: ${reason} its price must be monthly or yearly`,
      `${pack.id}: ${reason} a credit pack needs a one-time price and an integer metadata.credits`,
    ].toSorted(),
  )
  for (const { id } of hidden) await stripe.products.update(id, { active: false })
})
