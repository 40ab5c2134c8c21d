import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = () => `keys-${randomUUID().slice(0, 8)}@example.com`
const toast = (page: Page, text: string) => page.getByText(text, { exact: true }).first()

async function createKey(page: Page, name: string): Promise<void> {
  await page.goto('/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill(name)
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
  await expect(page.getByRole('row').filter({ hasText: name })).toBeVisible()
}

test('without a plan: the four steps to a key, and no key yet', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  await page.goto('/dashboard/api-keys/')
  await expect(page.getByRole('heading', { name: 'Get Your API Key' })).toBeVisible()
  for (const step of ['Choose a Plan', 'Complete Purchase', 'Get Your API Key', 'Start Using MCP'])
    await expect(page.getByText(step, { exact: true }).first()).toBeVisible()
  await expect(page.getByText(`${baseURL}/mcp?apikey=YOUR_API_KEY`)).toBeVisible()
  await expect(page.getByText('No API keys yet').first()).toBeVisible()
})

test('the form needs a name that is more than blanks, shows Creating..., and can be left', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address())
  await page.goto('/dashboard/api-keys/new')
  const submit = page.getByRole('button', { name: 'Create API Key' })
  await expect(submit).toBeDisabled()
  await page.getByLabel('Key Name').fill('   ')
  await expect(submit).toBeDisabled()
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  await page.route('**/api/keys', async (route) => {
    if (route.request().method() === 'POST') await held
    await route.continue()
  })
  await page.getByLabel('Key Name').fill('  Backtests  ')
  await submit.click()
  const busy = page.getByRole('button', { name: 'Creating...' })
  await expect(busy).toBeDisabled()
  release()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
  await expect(page.getByRole('row').filter({ hasText: 'Backtests' })).toBeVisible()
  await page.goto('/dashboard/api-keys/new')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
})

test('a key is masked to its first 8 characters, revealed per row, copied whole', async ({
  page,
  baseURL,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, baseURL, address())
  await createKey(page, 'First')
  await createKey(page, 'Second')
  const first = page.getByRole('row').filter({ hasText: 'First' })
  const second = page.getByRole('row').filter({ hasText: 'Second' })
  await expect(first).toContainText(/fm_\w{5}•/)
  await expect(first).not.toContainText(/fm_\w{6}/)
  await first.getByRole('button', { name: /show/i, pressed: false }).click()
  await expect(first).toContainText(/fm_\w{38}/)
  await expect(second).not.toContainText(/fm_\w{6}/)
  await first.getByRole('button', { name: /show/i, pressed: true }).click()
  await expect(first).not.toContainText(/fm_\w{6}/)
  await second.getByRole('button', { name: /copy/i }).click()
  await expect(toast(page, 'API key copied to clipboard')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^fm_\w{38}$/)
})

test('the page of a key: created, masked value, Usage Count, Last Used; deleted by confirmation', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address())
  await createKey(page, 'One key')
  await page.getByRole('link', { name: 'One key' }).first().click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/.+/)
  const main = page.getByRole('main')
  await expect(main).toContainText('One key')
  await expect(main).toContainText('Created')
  await expect(main).toContainText(/Usage Count\s*0/)
  await expect(main).toContainText(/Last Used\s*Never/)
  await expect(main).toContainText(/fm_\w{5}•/)
  const answer = page.waitForResponse(
    (response) => /\/api\/keys\/[^/]+$/.test(response.url()) && response.status() === 200,
  )
  await page.reload()
  const { data } = (await (await answer).json()) as { data: { apiKey: { apiKey: string } } }
  const call = () => page.request.get(`${baseURL}/v1/symbols`, { headers: { 'x-api-key': data.apiKey.apiKey } })
  expect((await call()).status()).toBe(200)
  await page
    .getByRole('button', { name: /delete/i })
    .first()
    .click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /delete/i })
    .click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
  expect((await call()).status()).toBe(401)
})

test('a key that is missing or somebody else’s is API Key Not Found', async ({ page, baseURL, browser }) => {
  const other = await browser.newPage({ baseURL })
  await signIn(other, baseURL, address())
  await createKey(other, 'Mine')
  await other.getByRole('link', { name: 'Mine' }).first().click()
  await expect(other).toHaveURL(/api-keys\/.+/)
  const foreign = new URL(other.url()).pathname
  await other.close()
  await signIn(page, baseURL, address())
  for (const path of [foreign, '/dashboard/api-keys/00000000-0000-4000-8000-000000000000', '/dashboard/api-keys/x']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: 'API Key Not Found' })).toBeVisible()
    await expect(page.getByText('The requested API key could not be found.')).toBeVisible()
  }
})

test('keys that cannot be loaded: toast and inline text with Try again', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  let failing = true
  await page.route('**/api/keys', (route) =>
    failing
      ? route.fulfill({ status: 400, json: { success: false, error: 'no', code: 'invalid_parameter' } })
      : route.continue(),
  )
  await page.goto('/dashboard/api-keys/')
  await expect(toast(page, 'Failed to load API keys')).toBeVisible()
  await expect(page.getByText('Failed to load API keys. Please try again.').first()).toBeVisible()
  failing = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No API keys yet').first()).toBeVisible()
})

test('the MCP card asks for a key first, then makes and copies the address; its selector is off while loading and without keys', async ({
  page,
  baseURL,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, baseURL, address())
  const selector = page.getByLabel('API key', { exact: true })
  await expect(selector).toBeDisabled()
  await expect(selector).toContainText('No API keys yet')
  await page.getByRole('button', { name: 'Generate & copy URL' }).click()
  await expect(toast(page, 'Please select an API key first.')).toBeVisible()
  for (const name of ['A', 'B', 'C']) await createKey(page, `Key ${name}`)
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  await page.route('**/api/keys', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/dashboard/')
  await expect(selector).toBeDisabled()
  await expect(selector).toContainText('Loading API keys...')
  release()
  await expect(selector).toBeEnabled()
  await selector.selectOption({ index: 2 })
  await page.getByRole('button', { name: 'Generate & copy URL' }).click()
  await expect(toast(page, 'MCP connection URL generated and copied to clipboard!')).toBeVisible()
  const url = await page.evaluate(() => navigator.clipboard.readText())
  expect(url).toMatch(new RegExp(`^${baseURL}/mcp\\?apikey=fm_\\w{38}$`))
})
