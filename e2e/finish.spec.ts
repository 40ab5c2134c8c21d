import { randomUUID } from 'node:crypto'
import { chromium, expect, type Page } from '@playwright/test'
import { answer } from './answers.ts'
import { launchOptions } from './browser.ts'
import { test } from './fixtures.ts'
import { signIn, signInWithPlan } from './sign-in.ts'

const address = () => `finish-${randomUUID().slice(0, 8)}@example.com`

/** The page's black buttons. */
const primaries = (page: Page) =>
  page.evaluate(() => {
    const ink = getComputedStyle(document.body).color
    return [...document.querySelectorAll('main :is(a, button)')]
      .filter((one) => getComputedStyle(one).backgroundColor === ink)
      .map((one) => one.textContent)
  })

test('empty keys without a plan: one button', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address(), '/dashboard/api-keys/')
  const list = page.getByRole('region', { name: 'API Keys', exact: true })
  await expect(list.getByText('Your first key appears here with its usage.', { exact: true })).toBeVisible()
  await expect(list.getByRole('link')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Choose a Plan' })).toBeVisible()
  expect(await primaries(page)).toEqual(['Choose a Plan'])
  await page.getByRole('link', { name: 'Choose a Plan' }).click()
  await expect(page.getByRole('heading', { name: 'Plans', exact: true })).toBeFocused()
})

test('empty lists lead on: calls to the playground, a filter without matches back to everything', async ({
  page,
  baseURL,
}) => {
  await signInWithPlan(page, baseURL, address())
  const calls = page.getByRole('region', { name: 'Latest calls', exact: true })
  await expect(calls.getByRole('link', { name: 'Open the playground' })).toHaveAttribute(
    'href',
    '/dashboard/playground',
  )
  await page.goto('/dashboard/settings/audit-log')
  await page.getByLabel('Show', { exact: true }).selectOption('Members')
  await page.getByRole('button', { name: 'Show everything' }).click()
  await expect(page.getByRole('row', { name: /Signed in/ })).toBeVisible()
  await expect(page.getByLabel('Show', { exact: true })).toHaveValue('')
})

test('forced colors: bars and legend of the requests differ from the card and from each other', async ({
  page,
  baseURL,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await signIn(page, baseURL, address())
  const hour = new Date()
  hour.setUTCMinutes(0, 0, 0)
  await page.route('**/api/usage?*', async (route) => {
    const { data } = await (await route.fetch()).json()
    const date = hour.toISOString()
    data.analytics[0] = { unkeyId: 'x', keyName: 'Default', data: [{ time: date, date, success: 5, failed: 3 }] }
    Object.assign(data, { totalRequests: 8, successfulRequests: 5, failedRequests: 3 })
    await answer(data)(route)
  })
  await page.goto('/dashboard')
  const chart = page.getByRole('region', { name: 'Requests', exact: true })
  await expect(chart.locator('.swatch')).toHaveCount(2)
  await expect(chart.locator('rect[fill="var(--chart-failed)"]')).toHaveCount(1)
  const colors = await chart.evaluate((card) => {
    const ground = getComputedStyle(card).backgroundColor
    const legend = [...card.querySelectorAll('.swatch')].map((one) => getComputedStyle(one).backgroundColor)
    const bars = ['success', 'failed'].map((kind) => {
      const bar = card.querySelector(`rect[fill="var(--chart-${kind})"]`)
      return bar && getComputedStyle(bar).fill
    })
    return { ground, legend, bars }
  })
  expect(colors.legend).toEqual(colors.bars)
  expect(new Set([colors.ground, ...colors.legend]).size).toBe(3)
})

test('the tick on a black button has the color of its text', async ({ page, context, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInWithPlan(page, baseURL, address(), '/dashboard/api-keys/new')
  await page.getByRole('textbox', { name: 'Name' }).fill('Ticks')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  const button = page.getByRole('button', { name: 'Copy API key' })
  await button.click()
  await expect(button.locator('path[d="M20 6 9 17l-5-5"]')).toBeVisible()
  const [tick, text] = await button.evaluate((one) => [
    getComputedStyle(one.querySelector('svg')!).color,
    getComputedStyle(one).color,
  ])
  expect(tick).toBe(text)
})

for (const scrollBars of ['shown', 'hidden'] as const)
  test(`with scroll bars ${scrollBars}, a dialog neither moves the page nor leaves a strip`, async ({ baseURL }) => {
    const browser = await chromium.launch({
      ...(await launchOptions()),
      ...(scrollBars === 'shown' && { ignoreDefaultArgs: ['--hide-scrollbars'] }),
    })
    const page = await browser.newPage({ baseURL, viewport: { width: 1280, height: 800 } })
    await signIn(page, baseURL, address())
    const measure = () =>
      page.evaluate(() => ({
        header: document.querySelector('header')!.getBoundingClientRect().width,
        bar: innerWidth - document.documentElement.clientWidth,
        gutter: getComputedStyle(document.documentElement).scrollbarGutter,
      }))
    const before = await measure()
    expect(before.bar > 0).toBe(scrollBars === 'shown')
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog', { name: 'Commands' })).toBeVisible()
    // The backdrop covers the window, but no gutter.
    expect(await measure()).toEqual({ header: before.header, bar: 0, gutter: 'auto' })
    await page.keyboard.press('Escape')
    expect(await measure()).toEqual(before)
    await browser.close()
  })
