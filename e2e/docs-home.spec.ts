import { expect } from '@playwright/test'
import { test } from './fixtures.ts'

test('the documentation starts with three cards and links to getting started, pricing and FAQ', async ({
  page,
  baseURL,
}) => {
  await page.goto(`${baseURL}/docs/`)
  await expect(page.getByRole('heading', { level: 1, name: 'Documentation' })).toBeVisible()
  await expect(page).toHaveTitle('Documentation · Finmeter')
  const main = page.getByRole('main')
  for (const card of ['Quick Start', 'API Reference', 'Authentication'])
    await expect(main.getByRole('link').filter({ hasText: card })).toBeVisible()
  for (const path of ['/docs/getting-started', '/docs/pricing', '/docs/faq', '/sell'])
    await expect(main.locator(`a[href="${path}"]`).first()).toBeVisible()
})

test('search works here too: by button and by shortcut, from a word to a heading', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/`)
  await page.getByRole('button', { name: /^Search the documentation/ }).click()
  const field = page.getByRole('combobox', { name: 'Search the documentation' })
  await expect(field).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
  await page.keyboard.press('Control+k')
  await field.fill('idempotency')
  await expect(page.getByRole('option').first()).toContainText(/idempot/i)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/[\w/-]+/)
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Documentation')
})

test('both slash forms of the landing answer, with the standard header', async ({ page, baseURL }) => {
  for (const path of ['/docs', '/docs/']) {
    const response = await page.goto(baseURL + path)
    expect(response?.status()).toBe(200)
    await expect(page.getByRole('banner').getByRole('link', { name: 'Log In' })).toHaveAttribute('href', '/login')
    await expect(page.getByRole('heading', { level: 1, name: 'Documentation' })).toBeVisible()
  }
})
