import { expect, type Page } from '@playwright/test'
import { hold } from './answers.ts'
import { chooseProAndLeave, openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'

/** What Billing reads, in the order of the page. */
const reads = ['subscription', 'credits', 'credits/topup', 'credits/history', 'plans', 'upcoming-invoice']

type Watched = Window & { shifts?: number; shifted?: string[] }

/** Sums the layout shifts of the next page, as browsers report them. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watched = window as Watched
    watched.shifts = 0
    watched.shifted = []
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] }
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        if (hadRecentInput) continue
        watched.shifts = (watched.shifts ?? 0) + value
        for (const { node } of sources) watched.shifted?.push(`${value.toFixed(3)} ${node?.textContent?.slice(0, 40)}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** Waits until the page has been painted again. */
const painted = (page: Page) =>
  page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))))

for (const width of [360, 1280])
  for (const holds of ['nothing', 'a free plan', 'a trial'] as const)
    test(`${width} px: Billing shifts by less than 0.05 for someone with ${holds}, whichever answer is first`, async ({
      page,
      baseURL,
    }) => {
      await page.setViewportSize({ width, height: 800 })
      await openBilling(page, baseURL)
      if (holds === 'a free plan') {
        await planCard(page, 'Free')
          .getByRole('button', { name: /^Redeem free plan/ })
          .click()
        await expect(planCard(page, 'Free').getByRole('button', { name: 'Current Plan' })).toBeVisible()
      }
      if (holds === 'a trial') {
        await chooseProAndLeave(page)
        await page.getByRole('button', { name: 'Start trial' }).click()
        await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
      }
      await watchShifts(page)
      for (const [visit, order] of [
        ['first', reads],
        ['second', reads],
        ['first', reads.toReversed()],
        ['second', reads.toReversed()],
      ] as const) {
        if (visit === 'first')
          // As on another device: a browser keeps which cards the page had.
          await page.evaluate(() => {
            for (const name of Object.keys(localStorage))
              if (name.startsWith('finmeter.personal.')) localStorage.removeItem(name)
          })
        const releases: (() => void)[] = []
        for (const read of order) releases.push(await hold(page, `**/api/billing/${read}`))
        await page.goto('/dashboard/billing')
        await expect(page.getByRole('status').filter({ hasText: 'Loading plans...' })).toBeVisible()
        for (const release of releases) {
          release()
          await painted(page)
        }
        await expect(planCard(page, 'Pro')).toBeVisible()
        await settled(page)
        await painted(page)
        const [shifts, shifted] = await page.evaluate(() => [(window as Watched).shifts, (window as Watched).shifted])
        expect(shifts, `${visit} visit, ${order[0]} first: ${(shifted as string[]).join('\n')}`).toBeLessThan(0.05)
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      }
    })
