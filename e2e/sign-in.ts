import { expect, type Page } from '@playwright/test'

/** Signs in through the sandbox without its page, as a person of this address, and lands on Overview. */
export async function signIn(page: Page, baseURL: string, email: string): Promise<void> {
  await page.goto(`${baseURL}/login`)
  // The provider takes the address from the request that starts the flow, and answers at once.
  await page.route(
    '**/auth/v1/authorize?*',
    async (route) => {
      const url = new URL(route.request().url())
      url.searchParams.set('login_hint', email)
      url.searchParams.set('prompt', 'none')
      await route.fulfill({ status: 302, headers: { location: url.toString() } })
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
}
