import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { openConsole, query } from './operator-console.ts'

test.use({ apart: 'operator-payments' })

/** Payments of two agents: 60 settled calls, a balance, one that nobody can decide, and one that failed. */
const payments = `
  insert into agent_payments (supplier, network, asset, payer, nonce, credential_hash, request_hash, pay_to, product, credits, micro_usd, atomic,
    account_id, state, reason, reference, receipt_id, valid_before, claimed_until, claimed_at, settling_at, decided_at)
  select 'x402', 'eip155:8453', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', '0x' || repeat(case when n = 61 then 'b' else 'a' end, 40),
    '0x' || lpad(n::text, 64, '0'), 'h', 'r', '0x' || repeat('f', 40), case when n = 61 then 'balance' else 'call' end,
    case when n = 61 then 5000 else 3 end, case when n = 61 then 5000000 else 3000 end, '3000',
    (select min(id) from accounts), case when n = 62 then 'unknown' when n = 63 then 'failed' else 'settled' end,
    case when n = 62 then 'not_answered' when n = 63 then 'insufficient_funds' end,
    case when n < 62 then '0x' || lpad(n::text, 64, 'c') end, case when n < 61 then 'rcpt_' || lpad(n::text, 20, '0') end,
    app_now(), app_now(), app_now() - interval '12 minutes', app_now() - interval '11 minutes', case when n <> 62 then app_now() end
  from generate_series(1, 63) n`

test('without agents who pay the console says how to turn it on; an undecided payment is found on Today, and one payment is read to its end', async ({
  page,
  product,
}) => {
  await openConsole(page)
  await page.getByRole('link', { name: 'Agent payments' }).click()
  const off = page.getByRole('region', { name: 'Agents cannot pay yet' })
  await expect(off).toContainText('npm ci --prefix packages/agent-payments')
  await expect(off).toContainText('X402_ADDRESS=0x...')
  await expectAccessibleAtEachWidth(page, 'payments off')

  await query(product, payments)
  await page.getByRole('link', { name: 'Today' }).click()
  const finding = page.getByRole('listitem').filter({ hasText: '1 payment of agents is undecided' })
  await finding.getByRole('link', { name: 'Open agent payments' }).click()
  await expect(page).toHaveURL(/\/operator\/payments\?state=unknown$/)
  await expect(page.getByRole('status').filter({ hasText: 'AGENT_PAYMENTS is off' })).toBeVisible()
  const list = page.getByRole('region', { name: 'Payments', exact: true })
  await expect(list.getByRole('row').nth(1)).toContainText('not answered')
  await expectAccessibleAtEachWidth(page, 'payments undecided')
  // Without a state in the address, undecided ones are first.
  await page.goto('/operator/payments')
  await expect(list.getByRole('button', { name: 'Undecided 1' })).toHaveAttribute('aria-pressed', 'true')

  await list.getByRole('button', { name: 'Settled 61' }).click()
  await expect(list.getByRole('row')).toHaveCount(52)
  await list.getByRole('button', { name: 'Show older payments' }).click()
  await expect(list.getByRole('row')).toHaveCount(63)
  await expect(list.getByRole('row', { name: /^Total/ })).toContainText('$5.18')
  const download = page.waitForEvent('download')
  await list.getByRole('button', { name: 'Download CSV: Payments' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('agent-payments-settled.csv')
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  expect(lines[0]).toBe(
    'Payment,Time (UTC),State,Bought,Amount (micro-USD),Credits,Payer,Network,Receipt or balance,Transaction,Reason',
  )
  expect(lines).toHaveLength(62)
  expect(lines[1]).toContain(`Settled,Balance,5000000,5000,0x${'b'.repeat(40)},eip155:8453,`)

  await list.getByLabel('Bought').selectOption('Balance')
  await expect(list.getByRole('row')).toHaveCount(2)
  await expect(page).toHaveURL(/product=balance/)
  await list.getByRole('button', { name: 'Remove filters' }).click()
  // Both pages are there still.
  await expect(list.getByRole('row')).toHaveCount(63)
  await list.getByLabel('Payer').fill(`0x${'B'.repeat(40)}`)
  await page.keyboard.press('Enter')
  await expect(list.getByRole('row')).toHaveCount(2)
  await expectAccessibleAtEachWidth(page, 'payments settled')
  await list.getByLabel('Payer').fill('0xnobody')
  await page.keyboard.press('Enter')
  await expect(list).toContainText('No matching payments')
  await list.getByRole('button', { name: 'Remove filters' }).click()

  await list.getByRole('row').nth(2).getByRole('link').first().click()
  await expect(page.getByRole('heading', { name: 'Payment of an agent', level: 1 })).toBeVisible()
  const purchase = page.getByRole('region', { name: 'Purchase' })
  await expect(purchase).toContainText('$0.003')
  await expect(purchase.getByRole('link', { name: 'rcpt_00000000000000000060' })).toHaveAttribute(
    'href',
    '/operator/receipts/rcpt_00000000000000000060',
  )
  await expect(page.getByRole('region', { name: 'Transfer' })).toContainText(`0x${'f'.repeat(40)}`)
  await expectAccessibleAtEachWidth(page, 'payment')
  await page.goto('/operator/payments/nothing')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
})
