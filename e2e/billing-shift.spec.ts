import { expect } from '@playwright/test'
import { hold } from './answers.ts'
import { chooseProAndLeave, openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { forgetVisits, painted, shiftsOf, watchShifts } from './shifts.ts'

/** What Billing reads, in the order of the page. */
const reads = ['subscription', 'credits', 'credits/topup', 'credits/history', 'plans', 'upcoming-invoice']

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
        if (visit === 'first') await forgetVisits(page)
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
        const { sum, shifted } = await shiftsOf(page)
        expect(sum, `${visit} visit, ${order[0]} first: ${shifted.join('\n')}`).toBeLessThan(0.05)
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      }
    })
