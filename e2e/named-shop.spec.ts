import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { freePort } from '#server/db/embedded.ts'
import { startNorthwind } from '#server/features/shop/testing/start-northwind.ts'
import { expectAccessibleAtEachWidth, pageWith } from './axe.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { signInWithPlan } from './sign-in.ts'

let dir: string
let url: string
let shop: ReturnType<typeof startNorthwind>
test.beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'finmeter-e2e-'))
  const port = await freePort()
  url = `http://localhost:${port}`
  shop = startNorthwind(join(dir, 'northwind'), port)
  expect(await shop.open).toContain(`Northwind Weather is open at ${url}.`)
})
test.afterAll(async () => {
  await shop?.stop()
  await rm(dir, { recursive: true, force: true })
})

/** In light and dark, at each width: nothing of ours, the shop's name and colors, and axe finds nothing. */
async function check(page: Page, path: string): Promise<void> {
  await page.goto(url + path)
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await settled(page)
  await expect(page).toHaveTitle(/Northwind Weather/)
  expect(await page.locator('body').textContent()).not.toMatch(/finmeter|AAPL|OIL\.WTI|get_bars/i)
  const accent = () =>
    page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.color = 'var(--accent)'
      const { color } = getComputedStyle(probe)
      probe.remove()
      return color
    })
  expect(await accent()).toBe('rgb(160, 58, 0)')
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await accent()).not.toBe('rgb(160, 58, 0)')
  await page.emulateMedia({ colorScheme: 'light' })
  await expectAccessibleAtEachWidth(page, `northwind ${path}`)
}

test('home, docs, playground and key page of a named shop are its own, and accessible in light and dark', async ({
  browser,
}) => {
  test.setTimeout(600_000)
  const page = await pageWith(browser, 1280, url)
  await page.goto(url)
  const tried = page.getByRole('region', { name: 'Try a call' })
  // First a call whose example makes a chart.
  await expect(tried).toContainText('/v1/weather/places/bergen/forecast')
  await expect(tried.getByRole('img', { name: /: .* on Aug 3, 2026, .* on Aug 9, 2026$/ })).toBeVisible()
  await tried.getByRole('button', { name: 'Table', exact: true }).click()
  await expect(tried).toContainText('Rain (mm)')
  await tried.getByRole('button', { name: 'List places' }).click()
  await expect(tried).toContainText('reykjavik')
  for (const path of ['/', '/docs/', '/docs/reference/weather_get_forecast', '/docs/pricing', '/legal/imprint'])
    await check(page, path)
  await signInWithPlan(page, url, 'ada@northwind.example')
  await check(page, '/dashboard/playground/')
  await expect(page.getByText('Connected to Northwind Weather', { exact: true })).toBeVisible()
  await check(page, '/dashboard/api-keys/')
  await expect(page.getByText(/^nw_/).first()).toBeVisible()
  const key = await page.getByRole('row').nth(1).getByRole('link').first().getAttribute('href')
  await check(page, key ?? 'the list has no link to its key')
  await page.context().close()
})
