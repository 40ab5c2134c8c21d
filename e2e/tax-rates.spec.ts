import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { type Connection, connect } from '#server/cli/connect.ts'
import { compose } from '#server/compose.ts'
import { loadConfig } from '#server/config/config.ts'
import { freePort } from '#server/db/embedded.ts'
import { type ServerProcess, startServerProcess } from '#server/testing/process.ts'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { reloadUntilSeen } from './settled.ts'

// Uses its own server, whose taxes are the operator's own rates.
let server: ServerProcess
let connection: Connection
let dir: string
let url: string

test.beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'finmeter-rates-'))
  const port = String(await freePort())
  const env = { PORT: port, FINMETER_DATA_DIR: dir, NODE_ENV: 'development', TAXES: 'rates' }
  url = `http://localhost:${port}`
  server = startServerProcess(env)
  await server.ready
  connection = await connect(env)
  const operator = await compose(loadConfig(env), connection.databaseUrl, { sandboxTickMs: 0 })
  const { client } = operator.deps.stripe!
  for (const inclusive of [true, false])
    await client.taxRates.create({ display_name: 'VAT', country: 'DE', percentage: 19, inclusive })
  await client.products.create({
    name: 'Gross',
    metadata: { credits: '5000' },
    default_price_data: {
      currency: 'usd',
      unit_amount: 2_380,
      tax_behavior: 'inclusive',
      recurring: { interval: 'month' },
    },
  })
  await operator.close()
})
test.afterAll(async () => {
  await connection.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

test('a plan whose price has its tax in another way is explained, and the portal does not offer it', async ({
  browser,
}) => {
  const context = await browser.newContext({ baseURL: url })
  const page = await context.newPage()
  await openBilling(page, url, 'rates')
  await page.getByRole('region', { name: 'Tax details' }).getByRole('button', { name: 'Add address' }).click()
  const address = page.getByRole('dialog', { name: 'Billing address' })
  await address.getByLabel('Name or company').fill('Bär GmbH')
  await address.getByLabel('Country').selectOption('Germany')
  await address.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('region', { name: 'Tax details' })).toContainText('Bär GmbH')
  await reloadUntilSeen(page, planCard(page, 'Gross'))
  await expect(planCard(page, 'Gross')).toContainText('$23.80 monthly, tax included')
  await planCard(page, 'Gross')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('button', { name: 'Change Plan: Pro' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change to Pro' })
  await expect(dialog).toContainText(
    'Cancel Gross under Manage Billing first. It stays active until its period ends. Then choose Pro on this page.',
  )
  await expectAccessibleAtEachWidth(page, 'cancel-first')
  const opening = context.waitForEvent('page')
  await dialog.getByRole('button', { name: 'Manage Billing' }).click()
  const portal = await opening
  await expect(portal.getByRole('heading', { name: /^Gross/ })).toBeVisible()
  await expect(portal.getByRole('option', { name: /^Pro/ })).toHaveCount(0)
  await portal.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(portal.getByRole('button', { name: 'Keep subscription' })).toBeVisible()
  await expectAccessibleAtEachWidth(portal, 'rates-portal')
  await portal.close()
  await expect(async () => {
    await page.reload()
    await page.getByRole('button', { name: 'Change Plan: Pro' }).click()
    await expect(dialog).toBeVisible()
    await expect(dialog).toContainText(/Gross ends on \w+ \d+, \d{4}\. After that, choose Pro on this page\./, {
      timeout: 2000,
    })
  }).toPass()
  await context.close()
})
