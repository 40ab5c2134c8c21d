import AxeBuilder from '@axe-core/playwright'
import { type Browser, expect, type Page } from '@playwright/test'

/** Fails with axe's findings on the current page, or if the page scrolls sideways. `state` names it in the message. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  // Colors on their way are no colors to judge. What turns while it waits never ends.
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(
        ({ playState, effect }) => playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
      )
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => `${state} ${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(beyond, `${state} is wider than the window`).toBeLessThanOrEqual(0)
}

export const looks = [
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'dark', width: 1280 },
] as const
export type Look = (typeof looks)[number]

export const lookName = ({ colorScheme, width }: Look) => `${colorScheme}, ${width} px`

/** A new page with this theme and width; the caller closes its context. */
export async function pageWith(browser: Browser, { colorScheme, width }: Look, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, baseURL })
  return context.newPage()
}
