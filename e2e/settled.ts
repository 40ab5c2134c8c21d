import { expect, type Locator, type Page } from '@playwright/test'

/** Waits until React has the page that the server drew, so that what is pressed is heard. Documentation has no React. */
export async function takenOver(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const root = document.getElementById('root')
    const drawn = root && (root.querySelector('h1') ?? root.firstElementChild)
    // React marks the nodes that it has taken over.
    return !root || (drawn && Object.keys(drawn).some((key) => key.startsWith('__reactFiber')))
  })
}

/** Waits until React has the page and no part of it says that it is loading. */
export async function settled(page: Page): Promise<void> {
  await takenOver(page)
  await expect(page.getByRole('status').filter({ hasText: /\.\.\.$/ })).toHaveCount(0)
}

/** Reads the page again until it shows what the server hears of by itself, such as by a webhook. */
export async function reloadUntilSeen(page: Page, awaited: Locator): Promise<void> {
  let patience = 3000
  await expect(async () => {
    await page.reload()
    await settled(page)
    // Parts of a page come later than the page: on a busy machine by more than any fixed time.
    const timeout = patience
    patience *= 2
    await expect(awaited).toBeVisible({ timeout })
  }).toPass()
}
