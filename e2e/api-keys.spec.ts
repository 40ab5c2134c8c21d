import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`

async function redeem(page: Page) {
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
}

test('without a plan: the four steps to a key, and an empty list', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('steps'))
  await page.goto('/dashboard/api-keys/')
  const card = page.getByRole('region', { name: 'Get Your API Key' })
  await expect(card.getByRole('listitem')).toHaveCount(4)
  for (const [n, step] of ['Choose a Plan', 'Complete Purchase', 'Get Your API Key', 'Start Using MCP'].entries())
    await expect(card.getByRole('listitem').nth(n).getByText(step, { exact: true })).toBeVisible()
  await expect(card.getByText(`${baseURL}/mcp?apikey=`, { exact: false })).toBeVisible()
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()
})

test('with a plan: the table, and the use of the first key', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('table'))
  await redeem(page)
  await page.goto('/dashboard/api-keys')
  await expect(page.getByRole('region', { name: 'Get Your API Key' })).toHaveCount(0)
  await expect(page.getByRole('row', { name: /Default/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Requests of Default', exact: true })).toBeVisible()
})

test('a new key: required and trimmed, Creating... while saving, then the list', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('create'))
  await page.goto('/dashboard/api-keys')
  await page.getByRole('link', { name: 'Create API Key' }).first().click()
  await expect(page.getByRole('heading', { name: 'Create API Key', level: 1 })).toBeVisible()
  const name = page.getByLabel('Key Name')
  const create = page.getByRole('button', { name: 'Create API Key' })
  await expect(name).toHaveAttribute('required', '')
  await expect(create).toBeDisabled()
  await name.fill('   ')
  await expect(create).toBeDisabled()
  await name.fill('  Backtests  ')
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  await page.route('**/api/keys', async (route) => {
    if (route.request().method() === 'POST') {
      expect(route.request().postDataJSON()).toMatchObject({ name: 'Backtests' })
      await held
    }
    await route.continue()
  })
  await create.click()
  await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
  release()
  await expect(page).toHaveURL(/\/dashboard\/api-keys\/?$/)
  await expect(page.getByRole('link', { name: 'Backtests', exact: true })).toBeVisible()
})

test('Cancel leads back and creates nothing', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('cancel'))
  await page.goto('/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Never')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()
})

test('a key’s page: facts, eye, copy, Never; then Delete after asking', async ({ page, context, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL })
  await signIn(page, baseURL, address('detail'))
  await redeem(page)
  await page.goto('/dashboard/api-keys')
  await page.getByRole('link', { name: 'Default', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Default', level: 2, exact: true })).toBeVisible()
  for (const fact of ['Created', 'Usage Count', 'Last Used'])
    await expect(page.getByText(fact, { exact: true })).toBeVisible()
  await expect(page.getByText('Never', { exact: true }).first()).toBeVisible()
  await expect(page.getByText(/fm_[0-9A-Za-z]{38}/)).toHaveCount(0)
  await page.getByRole('button', { name: 'Show the key Default' }).click()
  await expect(page.getByText(/^fm_[0-9A-Za-z]{38}$/)).toBeVisible()
  await page.getByRole('button', { name: 'Copy the key Default' }).click()
  await expect(page.getByText('API key copied to clipboard', { exact: true }).first()).toBeVisible()
  const key = await page.evaluate(() => navigator.clipboard.readText())
  expect(await page.title()).not.toContain(key.slice(0, 8))

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete API key?' })
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()
  const refused = await fetch(`${baseURL}/v1/bars/SPX?limit=5`, { headers: { authorization: `Bearer ${key}` } })
  expect(refused.status).toBe(401)
})

test('a missing, a malformed and another’s key look the same', async ({ page, browser, baseURL }) => {
  await signIn(page, baseURL, address('host'))
  await redeem(page)
  await page.goto('/dashboard/api-keys')
  const href = await page.getByRole('link', { name: 'Default', exact: true }).getAttribute('href')
  const other = await (await browser.newContext({ baseURL })).newPage()
  await signIn(other, baseURL, address('stranger'))
  for (const path of [href!, '/dashboard/api-keys/00000000-0000-4000-8000-000000000000', '/dashboard/api-keys/x']) {
    await other.goto(path)
    await expect(other.getByText('API Key Not Found', { exact: true })).toBeVisible()
    await expect(other.getByText('The requested API key could not be found.', { exact: true })).toBeVisible()
  }
})

test('a thousand keys are a page that still answers', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('many'))
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
  await expect(page.getByRole('row')).toHaveCount(1001)
  await expect(page.getByRole('row', { name: /Key 999/ }).getByText('999,999,999,999', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Show the key Key 999' }).click()
  await expect(page.getByText(apiKeys[999]!.unkey)).toBeVisible()
})

test('loading and failing', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('states'))
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  await page.route('**/api/keys', async (route) => {
    await held
    await route.fulfill({ status: 400, json: { success: false, error: 'No.', code: 'invalid_parameter' } })
  })
  await page.goto('/dashboard/api-keys')
  await expect(page.getByRole('status').filter({ hasText: 'Loading API keys...' }).first()).toBeAttached()
  release()
  await expect(page.getByText('Failed to load API keys. Please try again.', { exact: true })).toBeVisible()
  await page.unroute('**/api/keys')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()
})
