import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { type Connection, connect } from '#server/cli/connect.ts'
import { compose } from '#server/compose.ts'
import { loadConfig } from '#server/config/config.ts'
import { freePort } from '#server/db/embedded.ts'
import { type ServerProcess, startServerProcess } from '#server/testing/process.ts'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { reloadUntilSeen } from './settled.ts'

// Uses its own server, which computes taxes as for a seller in Germany.
let server: ServerProcess
let connection: Connection
let dir: string
let url: string

test.beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'finmeter-taxes-'))
  const port = String(await freePort())
  const env = { PORT: port, FINMETER_DATA_DIR: dir, NODE_ENV: 'development', TAXES: 'stripe' }
  url = `http://localhost:${port}`
  server = startServerProcess(env)
  await server.ready
  connection = await connect(env)
  const operator = await compose(loadConfig(env), connection.databaseUrl, { sandboxTickMs: 0 })
  const { tax } = operator.deps.stripe!.client
  await tax.settings.update({ head_office: { address: { country: 'DE', city: 'Hamburg' } } })
  await tax.registrations.create({
    country: 'DE',
    country_options: { de: { type: 'standard' } },
    active_from: 'now',
  })
  await operator.close()
})
test.afterAll(async () => {
  await connection.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

const card = (page: Page) => page.getByRole('region', { name: 'Tax details' })

test('prices say that tax is added, on Pricing and on Billing', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: url })).newPage()
  await page.goto('/docs/pricing')
  const pro = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Pro', exact: true }) })
  await expect(pro).toContainText('$19 monthly, plus tax')
  const free = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Free', exact: true }) })
  await expect(free).not.toContainText('tax')
  await openBilling(page, url, 'prices')
  await expect(planCard(page, 'Pro')).toContainText('$19 monthly, plus tax')
  await page.context().close()
})

test('address and tax IDs are entered under Billing, and wrong ones refused in place', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: url })).newPage()
  await openBilling(page, url, 'details')
  await expect(card(page)).toContainText('None yet. The tax depends on it.')
  await expectAccessibleAtEachWidth(page, 'billing-no-address')
  await card(page).getByRole('button', { name: 'Add address' }).click()
  const dialog = page.getByRole('dialog', { name: 'Billing address' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('Enter the person or company that is invoiced.')
  await expect(dialog).toContainText('Choose a country.')
  await dialog.getByLabel('Name or company').fill('Bär GmbH')
  await dialog.getByLabel('Country').selectOption('United States')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('the payment provider does not know this place')
  await expect(dialog.getByLabel('Name or company')).toHaveValue('Bär GmbH')
  await expectAccessibleAtEachWidth(page, 'billing-address-dialog')
  await dialog.getByLabel('Country').selectOption('Germany')
  await dialog.getByLabel('Address', { exact: true }).fill('Torstr. 1')
  await dialog.getByLabel('Postal code').fill('10119')
  await dialog.getByLabel('City').fill('Berlin')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(card(page)).toContainText('Bär GmbHTorstr. 110119 BerlinGermany')

  await card(page).getByRole('button', { name: 'Add tax ID' }).click()
  const number = page.getByRole('dialog', { name: 'Add a tax ID' })
  await number.getByLabel('Tax ID').fill('DE12')
  await number.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(number).toContainText('This is not a tax ID of this kind. It looks like DE123456789.')
  await expectAccessibleAtEachWidth(page, 'billing-number-dialog')
  await number.getByLabel('Tax ID').fill('de 123 456 789')
  await number.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(card(page)).toContainText('DE123456789')
  await reloadUntilSeen(page, card(page).getByText('Verified', { exact: true }))
  await expectAccessibleAtEachWidth(page, 'billing-tax-details')
  await card(page).getByRole('button', { name: 'Remove DE123456789' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(card(page)).not.toContainText('DE123456789')
  await page.context().close()
})

test('a plan is bought with its tax, and the invoice says it', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: url })).newPage()
  await openBilling(page, url, 'buyer')
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await expect(page.getByRole('heading', { name: 'Checkout', level: 1 })).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'checkout-before-address')
  await page.getByLabel('Country').selectOption('Germany')
  await page.getByLabel('Postal code').fill('10119')
  await page.getByLabel('City').fill('Berlin')
  await page.getByLabel('Address', { exact: true }).fill('Torstr. 1')
  await page.getByRole('button', { name: 'Update total' }).click()
  await expectAccessibleAtEachWidth(page, 'checkout-with-tax')
  await page.getByRole('button', { name: 'Start trial' }).click()
  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
  await expect(page.getByText('You are then charged $19, plus tax, unless you cancel first')).toBeVisible()
  await page.getByRole('button', { name: 'Buy credits' }).click()
  await expect(page.getByRole('dialog')).toContainText('10,000 credits for $2, plus tax')
  await page.getByRole('button', { name: 'Continue to payment' }).click()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await expect(page.getByText('Payment complete. Your credits have been added.')).toBeVisible()
  const upcoming = page.getByRole('region', { name: 'Upcoming invoice' })
  await expect(upcoming).toContainText('VAT (19%)$3.61Total$22.61')
  await expectAccessibleAtEachWidth(page, 'billing-taxed')
  await page.goto('/dashboard/billing/invoices')
  const paid = page.getByRole('row').filter({ hasText: '10,000 credits' })
  await reloadUntilSeen(page, paid)
  await expect(paid).toContainText('$2.38incl. $0.38 tax')
  await expectAccessibleAtEachWidth(page, 'invoices-taxed')
  await page.context().close()
})

test('the operator reads the taxes of the month by country and reason', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: url })).newPage()
  await page.goto('/login?next=/operator')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Email address').fill('operator@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('link', { name: 'Taxes', exact: true }).click()
  const table = page.getByRole('region', { name: 'By country and reason, table' })
  await reloadUntilSeen(page, table)
  await expect(table.getByRole('row', { name: /DE/ })).toContainText('VAT (19%)Standard rate$2.00$0.00$0.38$0.00$0.38')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV: By country and reason' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toBe(
    'currency,country,tax,reason,net,net_returned,tax_collected,tax_returned,tax_payable\nusd,DE,VAT (19%),Standard rate,200,0,38,0,38\n',
  )
  await expectAccessibleAtEachWidth(page, 'operator-taxes')
  await page.getByLabel('Month (UTC)').selectOption({ index: 1 })
  await expect(page.getByText(/^No payments in 20/)).toBeVisible()
  await page.context().close()
})
