import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { startServerProcess } from '#server/testing/process.ts'
import { freePort, test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

/** A product without a sign-in of its own; the product of the other tests is its hosted project. */
const swapped = test.extend<{ own: string }>({
  own: async ({ product }, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'finmeter-hosted-'))
    const port = await freePort()
    const server = startServerProcess({
      PORT: String(port),
      FINMETER_DATA_DIR: dir,
      NODE_ENV: 'development',
      AUTH_URL: product.url,
      AUTH_ANON_KEY: 'publishable',
    })
    await server.ready
    await use(`http://localhost:${port}`)
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  },
})

swapped(
  'with AUTH_URL the other service signs people in, in the browser and for every call',
  async ({ page, product, own }) => {
    swapped.setTimeout(180_000)
    const asked: string[] = []
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url())
      if (pathname.startsWith('/auth/v1/')) asked.push(`${origin} ${request.headers().apikey ?? ''}`.trim())
    })
    await signIn(page, own, 'swapped@example.com')
    expect(new URL(page.url()).origin).toBe(own)
    expect(new Set(asked)).toEqual(new Set([product.url, `${product.url} publishable`]))

    await page.goto(`${own}/dashboard/api-keys/new`)
    await page.getByLabel('Key Name').fill('swap')
    await page.getByRole('button', { name: 'Create API Key' }).click()
    await expect(page.getByText('swap', { exact: true }).first()).toBeVisible()
    await page.goto(`${own}/dashboard/settings`)
    await expect(page.getByLabel('Associated email', { exact: true })).toHaveValue('swapped@example.com')
    await expect(
      page.getByText('Sign-in is done by another service, which keeps the list of your sessions.'),
    ).toBeVisible()
    await expect(
      page.getByRole('region', { name: 'Connected accounts' }).getByText('swapped', { exact: true }),
    ).toBeVisible()
    expect((await fetch(`${own}/auth/v1/settings`)).status).toBe(404)

    // Signing out ends the session there.
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
