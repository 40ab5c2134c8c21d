import { expect } from '@playwright/test'
import { test, withProduct } from './fixtures.ts'
import { signInByScreens } from './sign-in.ts'

/** A product that uses an external auth service: the product of the other tests. */
const swapped = test.extend<{ own: string }>({
  own: async ({ product }, use) =>
    withProduct({ AUTH_URL: product.url, AUTH_ANON_KEY: 'publishable' }, ({ url }) => use(url)),
})

swapped(
  'with AUTH_URL the external service signs users in, in the browser and for every call',
  async ({ page, product, own }) => {
    const asked: string[] = []
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url())
      if (pathname.startsWith('/auth/v1/')) asked.push(`${origin} ${request.headers().apikey ?? ''}`.trim())
    })
    await signInByScreens(page, own, 'swapped@example.com')
    expect(new URL(page.url()).origin).toBe(own)
    expect(new Set(asked)).toEqual(new Set([product.url, `${product.url} publishable`]))

    await page.goto(`${own}/dashboard/api-keys/new`)
    await page.getByLabel('Key Name').fill('swap')
    await page.getByRole('button', { name: 'Create API Key' }).click()
    await expect(page.getByText('swap', { exact: true }).first()).toBeVisible()
    await page.goto(`${own}/dashboard/settings`)
    await expect(page.getByLabel('Associated email', { exact: true })).toHaveValue('swapped@example.com')
    await page.goto(`${own}/dashboard/settings/security`)
    await expect(page.getByText('Another service handles sign-in and keeps the list of your sessions.')).toBeVisible()
    await expect(
      page.getByRole('region', { name: 'Connected accounts' }).getByText('swapped', { exact: true }),
    ).toBeVisible()
    expect((await fetch(`${own}/auth/v1/settings`)).status).toBe(404)

    // Signing out ends the session at the external service.
    const { refresh_token } = await page.evaluate(() => JSON.parse(localStorage.getItem('supabase.auth.token') ?? '{}'))
    await page.goto(`${own}/auth/logout`)
    await expect(page).toHaveURL(`${own}/`)
    const refused = await fetch(`${product.url}/auth/v1/token?grant_type=refresh_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', apikey: 'publishable' },
      body: JSON.stringify({ refresh_token }),
    })
    expect(refused.status).toBe(400)
  },
)
