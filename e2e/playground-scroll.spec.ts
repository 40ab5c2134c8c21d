import { expect, type Locator, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

/** Scrolls as a reader does: scrolling by script does not count. */
async function wheel(page: Page, region: string, pixels: number) {
  await page.getByRole('region', { name: region, exact: true }).hover()
  await page.mouse.wheel(0, pixels)
}
const open = (page: Page, tab: string) => page.getByRole('button', { name: tab, exact: true }).click()
const tops = (page: Page, region: string) =>
  page
    .getByRole('region', { name: region, exact: true })
    .evaluate((section) => Math.max(...[...section.children].map((child) => child.scrollTop)))

/** Until a list that is scrolled has stood still for ten frames: a busy machine draws few a second. */
const atRest = (list: Locator) =>
  list.evaluate(
    (element) =>
      new Promise<void>((done) => {
        let still = 0
        let top = element.scrollTop
        const look = () => {
          still = element.scrollTop === top ? still + 1 : 0
          top = element.scrollTop
          if (still < 10) requestAnimationFrame(look)
          else done()
        }
        look()
      }),
  )

test('each tab keeps its own scroll position', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 1280, height: 500 })
  await signIn(page, baseURL, 'scroll@example.com', '/dashboard/playground/')
  await expect(page.getByRole('status').getByText('Connected', { exact: true })).toBeVisible()
  const field = page.getByRole('textbox', { name: 'Message' })
  const log = page.getByRole('log')
  for (let number = 1; number < 6; number += 1) {
    await field.fill(`add ${number} + 1`)
    await field.press('Enter')
    await expect(log.getByText('add returned a result', { exact: true })).toHaveCount(number)
  }
  await log.hover()
  await page.mouse.wheel(0, -100_000)
  await expect(log.getByText('Connected to finmeter', { exact: true })).toBeInViewport()
  const read = log.getByText('add 3 + 1', { exact: true })
  // Within the list: the window may scroll, too.
  const heightOf = async () => Math.round((await read.boundingBox())!.y - (await log.boundingBox())!.y)
  await atRest(log)
  for (let turn = 0; turn < 100 && (await heightOf()) > 100; turn += 1) {
    await page.mouse.wheel(0, 40)
    // A turn may count only when it is drawn, and the next one would be one too many.
    await atRest(log)
  }
  const height = await heightOf()
  await expect(read).toBeInViewport()

  await open(page, 'Tools')
  const first = page.getByRole('button', { name: 'Test search_symbols' })
  await expect(first).toBeInViewport()
  await wheel(page, 'Tools', 900)
  await expect.poll(() => tops(page, 'Tools')).toBe(900)
  await expect(first).not.toBeInViewport()

  await open(page, 'Settings')
  await expect(page.getByText('Protocol version', { exact: true })).toBeInViewport()
  expect(await tops(page, 'Settings')).toBe(0)
  await wheel(page, 'Settings', 150)
  await expect.poll(() => tops(page, 'Settings')).toBe(150)

  await open(page, 'Servers')
  expect(await tops(page, 'Servers')).toBe(0)

  await open(page, 'Tools')
  await expect(first).toBeAttached()
  await expect.poll(() => tops(page, 'Tools')).toBe(900)
  await open(page, 'Settings')
  await expect.poll(() => tops(page, 'Settings')).toBe(150)
  await open(page, 'Chat')
  await expect(read).toBeInViewport()
  await expect.poll(heightOf).toBe(height)

  // A tool's Test shows its answer in its place; the reader of older messages stays there.
  await open(page, 'Tools')
  await page.getByRole('button', { name: 'Test timestamp' }).click()
  await expect(page.getByText('timestamp returned a result', { exact: true })).toBeInViewport()
})
