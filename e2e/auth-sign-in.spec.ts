import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

interface Stored {
  access_token: string
  refresh_token: string
}
const stored = (page: Page): Promise<Stored | null> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('supabase.auth.token') ?? 'null'))
const refresh = (page: Page, token: string) =>
  page.evaluate(async (refresh_token) => {
    const response = await fetch('/auth/v1/token?grant_type=refresh_token', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
      body: JSON.stringify({ refresh_token }),
    })
    return { status: response.status, body: await response.json() }
  }, token)
const failed = 'The sign-in was not accepted. Please try again.'

test('a denied consent comes back to the login page with the reason', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/login`)
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible()
  await expect(page.getByText('Sign in to your account to continue', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByRole('button', { name: 'Deny' }).first().click()
  await expect(page).toHaveURL(/\/login\?error=auth_failed$/)
  await expect(page.getByRole('alert').filter({ hasText: failed })).toBeVisible()
})

test('a state that is used, foreign or unknown makes no session', async ({ page, browser, baseURL }) => {
  let callback = ''
  page.on('request', (request) => {
    if (request.url().includes('/auth/v1/callback?')) callback = request.url()
  })
  await signIn(page, baseURL, 'state@example.com')
  expect(callback).not.toBe('')
  // Without the cookie of the browser that began it, a state is nobody's.
  const reused = await fetch(callback, { redirect: 'manual' })
  expect([reused.status, new URL(reused.headers.get('location') ?? '').searchParams.get('error_code')]).toEqual([
    303,
    'bad_oauth_state',
  ])
  const other = await (await browser.newContext({ baseURL })).newPage()
  await other.goto(callback)
  expect(await stored(other)).toBeNull()
  await other.goto('/auth/v1/callback?state=00000000-0000-4000-8000-000000000000&code=x')
  await expect(other).toHaveURL(/error_code=bad_oauth_state/)
  await other.context().close()
})

test('the callback page without anything to exchange says so', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/auth/callback`)
  await expect(page).toHaveURL(/\/login\?error=no_session$/)
  await page.goto(`${baseURL}/auth/callback?code=00000000-0000-4000-8000-000000000000`)
  await expect(page).toHaveURL(/\/login\?error=auth_failed$/)
})

test('two tabs that refresh at once stay signed in', async ({ page, context, baseURL }) => {
  await signIn(page, baseURL, 'tabs@example.com')
  const second = await context.newPage()
  await second.goto(`${baseURL}/dashboard`)
  const first = (await stored(page))!.refresh_token
  const both = await Promise.all([
    refresh(page, first),
    refresh(second, first),
    refresh(page, first),
    refresh(second, first),
  ])
  expect(both.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(new Set(both.map(({ body }) => body.refresh_token)).size).toBe(1)
  const current = both[0]!.body.refresh_token as string
  // The answer may not have arrived: the parent of the current token gets the current one again.
  const newer = await refresh(page, current)
  expect((await refresh(page, current)).body.refresh_token).toBe(newer.body.refresh_token)
})

test('after sleep and offline the session is still there', async ({ page, context, baseURL }) => {
  await signIn(page, baseURL, 'sleeper@example.com')
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('supabase.auth.token')!)
    localStorage.setItem(
      'supabase.auth.token',
      JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + 5 }),
    )
  })
  await context.setOffline(true)
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await context.setOffline(false)
  await page.goto(`${baseURL}/dashboard`)
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await expect
    .poll(async () =>
      page.evaluate(() => JSON.parse(localStorage.getItem('supabase.auth.token')!).expires_at - Date.now() / 1000),
    )
    .toBeGreaterThan(3000)
})

test('sign-out of one device, of the others and of all', async ({ page, browser, baseURL }) => {
  await signIn(page, baseURL, 'scopes@example.com')
  const other = await (await browser.newContext({ baseURL })).newPage()
  await signIn(other, baseURL, 'scopes@example.com')
  const logout = (scope: string) =>
    page.evaluate(async (scope) => {
      const { access_token } = JSON.parse(localStorage.getItem('supabase.auth.token')!)
      const headers = { authorization: `Bearer ${access_token}` }
      return (await fetch(`/auth/v1/logout?scope=${scope}`, { method: 'POST', headers })).status
    }, scope)
  const user = (tab: Page) =>
    tab.evaluate(async () => {
      const { access_token } = JSON.parse(localStorage.getItem('supabase.auth.token')!)
      return (await fetch('/auth/v1/user', { headers: { authorization: `Bearer ${access_token}` } })).status
    })
  expect(await logout('others')).toBe(204)
  expect([await user(page), await user(other)]).toEqual([200, 403])
  await other.goto('/auth/logout')
  await expect(other).toHaveURL(`${baseURL}/`)
  await signIn(other, baseURL, 'scopes@example.com')
  expect(await logout('local')).toBe(204)
  expect([await user(page), await user(other)]).toEqual([403, 200])
  await page.goto('/auth/logout')
  await expect(page).toHaveURL(`${baseURL}/`)
  await signIn(page, baseURL, 'scopes@example.com')
  expect(await logout('global')).toBe(204)
  expect([await user(page), await user(other)]).toEqual([403, 403])
  await other.context().close()
})
