import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { signInWithPlan } from './sign-in.ts'

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test('a reader without a session sees the standard header and a placeholder key', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/getting-started`)
  const header = page.getByRole('banner')
  await expect(header.getByRole('link', { name: 'Log In' })).toHaveAttribute('href', '/login')
  await expect(header.getByRole('link', { name: 'Dashboard' })).toBeHidden()
  await expect(header.getByRole('button', { name: 'Sign Out' })).toBeHidden()
  for (const name of ['Documentation', 'Pricing']) {
    const link = header.getByRole('link', { name })
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  }
  await expect(page.getByRole('tabpanel', { name: 'curl' })).toContainText('Bearer demo')
  await expect(page.getByLabel('Key in examples')).toBeHidden()
})

test('the language is selected once for all examples and remembered', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/authentication`)
  await page.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'TypeScript' })).toBeFocused()
  await expect(page.getByRole('tabpanel', { name: 'TypeScript' })).toContainText('import { Finmeter } from "finmeter"')
  await page.goto(`${baseURL}/docs/reference/get_bars`)
  await expect(page.getByRole('tab', { name: 'TypeScript' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Python' }).click()
  await expect(page.getByRole('tabpanel', { name: 'Python' })).toContainText('from finmeter import Finmeter')
  await expect(page.getByRole('tabpanel', { name: 'TypeScript' })).toBeHidden()
})

test('code and the whole page are copied', async ({ page, baseURL, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${baseURL}/docs/getting-started`)
  await page.getByRole('button', { name: 'Copy the request' }).click()
  await expect(page.getByText('Code copied to clipboard')).toBeVisible()
  expect(await clipboard(page)).toBe(`curl "${baseURL}/v1/series/OIL.WTI?range=1mo" -H "Authorization: Bearer demo"`)
  await page.getByRole('button', { name: 'Copy page' }).click()
  await expect(page.getByText('Page copied to clipboard as Markdown')).toBeVisible()
  expect(await clipboard(page)).toMatch(/^# Quick start\n\n> Getting started takes four steps/)
})

test('a refused clipboard says so', async ({ page, baseURL }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))
    document.execCommand = () => false
  })
  await page.goto(`${baseURL}/docs/getting-started`)
  await page.getByRole('button', { name: 'Copy the request' }).click()
  await expect(page.getByText('Failed to copy to clipboard. Please copy manually.')).toBeVisible()
})

test('a signed-in reader is welcomed, copies their own key, and signs out', async ({ page, baseURL, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInWithPlan(page, baseURL, 'reader@example.com', '/docs/getting-started')
  await expect(page.getByText('Welcome, reader@example.com')).toBeVisible()
  await expect(page.getByRole('banner').getByRole('link', { name: 'Dashboard' })).toBeVisible()
  await expect(page.getByRole('banner').getByRole('link', { name: 'Log In' })).toBeHidden()
  await expect(page.getByLabel('Key in examples')).toHaveValue(/.+/)
  const shown = page.getByRole('tabpanel', { name: 'curl' })
  await expect(shown).toContainText(/Bearer fm_\w{5}•{12}"/)
  expect(await page.content()).not.toMatch(/fm_\w{38}/)
  await page.getByRole('button', { name: 'Copy the request' }).click()
  await expect(page.getByText('Code copied to clipboard')).toBeVisible()
  const [, key] = /Bearer (fm_\w{38})"$/.exec(await clipboard(page)) ?? []
  const answer = await page.request.get(`${baseURL}/v1/series/OIL.WTI?range=1mo`, {
    headers: { 'x-api-key': key ?? '' },
  })
  expect(answer.status()).toBe(200)
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${baseURL}/`)
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible()
})

test('search opens by keyboard, loads its index when opened, and leads to a heading', async ({ page, baseURL }) => {
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  await page.goto(`${baseURL}/docs/getting-started`)
  expect(fetched).not.toContain('/docs/search.json')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search the documentation' })
  await expect(field).toBeFocused()
  const first = page.getByRole('listbox', { name: 'Results' }).getByRole('option').first()
  // Before anything is typed, and where nothing is found: where most begin, with nothing chosen for Enter.
  await expect(first).toHaveAttribute('href', '/docs/getting-started')
  await page.keyboard.press('Enter')
  await expect(field).toBeFocused()
  await field.fill('idempotency')
  await expect(first).toContainText('Credits and limits')
  await expect(first).toHaveAttribute('aria-selected', 'true')
  await field.fill('zzzqqq')
  await expect(page.getByText('No results for "zzzqqq". Try fewer or different words.')).toBeVisible()
  await expect(first).toHaveAttribute('href', '/docs/getting-started')
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(field).toBeHidden()
  await page.keyboard.press('Control+k')
  await field.fill('rate_limited')
  await expect(first).toContainText('rate_limited')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/errors\/rate_limited/)
  await expect(page.getByRole('heading', { level: 1, name: 'rate_limited' })).toBeVisible()
})

test('search finds tool names first, FAQ questions and whole sentences', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/getting-started`)
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search the documentation' })
  const first = page.getByRole('listbox', { name: 'Results' }).getByRole('option').first()
  await field.fill('get_bars')
  await expect(first).toHaveAttribute('href', '/docs/reference/get_bars')
  await field.fill('credits')
  await expect(page.getByText(/^Top 12 of \d+ results$/)).toBeVisible()
  await expect(page.getByRole('listbox', { name: 'Results' }).getByRole('option')).toHaveCount(12)
  await field.fill('how do i retry')
  await expect(first).toContainText('Errors: What to retry')
  // No section contains all of these words.
  await field.fill('what is the refund policy for weekend orders')
  await expect(first).toContainText('Frequently Asked Questions: What is your refund policy?')
  await first.click()
  await expect(page).toHaveURL(/\/docs\/faq#what-is-your-refund-policy$/)
  await expect(page.getByText('Annual plans have a 30-day money-back guarantee.')).toBeInViewport()
})

test('search marks what was typed, and begins with the page about it', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs`)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('receipt')
  const first = page.getByRole('listbox', { name: 'Results' }).getByRole('option').first()
  await expect(first).toContainText('Credits and limits')
  await expect(first.locator('mark')).toHaveText(['Receipt'])
  for (const option of await page.getByRole('listbox', { name: 'Results' }).getByRole('option').all())
    expect(await option.locator('mark').count()).toBeGreaterThan(0)
})

test('the errors of an endpoint begin with the common ones; the others open by keyboard', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/reference/get_bars#errors`)
  const rare = page.getByRole('link', { name: 'account_suspended' })
  await expect(page.getByRole('main').getByRole('link', { name: 'insufficient_credits' })).toBeInViewport()
  await expect(rare).toBeHidden()
  await page.getByText(/^\d+ less common errors$/).focus()
  await page.keyboard.press('Enter')
  await expect(rare).toBeVisible()
})

test('a search index that fails to load can be retried', async ({ page, baseURL }) => {
  await page.route('**/docs/search.json', (route) => route.fulfill({ status: 503 }), { times: 2 })
  await page.goto(`${baseURL}/docs/getting-started`)
  await page.getByRole('button', { name: 'Search' }).click()
  const field = page.getByRole('combobox', { name: 'Search the documentation' })
  await field.fill('price')
  await expect(page.getByText('The search could not be loaded. Type again to retry.')).toBeVisible()
  await page.unroute('**/docs/search.json')
  await field.fill('prices')
  await expect(page.getByRole('listbox', { name: 'Results' }).getByRole('option').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
})

test('every page is readable without scripts', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${baseURL}/docs/reference/price_option`)
  await expect(page.getByRole('heading', { level: 1, name: 'Option price and Greeks' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 2, name: 'Parameters', exact: true })).toBeVisible()
  await expect(page.getByRole('tabpanel', { name: 'curl' })).toBeVisible()
  await context.close()
})

/** One page per kind; every page with DOCS_AXE=all. */
const pagesForAxe =
  process.env.DOCS_AXE === 'all'
    ? (JSON.parse(readFileSync('dist/docs/pages.json', 'utf8')) as string[])
    : [
        '/docs/mcp-clients',
        '/docs/reference',
        '/docs/reference/get_bars',
        '/docs/reference/add',
        '/docs/errors/rate_limited',
      ]

test('documentation without accessibility violations or sideways scrolling, at each width', async ({ page }) => {
  test.setTimeout(300_000)
  for (const path of pagesForAxe) {
    await page.goto(path)
    await expectAccessibleAtEachWidth(page, path)
  }
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox').fill('price')
  await expect(page.getByRole('listbox', { name: 'Results' }).getByRole('option').first()).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'search')
})
