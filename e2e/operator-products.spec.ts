import { type Browser, expect, type Page } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import { createToolRegistry } from '#server/features/tools/registry.ts'
import { addVersion } from '#server/features/upstreams/add-version.ts'
import { prepareVersion } from '#server/features/upstreams/prepare-version.ts'
import { parseManifest } from '#server/features/upstreams/read-manifest.ts'
import { acmeDocument } from '#server/features/upstreams/testing/acme-document.ts'
import { productTools } from '#server/product-tools.ts'
import { expectAccessible } from './axe.ts'
import { planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

test.use({ apart: 'operator-products' })

async function enter(page: Page) {
  await page.goto('/login?next=/operator/products')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Email address').fill('operator@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page).toHaveURL(/:\d+\/operator/)
  await page.goto('/operator/products')
}

/** A customer who buys a plan and pays at the provider's page. Their own page stays open. */
async function subscriber(browser: Browser, baseURL: string, email: string, plan: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL })).newPage()
  await signIn(page, baseURL, email, '/dashboard/billing/')
  await planCard(page, plan)
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await page.getByRole('button', { name: /^(Start trial|Subscribe)$/ }).click()
  await expect(page.getByRole('region', { name: 'Current plan' })).toContainText(plan)
  return page
}

/** Both widths. */
async function expectGood(page: Page, name: string) {
  await page.setViewportSize({ width: 1280, height: 900 })
  await expectAccessible(page, name)
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page, name)
  await page.setViewportSize({ width: 1280, height: 900 })
}

async function act(page: Page, button: string, reason: string) {
  const form = page.getByRole(/Discard|Archive/.test(button) ? 'alertdialog' : 'dialog')
  await form.getByLabel('Reason').fill(reason)
  await form.getByRole('button', { name: button }).click()
  await expect(form).toBeHidden()
}

test('a price is raised: drafted, compared, published; visitors see it, and who is a customer keeps theirs', async ({
  page,
  browser,
  baseURL,
}) => {
  const customer = await subscriber(browser, baseURL, 'keeps-price@example.com', 'Pro')
  await enter(page)
  const sold = page.getByRole('table').filter({ hasText: 'Pay-as-you-go' })
  await expect(sold.getByRole('row', { name: /^Pro / })).toContainText('$19.00 monthly')
  await expectGood(page, 'products')
  await sold.getByRole('link', { name: 'Pro', exact: true }).click()
  await page.getByLabel('Price (USD)').fill('29')
  await page.getByLabel('Description').fill('For products and agents that never sleep.')
  await expect(page.getByRole('region', { name: 'As visitors see it' })).toContainText('$29')
  const difference = page.getByRole('region', { name: 'Changes', exact: true })
  await expect(difference.getByRole('row', { name: /^Price/ })).toContainText('$19.00 monthly$29.00 monthly')
  await expect(difference.getByRole('row', { name: /^Yearly price/ })).toContainText('$182.40$278.40')
  await expectGood(page, 'product edited')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await act(page, 'Save draft', 'Data has become dearer')
  await expect(page.getByText('Saved by operator@example.com.')).toBeVisible()
  await page.getByRole('button', { name: 'Publish' }).click()
  const dialog = page.getByRole('dialog', { name: 'Publish Pro' })
  await expect(dialog).toContainText('New customers pay $29.00 a month, or $278.40 a year.')
  await expect(dialog).toContainText('1 customer stays on the old price and keeps what it grants.')
  await expectAccessible(page, 'publish')
  await act(page, 'Publish', 'Data has become dearer')
  await expect(page.getByText('Nothing differs from what is on sale.')).toBeVisible()
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByRole('table')).toContainText('Price: $29.00 monthly')
  await expectGood(page, 'product history')
  await page.getByRole('tab', { name: 'Prices and customers' }).click()
  await expect(page).toHaveURL(/tab=prices/)
  await expect(page.getByRole('row', { name: /\$29\.00 monthly/ })).toContainText('On sale')
  await expectGood(page, 'product prices')
  await page.goto('/docs/pricing')
  await expect(page.getByText('For products and agents that never sleep.')).toBeVisible()
  await expect(page.getByText('$29', { exact: true })).toBeVisible()
  await customer.reload()
  await expect(customer.getByRole('region', { name: 'Current plan' })).toContainText('$19 monthly')
  await customer.context().close()
})

test('when another operator saves meanwhile, both versions are shown and nothing typed is lost', async ({
  page,
  context,
}) => {
  await enter(page)
  await page.getByRole('link', { name: 'Free', exact: true }).click()
  await page.getByLabel('Credits per month').fill('2000')
  const other = await context.newPage()
  await other.goto(page.url())
  await other.getByLabel('Credits per month').fill('3000')
  await other.getByRole('button', { name: 'Save draft' }).click()
  await act(other, 'Save draft', 'More for everybody')
  await other.close()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('A little more for everybody')
  await page.getByRole('dialog').getByRole('button', { name: 'Save draft' }).click()
  const both = page.getByRole('region', { name: 'operator@example.com saved this draft after you opened it' })
  await expect(both.getByRole('row', { name: /^Credits per month/ })).toContainText('3,0002,000')
  await expectGood(page, 'product conflict')
  await both.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await act(page, 'Save draft', 'A little more for everybody')
  await expect(page.getByLabel('Credits per month')).toHaveValue('2000')
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await act(page, 'Discard', 'It stays as it was')
  await expect(page.getByLabel('Credits per month')).toHaveValue('1000')
})

test('a new plan and a new pack are sold; the plan is retired, and its customer keeps it', async ({
  page,
  browser,
  baseURL,
}) => {
  await enter(page)
  await page.getByRole('link', { name: 'New plan' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Enter 1 to 60 characters.')).toBeVisible()
  await expectGood(page, 'new plan')
  await page.getByLabel('Name').fill('Team')
  await page.getByLabel('Description').fill('For a team that shares its credits.')
  await page.getByLabel('Features').fill('200,000 requests per month\nPriority support')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await act(page, 'Save draft', 'Teams asked for it')
  await page.getByRole('button', { name: 'Publish' }).click()
  await act(page, 'Publish', 'Teams asked for it')
  await expect(page.getByText('Nothing differs from what is on sale.')).toBeVisible()
  const customer = await subscriber(browser, baseURL, 'keeps-plan@example.com', 'Team')
  await page.reload()
  await page.getByRole('button', { name: 'Archive' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('1 customer keeps it, at their price.')
  await act(page, 'Archive', 'Too few bought it')
  await expect(page.getByRole('main').getByText('Archived', { exact: true })).toBeVisible()
  await customer.reload()
  await expect(customer.getByRole('region', { name: 'Current plan' })).toContainText('Team')
  await customer.context().close()
  await page.goto('/docs/pricing')
  await expect(page.getByRole('heading', { name: 'Pro', exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Team', exact: true })).toHaveCount(0)
  await page.goto('/operator/products')
  await page.getByRole('link', { name: 'New pack' }).click()
  await page.getByLabel('Name').fill('Small pack')
  await page.getByLabel('Description').fill('To try more.')
  await page.getByLabel('Price (USD)').fill('1.00')
  await page.getByLabel('Credits').fill('4000')
  await expectGood(page, 'new pack')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await act(page, 'Save draft', 'A smaller one sells')
  await page.getByRole('button', { name: 'Publish' }).click()
  await act(page, 'Publish', 'A smaller one sells')
  await expect(page.getByText('Nothing differs from what is on sale.')).toBeVisible()
  await page.goto('/operator/products')
  await expect(page.getByRole('row', { name: /^10,000 credits/ })).toContainText('Not offered')
  await expect(page.getByRole('row', { name: /^Team/ })).toContainText('Archived')
  await expectGood(page, 'products of many kinds')
})

test('an operation is priced, and the simulator says what last month would have brought', async ({ page, product }) => {
  const { db, close } = await connect({ FINMETER_DATA_DIR: product.dir })
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: 'https://acme.example',
    defaults: { credits: 2 },
    operations: { search: { credits: { rows: '/items', per: 2, credits: 5, most: 50 } } },
  })
  await addVersion(
    db.kysely,
    await prepareVersion(manifest, acmeDocument, {}, await createToolRegistry(productTools, db)),
    false,
  )
  await enter(page)
  await page.getByRole('link', { name: 'Tool prices' }).click()
  const row = page.getByRole('row', { name: /acme_get_price/ })
  await expect(row).toContainText('2 credits per call')
  await expectGood(page, 'tool prices')
  await row.getByRole('button', { name: 'Change the price of acme_get_price' }).click()
  await page.getByLabel('Credits per call').fill('3')
  await expectAccessible(page, 'tool price form')
  await act(page, 'Change price', 'The source costs more')
  await expect(async () => {
    await page.reload()
    await expect(row).toBeVisible()
    await expect(row).toContainText('3 credits per call', { timeout: 1_000 })
  }).toPass()
  await page.getByRole('link', { name: 'Simulator' }).click()
  await expect(page.getByText('No calls that month')).toBeVisible()
  await expectGood(page, 'simulator empty')
  await db.pool.query(
    `insert into tool_months select (date_trunc('month', app_now() at time zone 'UTC') - interval '1 month')::date, a.id, t.id, 1200, 1200, 3600
     from accounts a, tools t where t.name in ('acme_get_price', 'get_bars') order by a.id limit 20`,
  )
  await close()
  await page.reload()
  await page.getByLabel('New price of get_bars').fill('2')
  await page.getByRole('button', { name: 'Simulate' }).click()
  await expect(page).toHaveURL(/prices=get_bars/)
  await expect(page.getByRole('row', { name: /^Money/ })).toContainText('+$')
  await expect(page.getByRole('row', { name: /^Money/ })).toContainText(/\+\$[\d.,]+1 of \d/)
  await expectGood(page, 'simulator')
})
