import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn, signInWithPlan } from './sign-in.ts'

const address = () => `keys-${randomUUID().slice(0, 8)}@example.com`
const inShell = async (command: string) => (await promisify(execFile)('sh', ['-c', command])).stdout
const toast = (page: Page, text: string) => page.getByText(text, { exact: true }).first()

async function createKey(page: Page, name: string): Promise<void> {
  await page.goto('/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill(name)
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
  await expect(page.getByRole('row').filter({ hasText: name })).toBeVisible()
  // The next page would show the new value too, if this one was left before it did.
  await expect(page.getByText(/^fm_\w{38}$/).first()).toBeVisible()
}

test('without a plan: the four steps to a key, and no key yet', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address(), '/dashboard/api-keys/')
  const card = page.getByRole('region', { name: 'Get Your API Key' })
  const steps = ['Choose a Plan', 'Complete Purchase', 'Get Your API Key', 'Start Using MCP']
  await expect(card.getByRole('listitem')).toHaveCount(4)
  for (const [n, step] of steps.entries())
    await expect(card.getByRole('listitem').nth(n).getByRole('paragraph').first()).toHaveText(step)
  await expect(card.getByText(`${baseURL}/mcp?apikey=YOUR_API_KEY`)).toBeVisible()
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()
  // One card, which says what a key is for.
  await expect(page.locator('main section > header h2')).toHaveText(['Get Your API Key'])
  await expect(card.getByRole('term')).toHaveText(['Your programs', 'AI clients', 'Spreadsheets'])
  // One thing to do.
  await expect(page.getByRole('main').locator('a, button')).toHaveText(['Choose a Plan'])
})

test('a new key comes with a call that runs as it is, and one black button', async ({ page, baseURL, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInWithPlan(page, baseURL, address(), '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Ready')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  const notice = page.getByRole('region', { name: 'New API key' })
  await notice.getByRole('button', { name: 'Copy the call' }).click()
  await expect(toast(page, 'Command copied to clipboard')).toBeVisible()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const answer = JSON.parse(await inShell(`${command} --silent --show-error`)) as { data: unknown[] }
  expect(answer.data.length).toBeGreaterThan(0)
  const black = await page.locator('main :is(a, button)').evaluateAll((controls) => {
    const ink = getComputedStyle(document.body).color
    return controls.filter((one) => getComputedStyle(one).backgroundColor === ink).map((one) => one.textContent)
  })
  expect(black).toEqual(['Copy API key'])
  // The key page has its calls, which tools they were of, and limits after the chart.
  await page.getByRole('link', { name: 'Ready', exact: true }).click()
  const tools = page.getByRole('region', { name: 'Tools' })
  await expect(tools).toContainText(/Share of credits since \w{3} \d+, \d{4}\./)
  await expect(tools.getByRole('listitem')).toHaveText('get_economic_series1 call, 1 credit100%')
  const calls = page.getByRole('region', { name: 'Latest calls' })
  await expect(calls.getByRole('columnheader', { name: 'Receipt' })).toBeVisible()
  await expect(calls.getByRole('columnheader', { name: 'Key' })).toHaveCount(0)
  const tops = await Promise.all(
    ['Requests for Ready', 'Tools', 'Limits'].map(
      async (name) => (await page.getByRole('region', { name, exact: true }).boundingBox())!.y,
    ),
  )
  expect(tops).toEqual(tops.toSorted((a, b) => a - b))
})

test('where the demonstration is not sold, a new key comes with a call of what is sold', async ({ page, baseURL }) => {
  const forecast = {
    operationId: 'weather_forecast',
    summary: 'The forecast for a place',
    tags: ['weather'],
    parameters: [{ name: 'place', in: 'path', required: true, schema: { enum: ['bergen'] } }],
  }
  await page.route('**/openapi.json', (route) =>
    route.fulfill({ json: { paths: { '/v1/weather/{place}/forecast': { get: forecast } } } }),
  )
  for (const path of ['**/dashboard', '**/dashboard/api-keys/new'])
    await page.route(path, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace('"demo":true', '"demo":false') })
    })
  await signInWithPlan(page, baseURL, address(), '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Ready')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  const notice = page.getByRole('region', { name: 'New API key' })
  await expect(notice).toContainText(/curl "http.+\/v1\/weather\/bergen\/forecast"/)
  await page.goto('/dashboard')
  const start = page.getByRole('region', { name: 'Get started' })
  await expect(start).toContainText('The forecast for a place. Run it here, or paste it where you work.')
  await expect(start).toContainText('/v1/weather/bergen/forecast')
  await expect(page.getByText('OIL.WTI')).toHaveCount(0)
})

test('with a plan and no key: what a key is for, and one black button', async ({ page, baseURL }) => {
  await signInWithPlan(page, baseURL, address(), '/dashboard/api-keys')
  await page.route('**/api/keys', (route) => route.fulfill({ json: { success: true, data: { apiKeys: [] } } }))
  await page.goto('/dashboard/api-keys')
  const card = page.getByRole('region', { name: 'API Keys', exact: true })
  await expect(card.getByRole('term')).toHaveText(['Your programs', 'AI clients', 'Spreadsheets'])
  await expect(page.getByRole('main').locator('a, button')).toHaveText(['Create API Key'])
})

test('a new key that is only for MCP comes with its URL', async ({ page, baseURL }) => {
  await signInWithPlan(page, baseURL, address(), '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Agent')
  await page.getByText('Advanced', { exact: true }).click()
  await page.getByLabel('Use for').selectOption('MCP only')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  const notice = page.getByRole('region', { name: 'New API key' })
  await expect(notice.getByText(/\/mcp\?apikey=fm_\w{38}$/)).toBeVisible()
  await expect(notice.getByText(/curl/)).toHaveCount(0)
})

test('with a plan: the table, and the use of the first key', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(toast(page, 'Free plan activated!')).toBeVisible()
  await createKey(page, 'Second')
  await createKey(page, 'Third')
  await page.goto('/dashboard/api-keys')
  for (const name of ['Default', 'Second', 'Third'])
    await expect(page.getByRole('row').filter({ hasText: name })).toBeVisible()
  await expect(page.getByRole('region', { name: /^Requests for/ })).toHaveAccessibleName('Requests for Default')
  await expect(page.getByRole('region', { name: 'Get Your API Key' })).toHaveCount(0)
})

test('the form needs a non-blank name, shows Creating..., and can be canceled', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address(), '/dashboard/api-keys/new')
  const name = page.getByLabel('Key Name')
  await name.fill('Never')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()

  await page.goto('/dashboard/api-keys/new')
  await expect(page.getByRole('heading', { name: 'Create API Key', level: 1 })).toBeVisible()
  const submit = page.getByRole('button', { name: 'Create API Key' })
  await expect(name).toHaveAttribute('required', '')
  await expect(submit).toBeDisabled()
  await name.fill('   ')
  await expect(submit).toBeDisabled()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/keys', async (route) => {
    if (route.request().method() === 'POST') await held
    await route.continue()
  })
  await name.fill('  Backtests  ')
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/keys'))
  await submit.click()
  await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
  expect((await sent).postDataJSON()).toMatchObject({ name: 'Backtests' })
  release()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
  await expect(page.getByRole('link', { name: 'Backtests', exact: true })).toBeVisible()
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
  context,
  baseURL,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, baseURL, address())
  await createKey(page, 'One key')
  await page.getByRole('link', { name: 'One key', exact: true }).click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/.+/)
  await expect(page.getByRole('heading', { name: 'One key', level: 1, exact: true })).toBeVisible()
  const main = page.getByRole('main')
  await expect(main).toContainText('Created')
  await expect(main).toContainText(/Usage Count\s*0/)
  await expect(main).toContainText(/Last Used\s*Never/)
  await expect(main).toContainText(/fm_\w{5}•/)
  await expect(page.getByText(/fm_\w{38}/)).toHaveCount(0)
  await page.getByRole('button', { name: 'Show the key One key' }).click()
  await expect(page.getByText(/^fm_\w{38}$/)).toBeVisible()
  await page.getByRole('button', { name: 'Copy the key One key' }).click()
  await expect(toast(page, 'API key copied to clipboard')).toBeVisible()
  const key = await page.evaluate(() => navigator.clipboard.readText())
  expect(await page.title()).not.toContain(key.slice(0, 8))
  const call = () => page.request.get(`${baseURL}/v1/symbols`, { headers: { 'x-api-key': key } })
  expect((await call()).status()).toBe(200)

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete API key?' })
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()
  // The server hears of it by a notification of the database.
  await expect.poll(async () => (await call()).status()).toBe(401)
})

test('a missing or foreign key shows API Key Not Found', async ({ page, baseURL, browser }) => {
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

test('a thousand keys are a page that still answers', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  const apiKeys = Array.from({ length: 1000 }, (_, n) => ({
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    name: `Key ${n}`,
    unkey: `fm_${String(n).padStart(5, '0')}${'b'.repeat(33)}`,
    apiKey: `fm_${String(n).padStart(5, '0')}${'b'.repeat(33)}`,
    created_at: '2026-01-01T00:00:00.000Z',
    usage_count: 999_999_999_999,
    last_used_at: null,
  }))
  await page.route('**/api/keys', (route) => route.fulfill({ json: { success: true, data: { apiKeys } } }))
  await page.goto('/dashboard/api-keys')
  // By tag: to name a thousand rows by their roles takes the test longer than the page.
  await expect(page.locator('tbody tr')).toHaveCount(1000, { timeout: 60_000 })
  const last = page.locator('tbody tr').filter({ hasText: 'Key 999' })
  await expect(last.getByText('999,999,999,999', { exact: true })).toBeVisible()
  await last.getByRole('button', { name: 'Show the key Key 999' }).click()
  await expect(last.getByText(apiKeys[999]!.unkey)).toBeVisible()
})

test('keys that cannot be loaded: toast and inline text with Try again', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/keys', async (route) => {
    await held
    await route.fulfill({ status: 400, json: { success: false, error: 'no', code: 'invalid_parameter' } })
  })
  await page.goto('/dashboard/api-keys/')
  await expect(page.getByRole('status').filter({ hasText: 'Loading API keys...' }).first()).toBeAttached()
  release()
  await expect(page.getByRole('listitem').filter({ hasText: 'Failed to load API keys' })).toBeVisible()
  await expect(page.getByRole('main').getByText('Failed to load API keys. Please try again.')).toBeVisible()
  await page.unroute('**/api/keys')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No API keys yet').first()).toBeVisible()
})

test('the MCP card asks for a key first, then generates and copies the URL; its selector is disabled while loading and without keys', async ({
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
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
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
