import type { Page } from '@playwright/test'

type Watched = Window & { shifts?: number; shifted?: string[] }

/** Sums the layout shifts of the next page, as browsers report them. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watched = window as Watched
    watched.shifts = 0
    watched.shifted = []
    type Shift = PerformanceEntry & {
      value: number
      hadRecentInput: boolean
      sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
    }
    new PerformanceObserver((list) => {
      for (const { value, startTime, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        if (hadRecentInput) continue
        watched.shifts = (watched.shifts ?? 0) + value
        for (const { node, previousRect: from, currentRect: to } of sources)
          watched.shifted?.push(
            `${value.toFixed(3)} at ${startTime.toFixed(0)} ms, ${[from, to].map((at) => `${at.width}x${at.height} at ${at.x},${at.y}`).join(' to ')}: ${node?.textContent?.slice(0, 40)}`,
          )
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** Waits until the page has been painted again. */
export const painted = (page: Page) =>
  page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))))

/** The sum of the shifts so far, and what has shifted. */
export const shiftsOf = (page: Page): Promise<{ sum: number; shifted: string[] }> =>
  page.evaluate(() => ({ sum: (window as Watched).shifts ?? 0, shifted: (window as Watched).shifted ?? [] }))

/** As on another device: a browser remembers which cards a page had. The page is left first: it would remember them once more. */
export async function forgetVisits(page: Page): Promise<void> {
  await page.goto('/robots.txt')
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage))
      if (name.startsWith('finmeter.personal.')) localStorage.removeItem(name)
  })
}
