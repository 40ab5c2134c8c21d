import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@playwright/test'
import { hold } from './answers.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { painted, shiftsOf, watchShifts } from './shifts.ts'
import { signIn } from './sign-in.ts'

/** The requests of Overview, in the order of the page. */
const reads = [
  'keys',
  'billing/subscription',
  'usage?range=30d',
  'billing/credits',
  'billing/credits/history',
  'usage/receipts?*',
]

/** What the checklist says, which has no loading state. */
const done = { nothing: /^\d of 4 done$/, 'a plan': '2 of 4 done', 'a call': '3 of 4 done' }

for (const width of [360, 1280])
  for (const holds of ['nothing', 'a plan', 'a call'] as const)
    test(`${width} px: Overview shifts by at most 0.02 for someone with ${holds}, whichever answer is first`, async ({
      page,
      baseURL,
    }) => {
      await page.setViewportSize({ width, height: 800 })
      await signIn(page, baseURL, `shift-${randomUUID().slice(0, 8)}@example.com`)
      if (holds !== 'nothing') {
        await page.getByRole('button', { name: 'Redeem free plan' }).click()
        await expect(page.getByText('2 of 4 done')).toBeVisible()
      }
      if (holds === 'a call') {
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await expect(page.getByText('3 of 4 done')).toBeVisible()
      }
      // The first visit after a call may begin before the call is in the usage. What the second one shows is remembered.
      for (let visit = 0; visit < 2; visit++) {
        await page.goto('/dashboard')
        await settled(page)
        await expect(page.getByText(done[holds])).toBeVisible()
      }
      await watchShifts(page)
      for (const order of [reads, reads.toReversed()]) {
        const releases: (() => void)[] = []
        for (const read of order) releases.push(await hold(page, `**/api/${read}`))
        await page.goto('/dashboard')
        await expect(page.getByRole('status').filter({ hasText: 'Loading API keys...' }).first()).toBeAttached()
        for (const release of releases) {
          release()
          await painted(page)
        }
        await expect(page.getByText(/^\d of 4 done$/)).toBeVisible()
        await settled(page)
        await painted(page)
        const { sum, shifted } = await shiftsOf(page)
        expect(sum, `${order[0]} first: ${shifted.join('\n')}`).toBeLessThanOrEqual(0.02)
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      }
    })

for (const width of [360, 1280])
  test(`${width} px: a chart whose code comes after everything else shifts Overview by less than 0.02`, async ({
    page,
    baseURL,
  }) => {
    await page.setViewportSize({ width, height: 800 })
    await signIn(page, baseURL, `chart-${randomUUID().slice(0, 8)}@example.com`)
    await page.getByRole('button', { name: 'Redeem free plan' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(page.getByText('3 of 4 done')).toBeVisible()
    for (let visit = 0; visit < 2; visit++) {
      await page.goto('/dashboard')
      await settled(page)
      await expect(page.getByText('3 of 4 done')).toBeVisible()
    }
    await watchShifts(page)
    const release = await hold(page, '**/assets/usage-chart-*.js')
    await page.goto('/dashboard', { waitUntil: 'commit' })
    await expect(page.getByRole('region', { name: 'Requests', exact: true })).toContainText('Success1')
    await expect(page.getByText('3 of 4 done')).toBeVisible()
    await painted(page)
    release()
    await expect(page.getByRole('slider').first()).toBeAttached()
    await painted(page)
    const { sum, shifted } = await shiftsOf(page)
    expect(sum, shifted.join('\n')).toBeLessThan(0.02)
  })

for (const width of [360, 1280])
  test(`${width} px: a font that comes after everything else does not shift Overview`, async ({ page, baseURL }) => {
    await page.setViewportSize({ width, height: 800 })
    await signIn(page, baseURL, `font-${randomUUID().slice(0, 8)}@example.com`)
    const release = await hold(page, '**/assets/geist-*.woff2')
    await watchShifts(page)
    const asked = page.waitForRequest('**/assets/geist-latin-*.woff2')
    // A page is loaded when its fonts are.
    await page.goto('/dashboard', { waitUntil: 'commit' })
    await asked
    await expect(page.getByText(/^\d of 4 done$/)).toBeVisible()
    await settled(page)
    await painted(page)
    const before = await shiftsOf(page)
    const arrived = page.waitForResponse('**/assets/geist-latin-*.woff2')
    release()
    await (await arrived).finished()
    await page.evaluate(async () => void (await document.fonts.ready))
    await painted(page)
    const { sum, shifted } = await shiftsOf(page)
    expect(sum - before.sum, shifted.join('\n')).toBe(0)
  })

for (const width of [360, 1280])
  test(`${width} px: a font that was fetched before does not shift Overview, however soon after the page it comes`, async ({
    page,
    baseURL,
  }) => {
    await page.setViewportSize({ width, height: 800 })
    await signIn(page, baseURL, `soon-${randomUUID().slice(0, 8)}@example.com`)
    const preload = page.locator('head link[rel="preload"][as="font"]')
    // Two seconds after it began, a page says that it has fetched the font.
    await page.goto('/robots.txt')
    await page.evaluate(() => localStorage.removeItem('finmeter.font'))
    await page.goto('/dashboard', { waitUntil: 'domcontentloaded' })
    await expect(preload).toHaveCount(0)
    await page.evaluate(() => localStorage.setItem('finmeter.font', 'fetched'))
    await watchShifts(page)
    for (const laterMs of [0, 20, 40, 60]) {
      await page.route('**/assets/geist-*.woff2', async (route) => {
        await sleep(laterMs)
        await route.continue()
      })
      await page.goto('/dashboard', { waitUntil: 'domcontentloaded' })
      await expect(preload).toHaveCount(1)
      await page.evaluate(async () => void (await document.fonts.ready))
      await expect(page.getByText(/^\d of 4 done$/)).toBeVisible()
      await settled(page)
      await painted(page)
      const { sum, shifted } = await shiftsOf(page)
      expect(sum, `${laterMs} ms later: ${shifted.join('\n')}`).toBeLessThan(0.01)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })
