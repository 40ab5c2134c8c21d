import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { signInByScreens } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`

for (const path of ['/dashboard', '/dashboard/billing/', '/dashboard/api-keys'])
  test(`signed out, ${path} shows the spinner of the session check and nothing of the dashboard`, async ({
    page,
    baseURL,
  }) => {
    // What is painted before the application runs.
    await page.route(/\.js(\?|$)/, (route) => route.abort())
    await page.goto(`${baseURL}${path}`)
    const spinner = page.getByRole('status').filter({ has: page.locator('svg') })
    await expect(spinner).toBeVisible()
    await expect(page.locator('header, aside, footer, h1').filter({ visible: true })).toHaveCount(0)
    await page.unroute(/\.js(\?|$)/)
    await page.goto(`${baseURL}${path}`)
    await expect(page).toHaveURL(/\/login$/)
  })

test('with a stored session the frame is painted at once', async ({ page, baseURL }) => {
  await signInByScreens(page, baseURL, address('frame'))
  await page.route(/\.js(\?|$)/, (route) => route.abort())
  await page.goto(`${baseURL}/dashboard/billing`)
  await expect(page.getByRole('heading', { name: 'Billing', level: 1 })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Dashboard' })).toBeVisible()
})

test('a page whose code cannot be fetched has one main, and recovers when the server answers again', async ({
  page,
  baseURL,
}) => {
  await signInByScreens(page, baseURL, address('recovers'))
  await settled(page)
  // The server is down, which no event of the browser tells.
  await page.route('**/*', (route) => route.abort())
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await expect(page.getByText('This page could not be shown', { exact: true })).toBeVisible()
  await expect(page.locator('main')).toHaveCount(1)
  await page.unroute('**/*')
  await expect(page.getByRole('heading', { name: 'Team Management', level: 1 })).toBeVisible()
})

test('offline a second time within seconds, the page recovers too', async ({ page, context, baseURL }) => {
  await signInByScreens(page, baseURL, address('twice'))
  await settled(page)
  for (const [link, heading] of [
    ['Team', 'Team Management'],
    ['Billing', 'Billing'],
  ] as const) {
    await context.setOffline(true)
    await page.getByRole('link', { name: link, exact: true }).first().click()
    await expect(page.getByText('This page could not be shown', { exact: true })).toBeVisible()
    await context.setOffline(false)
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    // The heading is in the HTML already: a link that no script has taken over leads to the browser's own page.
    await settled(page)
  }
})
