import { expect, type Page } from '@playwright/test'

/** Presses Continue with GitHub on the current page; the sandbox signs in this address without its page. */
export async function continueAs(page: Page, email: string): Promise<void> {
  let started = false
  // The provider takes the address from the request that starts the flow. The route stays: a browser that stops
  // intercepting during a redirect can leave the request pending forever.
  await page.route('**/auth/v1/authorize?*', async (route) => {
    if (started) return route.fallback()
    started = true
    const url = new URL(route.request().url())
    url.searchParams.set('login_hint', email)
    url.searchParams.set('prompt', 'none')
    await route.continue({ url: url.toString() })
  })
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
}

/** Signs in through the sandbox without its page, as this address, and waits for Overview. */
export async function signIn(page: Page, baseURL: string, email: string): Promise<void> {
  await page.goto(`${baseURL}/login`)
  await continueAs(page, email)
  // The first sign-in creates the workspace: the longest wait on a busy machine.
  await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
}
