import { expect } from '@playwright/test'
import { test } from './fixtures.ts'

test('print: light in the dark theme, answers open, no controls', async ({ page, baseURL }) => {
  await page.addInitScript(() => localStorage.setItem('finmeter.theme', 'dark'))
  await page.emulateMedia({ media: 'print' })
  const answer = page.getByText('No. You redeem the free plan with one click, without a card.')
  await page.goto(`${baseURL}/docs/faq`)
  await expect(page.getByRole('heading', { name: 'Frequently Asked Questions' })).toBeVisible()
  await expect(page.locator('html')).toHaveCSS('color-scheme', 'light')
  await expect(answer).toBeVisible()
  for (const part of ['banner', 'contentinfo', 'search'] as const) await expect(page.getByRole(part)).toBeHidden()
  await expect(page.getByRole('complementary', { name: 'Sandbox' })).toBeHidden()

  await page.goto(`${baseURL}/docs/getting-started`)
  await expect(page.getByText('curl "')).toBeVisible()
  for (const part of ['banner', 'contentinfo', 'navigation'] as const)
    await expect(page.getByRole(part).filter({ visible: true })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Copy/ }).filter({ visible: true })).toHaveCount(0)

  await page.emulateMedia({ media: 'screen' })
  await expect(page.getByRole('banner')).toBeVisible()
  await page.goto(`${baseURL}/docs/faq`)
  await expect(answer).toBeHidden()
})

test('forced colors: a selected option has the system’s highlight', async ({ page, baseURL }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(`${baseURL}/docs/pricing`)
  const highlight = await page.evaluate(() => {
    document.body.style.outlineColor = 'Highlight'
    return getComputedStyle(document.body).outlineColor
  })
  const chosen = (role: 'button' | 'tab' | 'link', name: string) =>
    expect(page.getByRole(role, { name, exact: true }).first()).toHaveCSS('background-color', highlight)
  await chosen('button', 'Monthly')
  await page.goto(`${baseURL}/docs/getting-started`)
  await chosen('tab', 'curl')
  await chosen('link', 'Quick start')
})

test('without scripts the documentation shows every language and no dead buttons', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL })
  const page = await context.newPage()
  await page.goto('/docs/getting-started')
  for (const text of ['curl "', 'from "finmeter"', 'from finmeter import Finmeter'])
    await expect(page.getByText(text)).toBeVisible()
  await expect(page.getByRole('button').filter({ visible: true })).toHaveCount(0)
  await expect(page.getByRole('tab').filter({ visible: true })).toHaveCount(0)
  await context.close()
})
