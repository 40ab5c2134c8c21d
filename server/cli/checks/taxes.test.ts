import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyPlan, plansByName, settleBilling } from '#server/features/billing/testing/billing.ts'
import { berlin, setUpTaxes } from '#server/features/billing/testing/set-up-taxes.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { readFindings } from '../../features/operator/health/read-findings.ts'
import { createReport } from './report.ts'
import { checkTaxes } from './taxes.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { TAXES: 'stripe' } })
})
afterAll(() => server.close())

async function report(of = server): Promise<string[]> {
  const lines: string[] = []
  const collected = createReport((line) => void lines.push(line))
  await checkTaxes({ stripe: of.deps.stripe, db: of.db }, collected)
  return lines
}

test('a seller without an address and registrations is told, and what is set up is not', async () => {
  expect(await report()).toEqual([
    'WRONG  Stripe Tax does not know the address of your business, and computes no tax. Add it in the tax settings at Stripe.',
    'WRONG  Stripe Tax has no active registration, and adds no tax anywhere. Add where you are registered at Stripe.',
  ])
  await setUpTaxes(server)
  expect(await report()).toEqual(['ok     taxes are set up at Stripe'])
})

test('prices that say nothing of tax are named', async () => {
  const { client } = server.deps.stripe!
  const made = await client.products.create({
    name: 'Silent',
    default_price_data: { currency: 'usd', unit_amount: 900, recurring: { interval: 'month' } },
  })
  await settleBilling(server)
  await expect
    .poll(() => report())
    .toEqual([
      'WRONG  These prices do not say whether tax is included: Silent. Run npm run billing -- seed, or publish the product with its tax in the console.',
    ])
  await client.products.update(made.id, { active: false })
  await settleBilling(server)
})

test('paying customers whose place is lost are named, and what renewed without tax needs attention', async () => {
  const person = await startSession(server)
  const { Pro } = await plansByName(person)
  await buyPlan(server, person, Pro, { buyer: berlin })
  expect(await report()).toEqual(['ok     taxes are set up at Stripe'])
  const { rows } = await server.db.pool.query('select id from billing_customers')
  await server.deps.stripe!.client.customers.update(rows[0].id, {
    address: '',
    tax: { validate_location: 'deferred' },
  })
  await settleBilling(server)
  expect(await report()).toEqual([
    'WRONG  Paying customers have no billing address that a tax can be computed for: Personal. Ask them to add it under Billing.',
    'ok     taxes are set up at Stripe',
  ])
  const tax = async () => (await readFindings(server.deps)).filter(({ key }) => key === 'tax')
  expect(await tax()).toEqual([])
  await server.db.pool.query("update subscriptions set tax_off = 'requires_location_inputs'")
  expect(await tax()).toMatchObject([{ title: '1 subscription renews without tax', count: 1 }])
})

test('own rates: none, and two for one country', async () => {
  const own = await startTestServer({ env: { TAXES: 'rates' } })
  try {
    expect(await report(own)).toEqual([
      'WRONG  No active tax rate at Stripe names a country, so no tax is added. Add a rate for each country, or set TAXES=off.',
    ])
    const rate = { display_name: 'VAT', country: 'DE', percentage: 19, inclusive: false }
    const { id } = await own.deps.stripe!.client.taxRates.create({ ...rate, inclusive: true })
    expect(await report(own)).toEqual([
      'WRONG  These prices have no tax in any country: 10,000 credits, Pay-as-you-go, Pro. No active tax rate at Stripe is exclusive, as they are.',
    ])
    await own.deps.stripe!.client.taxRates.update(id, { active: false })
    await own.deps.stripe!.client.taxRates.create(rate)
    expect(await report(own)).toEqual(['ok     taxes are set up at Stripe'])
    await own.deps.stripe!.client.taxRates.create({ ...rate, percentage: 7 })
    expect(await report(own)).toEqual([
      'WRONG  2 active tax rates are for DE (added to prices). One of them is used. Archive the others at Stripe.',
    ])
  } finally {
    await own.close()
  }
})

test('while taxes are off nothing is asked or said', async () => {
  const off = await startTestServer()
  try {
    expect(await report(off)).toEqual([])
  } finally {
    await off.close()
  }
})

test('an invoice with reverse charge without the number of the seller is named, and one that has it is not', async () => {
  const { client } = server.deps.stripe!
  const own = await client.taxIds.create({ type: 'eu_vat', value: 'DE987654321' })
  const person = await startSession(server)
  const buyer = { ...berlin, country: 'FR', postal_code: '75001', city: 'Paris' }
  await buyPlan(server, person, (await plansByName(person)).Pro, {
    buyer: { ...buyer, tax_id_type: 'eu_vat', tax_id: 'FR12345678901' },
  })
  const { rows } = await server.db.pool.query(
    'select id, number, taxes from invoices order by created_at desc, id limit 1',
  )
  const ofSeller = () => report().then((lines) => lines.filter((text) => text.includes('your own tax ID')))
  expect(await ofSeller()).toEqual([
    `WRONG  Invoice ${rows[0].number} has reverse charge, but not your own tax ID. At Stripe, add it under Settings, Billing, Invoices, and make it the default.`,
  ])
  // What Stripe does with the account's default when it finalizes.
  await server.db.pool.query('update stripe_sandbox.objects set body = body || $2 where id = $1', [
    rows[0].id,
    JSON.stringify({ account_tax_ids: [own.id] }),
  ])
  expect(await ofSeller()).toEqual([])
})
