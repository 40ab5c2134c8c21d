import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { refundInvoice } from '../../billing/refunds/refund-invoice.ts'
import { accountOf, buyCredits, passTime, saveCard, settleBilling, spend } from '../../billing/testing/billing.ts'
import { berlin, setUpTaxes } from '../../billing/testing/set-up-taxes.ts'
import { settleAccounts } from '../../credits/settle.ts'
import { openConsole } from '../testing/console.ts'
import { foldFigures } from './fold-figures.ts'

const server = await closeAfterTests(startTestServer({ env: { TAXES: 'stripe' } }))
await setUpTaxes(server)

test('Finance has tax apart, the liability is without it, and the journal sums to 0', async () => {
  const buyer = await startSession(server)
  await buyCredits(server, buyer, 5, { buyer: berlin })
  await spend(server, buyer, 20_000)
  await settleAccounts(server.db)
  const { rows } = await server.db.pool.query('select id from invoices where account_id = $1', [
    await accountOf(server, buyer),
  ])
  await refundInvoice(server.deps, {
    actId: randomUUID(),
    invoiceId: rows[0].id,
    cents: 595,
    operator: 'command line',
  })
  await settleBilling(server)
  await passTime(server, 2)
  await foldFigures(server.db)
  const finance = await openConsole(server, 'finance')
  const get = async (path: string) => (await finance.call('GET', path)).body.data
  const { rows: revenue } = await get('/finance/revenue')
  expect(revenue).toMatchObject([
    { source: 'pack', label: 'Credit packs', received: 1_000, refunded: 500, net: 500 },
    { source: 'tax', label: 'Tax', received: 190, refunded: 95, net: 95 },
  ])
  // 50,000 credits for 1,000 cents: 20,000 burned, 25,000 taken back.
  expect((await get('/finance/liability')).rows).toMatchObject([{ source: 'pack', credits: 5_000, cents: 100 }])
  const { entries } = await get('/finance/refunds')
  expect(entries).toMatchObject([
    { label: 'Tax', cents: 95, credits_taken_back: 0 },
    { label: 'Credit packs', cents: 500, credits_taken_back: 25_000 },
  ])
  const { lines } = await get('/finance/journal')
  const sums = new Map<string, number>()
  for (const { account, debit, credit } of lines) sums.set(account, (sums.get(account) ?? 0) + debit - credit)
  expect(Object.fromEntries(sums)).toEqual({
    'Cash at the payment provider': 595,
    'Credit liability': -100,
    'Revenue from burned credits': -400,
    'Tax payable': -95,
  })
})

test('tax totals of a month by country and reason, with what went back; parts give each tax back whole', async () => {
  const { client } = server.deps.stripe!
  await passTime(server, 32 * 86_400)
  const paris = {
    country: 'FR',
    line1: '1 rue de Rivoli',
    postal_code: '75001',
    city: 'Paris',
    business_name: 'Étoile SARL',
    tax_id_type: 'eu_vat',
    tax_id: 'FR12345678901',
  }
  const zurich = { country: 'CH', line1: 'Bahnhofstr. 1', postal_code: '8001', city: 'Zürich', business_name: 'Uhr AG' }
  const buyer = await startSession(server)
  await buyCredits(server, buyer, 5, { buyer: berlin })
  await buyCredits(server, await startSession(server), 1, { buyer: paris })
  await buyCredits(server, await startSession(server), 2, { buyer: zurich })

  // One line with two taxes of the operator's own, of a state and a city, to be returned in parts that no cent divides.
  await saveCard(server, buyer, 'pm_card_visa')
  const { rows } = await server.db.pool.query('select id from billing_customers where account_id = $1', [
    await accountOf(server, buyer),
  ])
  const customer = rows[0].id
  const rate = (display_name: string, percentage: number) =>
    client.taxRates.create({ display_name, percentage, inclusive: false, country: 'US', state: 'CO' })
  const rates = [await rate('State tax', 2.9), await rate('City tax', 4.81)]
  const { id } = await client.invoices.create({
    customer,
    currency: 'eur',
    default_tax_rates: rates.map((one) => one.id),
  })
  await client.invoiceItems.create({ customer, invoice: id!, amount: 999, currency: 'eur', description: 'Setup' })
  await client.invoices.finalizeInvoice(id!)
  await client.invoices.pay(id!)
  await settleBilling(server)
  const isOfCity = ({ tax_rate_details: rate }: { tax_rate_details?: { tax_rate: string } | null }) =>
    rate?.tax_rate === rates[1]!.id
  /** Of each tax, the page has what the credit notes say, to the cent. */
  const expectNoted = async () => {
    const noted = (await client.creditNotes.list({ invoice: id!, limit: 100 })).data.flatMap(
      (note) => note.total_taxes!,
    )
    const sums = [noted.filter(isOfCity), noted.filter((one) => !isOfCity(one))].map((taxes) =>
      taxes.reduce((sum, { amount }) => sum + amount, 0),
    )
    const { rows: returned } = await server.db.pool.query(
      `select sum(returned)::int as cents from operator_taxes where tax->>'state' = 'CO' group by tax->>'label' order by tax->>'label'`,
    )
    expect(returned.map((row) => row.cents)).toEqual(sums)
  }
  const refund = async (cents: number) => {
    await refundInvoice(server.deps, { actId: randomUUID(), invoiceId: id!, cents, operator: 'command line' })
    await settleBilling(server)
  }
  for (const cents of [1, 2, 3, 7, 11, 476]) {
    await refund(cents)
    await passTime(server, 2)
    await foldFigures(server.db)
    await expectNoted()
  }

  const finance = await openConsole(server, 'finance')
  const month = (await server.db.pool.query(`select to_char(app_now() at time zone 'UTC', 'YYYY-MM') as month`)).rows[0]
    .month
  const line = { net_returned: 0, returned: 0, state: null }
  const city = { currency: 'eur', country: 'US', state: 'CO', percent: 4.81, label: 'City tax', reason: null }
  const state = { ...city, percent: 2.9, label: 'State tax' }
  const { rows: totals } = (await finance.call('GET', `/finance/taxes?month=${month}`)).body.data
  expect(totals).toEqual([
    { ...city, net: 999, collected: 48, net_returned: 464, returned: 23 },
    { ...state, net: 999, collected: 29, net_returned: 464, returned: 13 },
    {
      ...line,
      currency: 'usd',
      country: 'CH',
      label: 'VAT',
      percent: 0,
      reason: 'not_collecting',
      net: 400,
      collected: 0,
    },
    {
      ...line,
      currency: 'usd',
      country: 'DE',
      label: 'VAT',
      percent: 19,
      reason: 'standard_rated',
      net: 1_000,
      collected: 190,
    },
    {
      ...line,
      currency: 'usd',
      country: 'FR',
      label: 'VAT',
      percent: 0,
      reason: 'reverse_charge',
      net: 200,
      collected: 0,
    },
  ])

  await passTime(server, 32 * 86_400)
  await refund(576)
  await passTime(server, 2)
  await foldFigures(server.db)
  await expectNoted()
  const later = await openConsole(server, 'finance')
  expect((await later.call('GET', '/finance/taxes')).body.data.rows).toEqual([
    { ...city, net: 0, collected: 0, net_returned: 535, returned: 25 },
    { ...state, net: 0, collected: 0, net_returned: 535, returned: 16 },
  ])
})
