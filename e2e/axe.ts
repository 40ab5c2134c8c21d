import AxeBuilder from '@axe-core/playwright'
import { type Browser, expect, type Page } from '@playwright/test'

/** Fails with axe's findings on the current page, or if the page scrolls sideways. `state` names it in the message. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  let violations: Awaited<ReturnType<AxeBuilder['analyze']>>['violations']
  let moved: boolean
  // Colors in transition cannot be judged: what axe found while something began to move is found again at rest.
  do {
    await watchMotion(page)
    violations = (await new AxeBuilder({ page }).analyze()).violations
    moved = await page.evaluate(() => (window as Watched).moved ?? false)
  } while (moved)
  expect(violations.map(({ id, nodes }) => `${state} ${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(beyond, `${state} is wider than the window`).toBeLessThanOrEqual(0)
}

type Watched = Window & { moved?: boolean }

/** Waits until no animation is running that ends, and notes in `moved` whether one starts later. */
async function watchMotion(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const watched = window as Watched
    if (watched.moved === undefined)
      for (const type of ['transitionrun', 'animationstart'])
        document.addEventListener(type, () => {
          watched.moved = true
        })
    const running = () =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) => playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
        )
    for (let ending = running(); ending.length > 0; ending = running())
      await Promise.allSettled(ending.map(({ finished }) => finished))
    watched.moved = false
  })
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
