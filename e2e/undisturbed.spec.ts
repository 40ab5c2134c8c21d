import { randomUUID } from 'node:crypto'
import { expect, type Locator, type Page } from '@playwright/test'
import { answer } from './answers.ts'
import { openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`
const toast = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })
const bodyHasFocus = (page: Page) => page.evaluate(() => document.activeElement === document.body)

/** What the toast covers of the page's content and of the banner above its bar, wherever the page is scrolled to. */
async function covered(shown: Locator): Promise<string[]> {
  return shown.evaluate(async (toast) => {
    const found = new Set<string>()
    for (let top = 0; top <= document.documentElement.scrollHeight; top += 16) {
      scrollTo({ top, behavior: 'instant' })
      // The toast follows the bar in the frame of the scrolling.
      await new Promise(requestAnimationFrame)
      const over = toast.getBoundingClientRect()
      const banner = document.querySelector('aside[aria-label=Sandbox]')!.getBoundingClientRect()
      if (banner.bottom > Math.max(0, over.y)) found.add('the banner')
      const bar = document.querySelector('header')!.getBoundingClientRect()
      for (const control of document.querySelectorAll('main :is(button, a, input, select)')) {
        const { left, right, top: above, bottom, width, height } = control.getBoundingClientRect()
        if (width === 0 || height === 0) continue
        // What is below the page's bar cannot be seen or pressed anyway.
        const isCovered =
          left < over.x + over.width &&
          right > over.x &&
          Math.max(above, bar.bottom) < over.y + over.height &&
          bottom > Math.max(over.y, bar.bottom)
        if (isCovered) found.add(control.getAttribute('aria-label') ?? control.textContent ?? '')
      }
    }
    scrollTo(0, 0)
    return [...found]
  })
}

for (const width of [360, 1280])
  test(`${width} px: a toast covers no control of the page, wherever it is scrolled to`, async ({ page, baseURL }) => {
    await page.setViewportSize({ width, height: 800 })
    await signIn(page, baseURL, address('covered'))
    await page.getByRole('button', { name: 'Redeem free plan' }).click()
    const activated = toast(page, 'Free plan activated!')
    await expect(activated).toBeVisible()
    await activated.hover()
    await expect(page.getByRole('row', { name: /Default/ })).toBeVisible()
    expect(await covered(activated)).toEqual([])
    await page.route('**/api/keys', (route) =>
      route.fulfill({ status: 400, json: { success: false, error: 'no', code: 'invalid_parameter' } }),
    )
    await page.goto('/dashboard')
    const failed = toast(page, 'Failed to load API keys. Please try again.')
    await expect(failed).toBeVisible()
    // Otherwise it may go before it is measured.
    await failed.hover()
    expect(await covered(failed)).toEqual([])
  })

test('a dialog is above a toast', async ({ page, context, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL })
  await page.setViewportSize({ width: 360, height: 640 })
  await signIn(page, baseURL, address('dialog'), '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('One')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await page.getByRole('link', { name: 'One', exact: true }).click()
  await page.getByRole('button', { name: 'Copy the key One' }).click()
  await expect(toast(page, 'API key copied to clipboard')).toBeVisible()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Rotate API key?' })
  for (const name of ['Cancel', 'Rotate'])
    await dialog.getByRole('button', { name, exact: true }).click({ trial: true })
})

const key = (n: number) => ({
  id: `00000000-0000-4000-8000-00000000000${n}`,
  name: `Key ${n}`,
  unkey: `fm_0000${n}${'abcdef'.repeat(5)}xyz`,
  apiKey: `fm_0000${n}${'abcdef'.repeat(5)}xyz`,
  created_at: '2026-01-01T00:00:00.000Z',
  usage_count: 12_345,
  last_used_at: null,
  scopes: null,
  expires_at: null,
  monthly_budget: null,
  budget_left: null,
})

for (const width of [360, 768, 1280])
  test(`${width} px: revealing a key moves nothing`, async ({ page, baseURL }) => {
    await page.setViewportSize({ width, height: 800 })
    await signIn(page, baseURL, address('columns'))
    await page.route('**/api/keys', answer({ apiKeys: [key(1), key(2), key(3)] }))
    await page.goto('/dashboard/api-keys')
    await settled(page)
    const show = page.getByRole('button', { name: 'Show the key Key 2' })
    await expect(show).toBeVisible()
    const places = () =>
      page.getByRole('table').evaluate((table) =>
        [...table.querySelectorAll('tr, th, td, button')].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect()
          // From the table, because the press may scroll the page.
          const from = table.getBoundingClientRect()
          // On a phone, cells for wide screens have no box.
          return width === 0 ? '' : [x - from.x, y - from.y, width, height].map(Math.round).join(' ')
        }),
      )
    const before = await places()
    await show.click()
    await expect(page.getByText(key(2).unkey)).toBeVisible()
    expect(await places()).toEqual(before)
    // All of it can be read.
    const cut = await page.getByText(key(2).unkey).evaluate((element) => element.scrollWidth > element.clientWidth + 1)
    expect(cut).toBe(false)
  })

test.describe('the focus after the pressed control is gone', () => {
  test('Redeem on Overview moves it to the heading', async ({ page, baseURL }) => {
    await signIn(page, baseURL, address('redeem'))
    await page.getByRole('button', { name: 'Redeem free plan' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: 'Trial Plan' })).toHaveCount(0)
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeFocused()
  })

  test('Redeem on Billing moves it to the plan', async ({ page, baseURL }) => {
    await openBilling(page, baseURL)
    await planCard(page, 'Free')
      .getByRole('button', { name: /^Redeem free plan/ })
      .focus()
    await page.keyboard.press('Enter')
    await expect(planCard(page, 'Free').getByRole('button', { name: 'Current Plan' })).toBeVisible()
    await expect(planCard(page, 'Free').getByRole('heading', { name: 'Free' })).toBeFocused()
  })

  test('Revoke moves it to the next invitation, then to the page', async ({ page, baseURL }) => {
    await signIn(page, baseURL, address('revoke'), '/dashboard/settings/team')
    for (const email of ['one@example.com', 'two@example.com']) {
      await page.getByLabel('Email address').fill(email)
      await page.getByRole('button', { name: /^(Invite|Send)/ }).click()
      await expect(page.getByRole('button', { name: `Revoke the invitation for ${email}` })).toBeVisible()
    }
    const revoke = page.getByRole('button', { name: /^Revoke the invitation for / })
    await revoke.first().focus()
    await page.keyboard.press('Enter')
    await expect(revoke).toHaveCount(1)
    await expect(
      page.getByRole('button', { name: /^(Resend|Revoke) the invitation for / }).and(page.locator(':focus')),
    ).toHaveCount(1)
    await revoke.focus()
    await page.keyboard.press('Enter')
    await expect(revoke).toHaveCount(0)
    await expect(page.getByRole('heading', { name: 'Team Management', level: 1 })).toBeFocused()
  })

  test('Remove moves it to the field of the webhook', async ({ page, baseURL }) => {
    await signIn(page, baseURL, address('remove'), '/dashboard/settings')
    const card = page.getByRole('region', { name: 'Webhook for alerts' })
    await card.getByLabel('URL').fill('https://example.com/hook')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await expect(card.getByRole('button', { name: 'Remove' })).toHaveCount(0)
    await expect(card.getByLabel('URL')).toBeFocused()
    expect(await bodyHasFocus(page)).toBe(false)
  })
})
