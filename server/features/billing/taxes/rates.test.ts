import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { buyCredits, buyPlan, passTime, plansByName, settleBilling, spend } from '../testing/billing.ts'
import { runAutoTopups } from '../topups/auto-topup.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer({ env: { TAXES: 'rates' } })
  const { taxRates } = server.deps.stripe!.client
  const rate = (country: string, percentage: number, inclusive = false) =>
    taxRates.create({ display_name: 'VAT', country, percentage, inclusive })
  await rate('DE', 19, true)
  await rate('DE', 19)
  await rate('CH', 8.1)
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
})

const get = async (path: string) => (await person.call('GET', path)).body.data
const live = (country: string) => person.call('PUT', '/api/billing/address', { body: { name: 'Buyer', country } })
const invoices = async () =>
  (await get('/billing/invoices'))
    .toReversed()
    .map(({ amount, tax }: { amount: number; tax?: { amount: number } }) => `${amount}, ${tax?.amount ?? 'no'} tax`)

test('the rate of the country is added; without an address the customer is asked for one first', async () => {
  const { Pro } = await plansByName(person)
  for (const [path, body] of [
    ['/api/billing/checkout', { priceId: Pro!.priceId }],
    ['/api/billing/credits/topup', { packs: 1 }],
  ] as const)
    expect((await person.call('POST', path, { body })).body).toMatchObject({
      code: 'conflict',
      error: 'Add your billing address under Billing first. The tax depends on its country.',
    })
  await live('DE')
  await buyPlan(server, person, Pro)
  await buyCredits(server, person, 1, { saveCard: true })
  await spend(server, person, 109_500)
  await person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: true, threshold: 1_000 } })
  await runAutoTopups(server.deps)
  await settleBilling(server)
  // Those of the same second have no order.
  expect((await invoices()).sort()).toEqual(['2261, 361 tax', '238, 38 tax', '238, 38 tax'])
  expect((await get('/billing/invoices')).find(({ amount }: { amount: number }) => amount === 238).tax).toEqual({
    amount: 38,
    lines: [{ label: 'VAT', percent: 19, amount: 38, included: false }],
    untaxed: null,
  })
})

test('a country without a rate pays none, and a page that is open is made anew after a move', async () => {
  const { Pro } = await plansByName(person)
  const open = async () =>
    (await person.call('POST', '/api/billing/checkout', { body: { priceId: Pro!.priceId, trial: false } })).body.data
      .url
  await live('JP')
  const first = await open()
  expect(await open()).toBe(first)
  await live('CH')
  expect(await open()).not.toBe(first)
  await buyPlan(server, person, Pro)
  expect(await invoices()).toEqual(['2054, 154 tax'])
  const credits = (await person.call('POST', '/api/billing/credits/topup', { body: { packs: 1 } })).body.data.url
  await live('DE')
  expect(await (await fetch(credits)).text()).not.toContain('name="outcome"')
})

test('after a move the next invoice has the rate of the new country', async () => {
  const { Pro } = await plansByName(person)
  await live('DE')
  await buyPlan(server, person, Pro)
  await live('JP')
  await passTime(server, 32 * 86_400)
  await passTime(server, 7_200)
  expect(await invoices()).toEqual(['2261, 361 tax', '1900, no tax'])
})

test('another country on the payment page is the rate of the next invoice', async () => {
  const { Pro } = await plansByName(person)
  await live('DE')
  const buyer = { country: 'CH', line1: 'Bahnhofstr. 1', postal_code: '8001', city: 'Zürich', business_name: 'Uhr AG' }
  await buyPlan(server, person, Pro, { buyer })
  await passTime(server, 32 * 86_400)
  await passTime(server, 7_200)
  expect(await invoices()).toEqual(['2261, 361 tax', '2054, 154 tax'])
})

test('pay-as-you-go with its minimum has the rate', async () => {
  const plans = await plansByName(person)
  await live('DE')
  await buyPlan(server, person, plans['Pay-as-you-go'])
  await passTime(server, 32 * 86_400)
  const { billUsage } = await import('../pay-as-you-go/bill-usage.ts')
  await billUsage(server.deps)
  await passTime(server, 7_200)
  expect(await invoices()).toEqual(['119, 19 tax'])
})

test('a spend cap is for usage at its price: the tax comes on top', async () => {
  const plans = await plansByName(person)
  await live('DE')
  await buyPlan(server, person, plans['Pay-as-you-go'])
  await person.call('PUT', '/api/billing/preferences', { body: { spendCapCents: 200 } })
  expect(await spend(server, person, 20_000)).toBe('charged')
  expect(await spend(server, person, 1)).toBe('insufficient_credits')
  await passTime(server, 32 * 86_400)
  const { billUsage } = await import('../pay-as-you-go/bill-usage.ts')
  await billUsage(server.deps)
  await passTime(server, 7_200)
  expect(await invoices()).toEqual(['238, 38 tax'])
})

test('a plan changes only to prices that go with its rate; the way to others is to end it first', async () => {
  const { client } = server.deps.stripe!
  const price = (unit_amount: number, tax_behavior: 'exclusive' | 'inclusive') => ({
    currency: 'usd',
    unit_amount,
    tax_behavior,
    recurring: { interval: 'month' as const },
  })
  for (const [name, given] of [
    ['Gross', price(2_380, 'inclusive')],
    ['Gross max', price(4_760, 'inclusive')],
  ] as const)
    await client.products.create({ name, metadata: { credits: '5000' }, default_price_data: given })
  await settleBilling(server)
  const plans = await plansByName(person)
  await live('DE')
  await buyPlan(server, person, plans.Gross)
  const first = await openPortal(person)
  expect(first.page).toContain('Gross max, ')
  expect(first.page).not.toContain('Pro, ')
  const { subscription } = await get('/api/billing/subscription')
  expect(subscription).toMatchObject({ plan: { name: 'Gross' }, fixed_tax_behavior: 'inclusive' })
  const change = async ({ url, page }: { url: string; page: string }, id: string, price: string) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token: tokenOf(page), action: 'change', subscription: id, price }),
    })

  // Others open theirs meanwhile: one whose prices are of the other kind, and one without a plan.
  const other = await startSession(server)
  await other.call('PUT', '/api/billing/address', { body: { name: 'Buyer', country: 'DE' } })
  await buyPlan(server, other, plans.Pro)
  const second = await openPortal(other)
  expect(second.page).not.toContain('Gross, ')
  expect((await openPortal(await startSession(server))).page).not.toContain('New plan')
  const again = await (await fetch(first.url)).text()
  expect(again).toContain('Gross max, ')
  expect(again).not.toContain('Pro, ')
  expect(await (await change(first, subscription.id, plans.Pro!.priceId)).text()).toContain(
    'This change is not available.',
  )
  expect((await change(first, subscription.id, plans['Gross max']!.priceId)).status).toBe(303)
  await settleBilling(server)
  expect((await invoices()).at(0)).toBe('2380, 380 tax')

  const held = (await other.call('GET', '/api/billing/subscription')).body.data.subscription
  expect(held.fixed_tax_behavior).toBe('exclusive')
  expect((await change(second, held.id, plans.Pro!.annual!.priceId)).status).toBe(303)
  await settleBilling(server)
  person = other
  expect((await get('/api/billing/subscription')).subscription).toMatchObject({ plan: { interval: 'year' } })
  // What Stripe does with a change to a price of the other kind.
  await expect(
    client.subscriptions.update(held.id, {
      items: [{ id: (await client.subscriptions.retrieve(held.id)).items.data[0]!.id, price: plans.Gross!.priceId }],
      proration_behavior: 'always_invoice',
    }),
  ).rejects.toThrow('conflicts with the tax rates')
  expect((await server.db.pool.query('select offer from portal_configurations order by offer')).rows).toEqual([
    { offer: 'exclusive' },
    { offer: 'inclusive' },
    { offer: 'none' },
  ])
})

const tokenOf = (page: string) => /name="token" value="([^"]+)"/.exec(page)![1]!

async function openPortal(of: TestSession): Promise<{ url: string; page: string }> {
  const { url } = (await of.call('POST', '/api/billing/portal', { body: {} })).body.data
  return { url, page: await (await fetch(url)).text() }
}
