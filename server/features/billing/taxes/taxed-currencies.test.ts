import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { syncCatalog } from '../plans/sync-catalog.ts'
import { refundInvoice } from '../refunds/refund-invoice.ts'
import { accountOf, pressCheckout, settleBilling, spend } from '../testing/billing.ts'
import { berlin, setUpTaxes } from '../testing/set-up-taxes.ts'
import { runAutoTopups } from '../topups/auto-topup.ts'

const server = await closeAfterTests(startTestServer({ env: { TAXES: 'stripe' } }))
await setUpTaxes(server)
const { client } = server.deps.stripe!
const { rows: packs } = await server.db.pool.query('select price_id from credit_packs where active')
await client.prices.update(packs[0].price_id, {
  currency_options: {
    jpy: { unit_amount: 333, tax_behavior: 'exclusive' },
    kwd: { unit_amount: 650, tax_behavior: 'exclusive' },
  },
})
await syncCatalog(server.deps)

// 19 percent of 333 yen are 63; of 0.650 dinars 0.1235, in tens 0.120.
test.each([
  { currency: 'jpy', total: 396, tax: 63, part: 100, shown: '¥396' },
  { currency: 'kwd', total: 770, tax: 120, part: 200, shown: 'KWD\u00a00.770' },
])('taxed packs in $currency: bought, bought automatically, refunded in part and in full', async (given) => {
  const { currency, total, tax, part, shown } = given
  const person = await startSession(server)
  const get = async (path: string) => (await person.call('GET', path)).body.data
  const post = (path: string, body: object) => person.call('POST', `/api/billing/${path}`, { body })
  const ledger = async () =>
    (
      await server.db.pool.query(
        `select currency, sum(cents)::int as cents, sum(cents) filter (where source = 'tax')::int as tax
         from money_ledger where account_id = $1 group by 1`,
        [await accountOf(server, person)],
      )
    ).rows
  const opened = await post('credits/topup', { packs: 1, saveCard: true, currency })
  await pressCheckout(opened.body.data.url, 'pay', undefined, berlin)
  await settleBilling(server)
  await spend(server, person, 9_500)
  expect(
    (await post('credits/auto-topup', { enabled: true, threshold: 1_000, monthlyCapCents: total - 1 })).body.error,
  ).toBe(`monthlyCapCents: one top-up costs ${shown} with tax, so the cap must be at least that`)
  await post('credits/auto-topup', { enabled: true, threshold: 1_000, monthlyCapCents: total })
  await runAutoTopups(server.deps)
  await settleBilling(server)
  expect((await get('/api/billing/credits')).credits.remaining).toBe(10_500)
  const invoices = await get('/billing/invoices')
  expect(invoices.map((one: { amount: number; tax: { amount: number } }) => [one.amount, one.tax.amount])).toEqual([
    [total, tax],
    [total, tax],
  ])
  expect(await ledger()).toEqual([{ currency, cents: 2 * total, tax: 2 * tax }])
  const refund = async (cents?: number) => {
    const asked = { actId: randomUUID(), invoiceId: invoices[0].id, cents, operator: 'command line' }
    await refundInvoice(server.deps, asked)
    await settleBilling(server)
  }
  const { data } = await client.customers.list({ email: person.email })
  const noted = async () =>
    (await client.creditNotes.list({ customer: data[0]!.id, limit: 100 })).data
      .flatMap(({ total_taxes }) => total_taxes ?? [])
      .reduce((sum, { amount }) => sum + amount, 0)
  await refund(part)
  expect(await ledger()).toEqual([{ currency, cents: 2 * total - part, tax: 2 * tax - (await noted()) }])
  await refund()
  expect(await noted()).toBe(tax)
  expect(await ledger()).toEqual([{ currency, cents: total, tax }])
})
