import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import { type Browser, expect, type Page } from '@playwright/test'

/**
 * Without legacy mode axe opens a second page for each judgment, for frames of other origins. The product has none, and half of
 * the browser's processor time went there. Loading axe takes as long as a judgment, so each document loads it once: where it
 * is there already, the builder runs `0` instead of its source.
 */
async function axe(page: Page): Promise<AxeBuilder> {
  const loaded = await Promise.all(page.frames().map((frame) => frame.evaluate(() => 'axe' in window)))
  const builder = new AxeBuilder(loaded.every(Boolean) ? { page, axeSource: '0' } : { page })
  return builder.setLegacyMode(true).options({ resultTypes: ['violations'] })
}

/** The rules whose findings differ by theme: the other theme has the same elements. */
const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * Fails with axe's findings on the current page in its theme, then in the dark theme, or if the page scrolls sideways. `state`
 * names it in the message, and its pictures in the folder PICTURES, if set. `except` names rules that do not apply.
 */
export async function expectAccessible(page: Page, state: string, except: string[] = []): Promise<void> {
  const found = await judge(page, (builder) => builder.disableRules(except))
  await picture(page, `${state}-light`)
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  await page.emulateMedia({ colorScheme: 'dark' })
  found.push(...(await judge(page, (builder) => builder.withRules(colorRules))))
  await picture(page, `${state}-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  expect(found.map(({ id, nodes }) => `${state} ${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  expect(beyond, `${state} is wider than the window`).toBeLessThanOrEqual(0)
}

async function judge(page: Page, set: (builder: AxeBuilder) => AxeBuilder) {
  // Colors in transition cannot be judged: what axe found while something began to move is found again at rest.
  for (;;) {
    await watchMotion(page)
    const { violations } = await set(await axe(page)).analyze()
    if (!(await page.evaluate(() => (window as Watched).moved))) return violations
  }
}

/** A picture of the whole page in the folder PICTURES, if set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  const file = `${name.replaceAll(/\W+/g, '-').toLowerCase()}-${page.viewportSize()?.width}.png`
  if (folder) await page.screenshot({ path: join(folder, file), fullPage: true })
}

type Watched = Window & { moved?: boolean }

/** Ends the animations that have an end, and notes in `moved` whether one starts later. */
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
    for (let ending = running(); ending.length > 0; ending = running()) {
      // Those of content that is not drawn would never end by themselves.
      for (const animation of ending) animation.finish()
      await new Promise((drawn) => requestAnimationFrame(drawn))
    }
    watched.moved = false
  })
}

/** Of a phone and of a laptop, in px. */
export const widths = [360, 1280] as const

/** A new page of this width; the caller closes its context. */
export async function pageWith(browser: Browser, width: number, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, baseURL })
  return context.newPage()
}

/** The same as `expectAccessible`, at each width: the layout depends on CSS only. The page ends at 1280 px. */
export async function expectAccessibleAtEachWidth(page: Page, state: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await expectAccessible(page, state)
  }
}

/** The same, nightly only: for a state that another test judges in the whole set. */
export async function expectAccessibleAgain(page: Page, state: string): Promise<void> {
  if (process.env.NIGHTLY) await expectAccessibleAtEachWidth(page, state)
}
