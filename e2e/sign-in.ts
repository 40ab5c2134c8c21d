import { expect, type Page } from '@playwright/test'

/** Presses Continue with GitHub on the page at hand; the sandbox answers at once as a person of this address. */
export async function continueAs(page: Page, email: string): Promise<void> {
  let begun = false
  // The provider takes the address from the request that starts the flow, and answers at once. The route stays: a browser
  // that stops intercepting while a redirect is on its way can leave it there for ever.
  await page.route('**/auth/v1/authorize?*', async (route) => {
    if (begun) return route.fallback()
    begun = true
    const url = new URL(route.request().url())
    url.searchParams.set('login_hint', email)
    url.searchParams.set('prompt', 'none')
    await route.continue({ url: url.toString() })
  })
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
}

/** Signs in through the sandbox without its page, as a person of this address, and lands on Overview. */
export async function signIn(page: Page, baseURL: string, email: string): Promise<void> {
  await page.goto(`${baseURL}/login`)
  await continueAs(page, email)
  // A first sign-in makes the person's workspace: the longest wait of all on a busy machine.
  await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
}
