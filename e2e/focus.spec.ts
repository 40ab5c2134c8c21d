import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { answer } from './answers.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = () => `focus-${randomUUID().slice(0, 8)}@example.com`
const value = `fm_00001${'a'.repeat(33)}`
const apiKeys = [
  {
    id: '00000000-0000-4000-8000-000000000001',
    name: 'Backtests',
    unkey: value,
    apiKey: value,
    created_at: '2026-01-01T00:00:00.000Z',
    usage_count: 7,
    last_used_at: null,
  },
]
const receipt = (n: number) => ({
  id: `rcpt_${n}`,
  time: new Date().toISOString(),
  tool: 'get_bars',
  keyName: 'Backtests',
  status: 'success',
  credits: 1,
  durationMs: 1,
})

test('by keyboard, the focus stays on a busy button, and returns when something closes', async ({
  page,
  context,
  baseURL,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL })
  await signIn(page, baseURL, address())
  await page.route('**/api/keys', answer({ apiKeys }))
  let count = 0
  await page.route('**/api/usage/receipts?*', (route) => {
    count += 1
    return answer({ receipts: [receipt(count)], nextCursor: `c${count}` })(route)
  })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/usage/receipts/csv*', async (route) => {
    await held
    await route.fulfill({ status: 500, json: { success: false, error: 'Down.', code: 'internal_error' } })
  })
  await page.goto('/dashboard')
  const calls = page.getByRole('region', { name: 'Latest calls', exact: true })

  await calls.getByRole('button', { name: 'All calls' }).focus()
  await page.keyboard.press('Enter')
  await expect(calls.getByRole('button', { name: 'Fewer calls' })).toBeFocused()
  const older = calls.getByRole('button', { name: 'Older calls' })
  await older.focus()
  await page.keyboard.press('Enter')
  await expect(calls.getByRole('row')).toHaveCount(3)
  await expect(older).toBeFocused()

  const csv = calls.getByRole('button', { name: 'Download CSV' })
  await csv.focus()
  await page.keyboard.press('Enter')
  await expect(csv).toBeDisabled()
  await expect(csv).toBeFocused()
  // Pressing a busy button does nothing, and the button stays the same element.
  await page.keyboard.press('Enter')
  release()
  await expect(page.getByText('Failed to download the calls', { exact: true }).first()).toBeVisible()
  await expect(csv).toBeEnabled()
  await expect(csv).toBeFocused()

  await calls.getByLabel('Result').selectOption('Failed')
  await calls.getByRole('button', { name: 'Clear' }).focus()
  await page.keyboard.press('Enter')
  await expect(calls.getByRole('button', { name: 'Clear' })).toHaveCount(0)
  await expect(calls.getByLabel('Tool')).toBeFocused()

  const copy = page.getByRole('button', { name: 'Copy the key Backtests' })
  await copy.focus()
  await page.keyboard.press('Enter')
  const toast = page.getByRole('listitem').filter({ hasText: 'API key copied to clipboard' })
  await expect(toast).toBeVisible()
  await page.keyboard.press('F8')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await expect(toast).toBeHidden()
  await expect(copy).toBeFocused()
})

test('a key that cannot be created keeps the name and focuses it', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address(), '/dashboard/api-keys/new')
  await page.route('**/api/keys', (route) =>
    route.fulfill({ status: 500, json: { success: false, error: 'Down for a moment.', code: 'internal_error' } }),
  )
  const name = page.getByLabel('Key Name')
  await name.fill('Backtests')
  await page.getByRole('button', { name: 'Create API Key' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Down for a moment.', { exact: true })).toBeVisible()
  await expect(name).toHaveValue('Backtests')
  await expect(name).toBeFocused()
})

test('a range without requests differs from a workspace without requests', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  const card = page.getByRole('region', { name: 'Requests', exact: true })
  await expect(card.getByText('No requests yet', { exact: true })).toBeVisible()
  await page.route('**/api/keys', answer({ apiKeys }))
  await page.goto('/dashboard')
  await expect(card.getByText('No requests in this range', { exact: true })).toBeVisible()
  await expect(card.getByText('There are older calls. Choose a longer range to see them.')).toBeVisible()
  await page.getByRole('group', { name: 'Range' }).getByRole('button', { name: '90 d' }).click()
  await expect(card.getByText('The last call was before this range.')).toBeVisible()
})
