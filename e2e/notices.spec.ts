import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { takenOver } from './settled.ts'

/** Opens a page, stops its clock, and copies a command from it, which shows a toast. */
async function copyWithClock(page: Page, baseURL: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL })
  await page.clock.install()
  await page.goto(`${baseURL}/sell`)
  await takenOver(page)
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await expect(async () => {
    await page.clock.runFor(50)
    expect(await toast(page).isVisible()).toBe(true)
  }).toPass()
}
const toast = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Command copied to clipboard' })

test('a toast goes after 5000 ms', async ({ page, baseURL }) => {
  await copyWithClock(page, baseURL)
  await page.mouse.move(5, 5)
  await page.clock.runFor(4900)
  await expect(toast(page)).toBeVisible()
  await page.clock.runFor(300)
  await expect(toast(page)).toBeHidden()
})

test('hovering it stops its clock, leaving it lets it go on', async ({ page, baseURL }) => {
  await copyWithClock(page, baseURL)
  await toast(page).hover()
  await page.clock.runFor(20_000)
  await expect(toast(page)).toBeVisible()
  await page.mouse.move(5, 5)
  await page.clock.runFor(5200)
  await expect(toast(page)).toBeHidden()
})

test('F8 focuses the toast and pauses its timer; Escape closes it', async ({ page, baseURL }) => {
  await copyWithClock(page, baseURL)
  await page.mouse.move(5, 5)
  await page.keyboard.press('F8')
  await page.clock.runFor(20_000)
  await expect(toast(page)).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await page.clock.runFor(1000)
  await expect(toast(page)).toBeHidden()
})

test('only one toast is shown: the next replaces it', async ({ page, baseURL }) => {
  await copyWithClock(page, baseURL)
  const toasts = page.getByRole('region', { name: /^Notification/ }).getByRole('listitem')
  await expect(toasts).toHaveText([/Command copied to clipboard/])
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
    document.execCommand = () => false
  })
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.clock.runFor(100)
  await expect(toasts).toHaveText([/Failed to copy to clipboard\. Please copy manually\./])
})

test('a swipe to the right beyond 50 px dismisses, a shorter one does not', async ({ page, baseURL }) => {
  await copyWithClock(page, baseURL)
  const swipe = async (px: number) => {
    const box = await toast(page).boundingBox()
    if (!box) throw new Error('the toast has no place')
    const [x, y] = [box.x + 40, box.y + box.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + px / 2, y, { steps: 4 })
    await page.mouse.move(x + px, y, { steps: 4 })
    await page.mouse.up()
    await page.clock.runFor(400)
  }
  await swipe(40)
  await expect(toast(page)).toBeVisible()
  await swipe(80)
  await expect(toast(page)).toBeHidden()
})

test('a clipboard that refuses gives an error toast', async ({ page, baseURL }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('no')) } })
    document.execCommand = () => false
  })
  await page.goto(`${baseURL}/sell`)
  await takenOver(page)
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await expect(page.getByText('Failed to copy to clipboard. Please copy manually.').first()).toBeVisible()
})
