import { expect } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'

test('the documentation starts with three cards beside a call, and links to every page', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/`)
  await expect(page.getByRole('heading', { level: 1, name: 'Documentation' })).toBeVisible()
  await expect(page).toHaveTitle('Documentation · Finmeter')
  const main = page.getByRole('main')
  for (const card of ['Quick Start', 'API Reference', 'Authentication'])
    await expect(main.getByRole('link').filter({ hasText: card }).first()).toBeInViewport()
  for (const path of ['/docs/getting-started', '/docs/pricing', '/docs/faq', '/sell', '/docs/webhooks'])
    await expect(main.locator(`a[href="${path}"]:visible`).first()).toBeVisible()
  const call = main.getByRole('region', { name: 'A first call' })
  await expect(call.getByRole('tabpanel', { name: 'curl' })).toBeInViewport()
  await expect(call.getByRole('tabpanel', { name: 'curl' })).toContainText('/v1/series/OIL.WTI?range=1mo')
  await call.getByRole('link', { name: 'Run this call' }).click()
  await expect(page).toHaveURL(`${baseURL}/docs/getting-started`)
})

test('search works here too: by button and by shortcut, from a word to a heading', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/`)
  await page.getByRole('button', { name: /^Search/ }).click()
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

test('the landing page and the quick start have no accessibility violations, at each width', async ({ page }) => {
  for (const path of ['/docs', '/docs/getting-started', '/docs/credits-and-limits']) {
    await page.goto(path)
    await expectAccessibleAtEachWidth(page, path)
  }
})
