import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { refundInvoice } from '../../billing/refunds/refund-invoice.ts'
import { accountOf, buyCredits, passTime, settleBilling, spend } from '../../billing/testing/billing.ts'
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
