import { expect, type Page } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import { hold } from './answers.ts'
import { expectAccessible } from './axe.ts'
import { openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { reloadUntilSeen, takenOver } from './settled.ts'

test.use({ apart: 'currencies' })
test.describe.configure({ mode: 'serial' })

async function expectGood(page: Page, name: string) {
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page, name)
  await page.setViewportSize({ width: 1280, height: 900 })
  await expectAccessible(page, name)
}

/** Publishes a product with prices in other currencies, as an operator does. */
async function sellIn(page: Page, product: string, prices: string) {
  await page.goto('/operator/products')
  await page.getByRole('link', { name: product, exact: true }).click()
  await page.getByLabel('Prices in other currencies').fill(prices)
  for (const button of ['Save draft', 'Publish']) {
    await page.getByRole('button', { name: button }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Reason').fill('For customers in Europe and Japan')
    await form.getByRole('button', { name: button }).click()
    await expect(form).toBeHidden()
  }
  await expect(page.getByText('Nothing differs from what is on sale.')).toBeVisible()
}

test('with one currency, nobody is asked for one', async ({ page, baseURL }) => {
  // By a link: what the server draws now, it would still send when the prices have changed.
  await page.goto('/demo')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Pricing' }).click()
  await expect(page.getByText('$19', { exact: true })).toBeVisible()
  await expect(page.getByRole('group', { name: 'Currency' })).toBeHidden()
  await openBilling(page, baseURL)
  await expect(planCard(page, 'Pro')).toContainText('$19')
  await expect(page.getByRole('group', { name: 'Currency' })).toBeHidden()
})

test('an operator sets prices in other currencies', async ({ page }) => {
  await page.goto('/login?next=/operator/products')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Email address').fill('operator@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page).toHaveURL(/:\d+\/operator/)
  await page.goto('/operator/products')
  await page.getByRole('link', { name: 'Pro', exact: true }).click()
  await page.getByLabel('Prices in other currencies').fill('EUR 17.00, JPY 29.5')
  await expect(page.getByText('Enter prices such as EUR 17.00, JPY 2900.')).toBeVisible()
  await page.getByLabel('Prices in other currencies').fill('EUR 17.00, JPY 2900')
  await expect(page.getByRole('row', { name: /^In other currencies/ })).toContainText('€17.00')
  await expectGood(page, 'currencies console')
  await page.reload()
  await sellIn(page, 'Pro', 'EUR 17.00, JPY 2900')
  await sellIn(page, 'Pay-as-you-go', 'JPY 2 from 150')
  await sellIn(page, '10,000 credits', 'EUR 1.80')
})

test('a currency pressed before the scripts of the page is chosen once they have come', async ({ page }) => {
  const release = await hold(page, '**/assets/{visitor-currency,calculator}*.js')
  const fetched = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/api/public/plans'))
  await page.goto('/docs/pricing', { waitUntil: 'commit' })
  const choice = page.getByRole('group', { name: 'Currency' })
  const [drawn, below] = await Promise.all(
    [choice, page.getByRole('heading', { name: 'What a month costs' })].map((one) => one.elementHandle()),
  )
  await fetched
  await takenOver(page)
  await choice.getByRole('button', { name: 'EUR' }).click()
  release()
  await expect(choice.getByRole('button', { name: 'EUR' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByText('€17', { exact: true })).toBeVisible()
  // Neither was taken away meanwhile, to come again.
  for (const one of [drawn, below]) expect(await one!.evaluate(({ isConnected }) => isConnected)).toBe(true)
})

test('a visitor chooses yen or euros on Pricing', async ({ page }) => {
  const card = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
  await page.goto('/docs/pricing')
  const choice = page.getByRole('group', { name: 'Currency' })
  await expect(card('Pro')).toContainText('$19')
  await choice.getByRole('button', { name: 'JPY' }).click()
  await expect(card('Pro')).toContainText('¥2,900')
  await expect(card('Pay-as-you-go')).toContainText('¥150/month minimum')
  await expect(page.getByRole('main')).not.toContainText('$')
  await page.getByRole('button', { name: 'Annual' }).click()
  await expect(card('Pro')).toContainText('¥2,320')
  await expectGood(page, 'currencies pricing jpy')
  await choice.getByRole('button', { name: 'EUR' }).click()
  await expect(page.getByText('Not sold in EUR: Pay-as-you-go.')).toBeVisible()
  await expect(card('Pro')).toContainText('€13.60')
  await expectGood(page, 'currencies pricing eur')
})

test('the choice follows to Billing and to the payment page, and then stays', async ({ page, baseURL }) => {
  await page.goto('/docs/pricing')
  const choice = page.getByRole('group', { name: 'Currency' })
  await choice.getByRole('button', { name: 'EUR' }).click()
  await expect(choice.getByRole('button', { name: 'EUR' })).toHaveAttribute('aria-pressed', 'true')
  await openBilling(page, baseURL)
  await expect(choice.getByRole('button', { name: 'EUR' })).toHaveAttribute('aria-pressed', 'true')
  await expect(planCard(page, 'Pro')).toContainText('€17')
  await choice.getByRole('button', { name: 'JPY' }).click()
  await expect(planCard(page, 'Pro')).toContainText('¥2,900')
  await expectGood(page, 'currencies billing jpy')
  await choice.getByRole('button', { name: 'EUR' }).click()
  await planCard(page, 'Free')
    .getByRole('button', { name: /^Redeem free plan/ })
    .click()
  await expect(planCard(page, 'Free').getByRole('button', { name: 'Current Plan' })).toBeDisabled()
  await page.getByRole('button', { name: 'Buy credits' }).click()
  await expect(page.getByRole('dialog')).toContainText('€1.80')
  await page.keyboard.press('Escape')
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await expect(page.getByRole('heading', { name: 'Checkout', level: 1 })).toBeVisible()
  await expect(page.locator('body')).toContainText('€17')
  await expectGood(page, 'currencies checkout eur')
  await page.getByRole('button', { name: 'Start trial' }).click()
  await expect(page.getByRole('region', { name: 'Current plan' })).toContainText('€17 monthly')
  await expect(page.getByText(/^Pro is billed in EUR\. To pay in another currency, cancel it/)).toBeVisible()
  await expect(page.getByRole('group', { name: 'Currency' })).toBeHidden()
  await expect(page.getByRole('region', { name: 'Upcoming invoice' })).toContainText('€17.00')
  await expectGood(page, 'currencies billing fixed')
  await page.getByRole('button', { name: 'Buy credits' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue to payment' }).click()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.goto(`${baseURL}/dashboard/billing/invoices`)
  await reloadUntilSeen(page, page.getByRole('cell', { name: '€1.80' }))
  await expectGood(page, 'currencies invoices')
})

test('a checkout in yen', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await page.getByRole('group', { name: 'Currency' }).getByRole('button', { name: 'JPY' }).click()
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await expect(page.getByRole('heading', { name: 'Checkout', level: 1 })).toBeVisible()
  await expect(page.locator('body')).toContainText('¥2,900')
  await expectGood(page, 'currencies checkout jpy')
})

test('the simulator has the money of each currency apart', async ({ page, product }) => {
  const { db, close } = await connect({ FINMETER_DATA_DIR: product.dir })
  await db.pool.query(
    `insert into tool_months (month, account_id, tool_id, calls, charged, credits)
     select (date_trunc('month', app_now() at time zone 'UTC') - interval '1 month')::date, c.account_id, t.id, 30000, 30000, 30000
     from billing_customers c, (select min(id) as id from tools where name = 'get_bars') t`,
  )
  await close()
  await page.goto('/login?next=/operator/products')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Email address').fill('operator@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page).toHaveURL(/:\d+\/operator/)
  await page.goto('/operator/products/simulate')
  await page.getByLabel('New price of get_bars').fill('2')
  await page.getByRole('button', { name: 'Simulate' }).click()
  const totals = page.getByRole('region', { name: 'Totals, table' })
  await expect(totals.getByRole('row', { name: /^Money in EUR/ })).toContainText('€17.00€17.00€0.000 of 10 of 1')
  await expect(totals.getByRole('row', { name: /^Money in USD/ })).toContainText('$6.00$12.00+$6.001 of 10 of 1')
  await expectGood(page, 'simulator currencies')
})
