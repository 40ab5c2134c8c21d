import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { addClient } from './page-client.ts'
import { continueAs, signInByScreens } from './sign-in.ts'

interface Stored {
  access_token: string
  refresh_token: string
  expires_at: number
}
const stored = (page: Page): Promise<Stored | null> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('supabase.auth.token') ?? 'null'))
/** Sets the stored session's expiry to this many seconds from now. Any request of the page may then refresh it. */
const endsIn = (page: Page, seconds: number) =>
  page.evaluate((seconds) => {
    const session = JSON.parse(localStorage.getItem('supabase.auth.token')!)
    const expires_at = Math.floor(Date.now() / 1000) + seconds
    localStorage.setItem('supabase.auth.token', JSON.stringify({ ...session, expires_at }))
  }, seconds)
/** As in browsers: the event bubbles, and the client listens on the window. */
const becomesVisible = (page: Page) =>
  page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
const grant = (name: string) => (response: { url: () => string }) =>
  response.url().includes(`/token?grant_type=${name}`)
/** The service's response to a token from elsewhere. */
const present = async (baseURL: string, name: string, body: object) => {
  const response = await fetch(`${baseURL}/auth/v1/token?grant_type=${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
const overview = (page: Page) => page.getByRole('heading', { name: 'Overview', level: 1 })
const refused = (page: Page, reason?: string) =>
  page
    .getByRole('alert')
    .filter({ hasText: `Sign-in was not accepted. Please try again.${reason ? ` (${reason})` : ''}` })

test('a visitor returns to the page they asked for, and once only', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/dashboard/playground/?tab=tools`)
  await expect(page).toHaveURL(/\/login$/)
  await continueAs(page, 'returning@example.com')
  await expect(page.getByRole('heading', { name: 'MCP Playground' })).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard\/playground\/?\?tab=tools$/)
  await page.goto(`${baseURL}/auth/logout`)
  await expect(page).toHaveURL(`${baseURL}/`)
  await signInByScreens(page, baseURL, 'returning@example.com')
})

test('a plan that a visitor chooses leads to Billing after signing in', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/pricing`)
  await page
    .getByRole('link', { name: /Choose Pro|Pro/ })
    .first()
    .click()
  await continueAs(page, 'chooser@example.com')
  await expect(page.getByRole('heading', { name: 'Billing', level: 1 })).toBeVisible()
})

test('denied consent returns to the login page with the reason', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/login`)
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible()
  await expect(page.getByText('Sign in to your account to continue', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByRole('button', { name: 'Deny' }).first().click()
  await expect(page).toHaveURL(/\/login\?error=auth_failed$/)
  await expect(page.getByRole('alert').filter({ hasText: 'You canceled sign-in. Try again.' })).toBeVisible()
})

test('a used, foreign or unknown state creates no session', async ({ page, browser, baseURL }) => {
  await page.goto('/login')
  let callback = ''
  page.on('request', (request) => {
    if (request.url().includes('/auth/v1/callback?')) callback = request.url()
  })
  // The callback consumes the state before the code is exchanged.
  await page.route('**/auth/v1/token?grant_type=pkce', (route) => route.abort())
  await continueAs(page, 'state@example.com')
  await expect(page).toHaveURL(/\/login\?error=/)
  expect(callback).not.toBe('')
  await page.goto(callback)
  await expect(page).toHaveURL(/\/login\?error=auth_failed$/)
  await expect(refused(page, 'State has already been used')).toBeVisible()

  // Started by one user, opened by another, whose flow cookie does not match.
  const other = await (await browser.newContext({ baseURL })).newPage()
  const started = new Promise<string>((done) => {
    page.on('request', (request) => request.url().includes('/auth/v1/callback?') && done(request.url()))
  })
  await page.route('**/auth/v1/callback?*', (route) => route.abort())
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click()
  const foreign = await started
  await other.goto('/login')
  await other.getByRole('button', { name: 'Continue with GitHub' }).click()
  await expect(other.getByRole('button', { name: 'Allow', exact: true }).first()).toBeVisible()
  await other.goto(foreign)
  await expect(other).toHaveURL(/\/login\?error=/)
  await expect(refused(other)).toBeVisible()
  expect(await stored(other)).toBeNull()
  await other.goto('/auth/v1/callback?state=00000000-0000-4000-8000-000000000000&code=x')
  await expect(other).toHaveURL(/\/login\?error=auth_failed$/)
  await expect(refused(other)).toBeVisible()
  expect(await stored(other)).toBeNull()
  await other.context().close()
})

test('a state expires after five minutes at the provider', async ({ page, clock }) => {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  const allow = page.getByRole('button', { name: 'Allow', exact: true }).first()
  await expect(allow).toBeVisible()
  await clock.move('301 seconds')
  await allow.click()
  await expect(page).toHaveURL(/\/login\?error=auth_failed$/)
  await expect(refused(page, 'OAuth state has expired')).toBeVisible()
  expect(await stored(page)).toBeNull()
})

test('a code works once, and replaying it harms nobody', async ({ page, baseURL }) => {
  const redeemed = page.waitForRequest((request) => request.url().includes('grant_type=pkce'))
  await signInByScreens(page, baseURL, 'code-twice@example.com')
  const again = await present(baseURL, 'pkce', (await redeemed).postDataJSON())
  expect(again).toEqual({
    status: 404,
    body: { code: 'flow_state_not_found', message: 'invalid flow state, no valid flow state found' },
  })
  // The callback URL stays in the history: opened again, it redirects, still signed in.
  await page.goto(`/auth/callback?code=${(await redeemed).postDataJSON().auth_code}`)
  await expect(overview(page)).toBeVisible()
})

test('the callback page without a code shows an error', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/auth/callback`)
  await expect(page).toHaveURL(/\/login\?error=no_session$/)
  await page.goto(`${baseURL}/auth/callback?code=00000000-0000-4000-8000-000000000000`)
  await expect(page).toHaveURL(/\/login\?error=auth_failed$/)
})

test('two tabs that refresh at the same time stay signed in with one session', async ({ page, context, baseURL }) => {
  await signInByScreens(page, baseURL, 'tabs@example.com')
  const second = await context.newPage()
  await second.goto(`${baseURL}/dashboard`)
  await expect(overview(second)).toBeVisible()
  const before = (await stored(page))!.refresh_token
  // Hold both until both have arrived: they send the same token.
  const brought: string[] = []
  let bothAreThere = () => {}
  const both = new Promise<void>((done) => {
    bothAreThere = done
  })
  await context.route('**/auth/v1/token?grant_type=refresh_token', async (route) => {
    brought.push(route.request().postDataJSON().refresh_token)
    if (brought.length === 2) bothAreThere()
    await both
    await route.continue()
  })
  const answers = [page, second].map((tab) => tab.waitForResponse(grant('refresh_token')))
  await endsIn(page, 5)
  await Promise.all([becomesVisible(page), becomesVisible(second)])
  const given = await Promise.all(
    answers.map(async (answer) => [(await answer).status(), (await (await answer).json()).refresh_token]),
  )
  expect(brought).toEqual([before, before])
  expect(given.map(([status]) => status)).toEqual([200, 200])
  expect(given[0]![1]).toBe(given[1]![1])
  await context.unroute('**/auth/v1/token?grant_type=refresh_token')
  for (const tab of [page, second]) {
    await addClient(tab)
    expect(await tab.evaluate(async () => (await window.pageClient.refreshSession()).error)).toBeNull()
    await tab.reload()
    await expect(overview(tab)).toBeVisible()
  }
})

test('offline, the session is kept; back online, it is refreshed', async ({ page, context, baseURL }) => {
  await signInByScreens(page, baseURL, 'offline@example.com')
  const before = (await stored(page))!.refresh_token
  // Code of the page that is missing when the network goes would replace it by a notice.
  await page.waitForLoadState('networkidle')
  // In this order: a page request would refresh an expiring token while still online.
  await context.setOffline(true)
  const failed = page.waitForEvent('requestfailed', (request) => grant('refresh_token')(request))
  await endsIn(page, 5)
  await becomesVisible(page)
  await failed
  expect((await stored(page))?.refresh_token).toBe(before)
  await expect(overview(page)).toBeVisible()
  // The client retries automatically.
  const answered = page.waitForResponse(grant('refresh_token'))
  await context.setOffline(false)
  expect((await answered).status()).toBe(200)
  await expect.poll(async () => (await stored(page))?.refresh_token).not.toBe(before)
  await page.reload()
  await expect(overview(page)).toBeVisible()
})

test('after sleep the open page refreshes its session without a sign-in', async ({ page, baseURL }) => {
  await page.clock.install()
  await signInByScreens(page, baseURL, 'sleeper@example.com')
  const before = (await stored(page))!
  await endsIn(page, 600)
  await page.reload()
  await expect(overview(page)).toBeVisible()
  const answered = page.waitForResponse(grant('refresh_token'))
  await page.clock.fastForward('20:00')
  expect((await answered).status()).toBe(200)
  await expect.poll(async () => (await stored(page))?.refresh_token).not.toBe(before.refresh_token)
  expect((await stored(page))!.expires_at).toBeGreaterThan(Date.now() / 1000 + 3000)
  await page.getByRole('link', { name: 'API Keys' }).first().click()
  await expect(page.getByRole('heading', { name: 'API Keys', level: 1 })).toBeVisible()
})

test('reusing an old refresh token ends the session for both', async ({ page, baseURL, clock }) => {
  await signInByScreens(page, baseURL, 'stolen@example.com')
  const kept = (await stored(page))!.refresh_token
  await addClient(page)
  for (const _ of [1, 2])
    expect(await page.evaluate(async () => (await window.pageClient.refreshSession()).error)).toBeNull()
  const mine = (await stored(page))!.refresh_token
  // Any request from here on would refresh too early.
  await page.goto('about:blank')
  await clock.move('11 seconds')
  expect(await present(baseURL, 'refresh_token', { refresh_token: kept })).toEqual({
    status: 400,
    body: { code: 'refresh_token_already_used', message: 'Invalid Refresh Token: Already Used' },
  })
  expect((await present(baseURL, 'refresh_token', { refresh_token: mine })).status).toBe(400)
  // The next request ends the session and asks for a new sign-in.
  await page.goto('/dashboard')
  await expect(page).toHaveURL(/\/login/)
  await expect.poll(() => stored(page)).toBeNull()
})

test('sign-out of one device, of the others and of all', async ({ page, browser, baseURL }) => {
  const other = await (await browser.newContext({ baseURL })).newPage()
  const signOut = (scope: 'local' | 'others' | 'global') =>
    page.evaluate(async (scope) => (await window.pageClient.signOut({ scope })).error, scope)
  /** Both devices signed in, the client in the first. */
  const begin = async () => {
    for (const device of [page, other])
      if (!(await stored(device))) await signInByScreens(device, baseURL, 'scopes@example.com')
    await addClient(page)
  }
  const wrong = (device: Page) => device.evaluate(async () => (await window.pageClient.getUser()).error?.name)
  await page.goto('/login')
  await other.goto('/login')

  await begin()
  await addClient(other)
  expect(await signOut('others')).toBeNull()
  expect(await wrong(page)).toBeUndefined()
  expect(await wrong(other)).toBe('AuthSessionMissingError')
  await expect(other).toHaveURL(/\/login/)

  await begin()
  await addClient(other)
  expect(await signOut('local')).toBeNull()
  await expect(page).toHaveURL(/\/login/)
  expect(await stored(page)).toBeNull()
  expect(await wrong(other)).toBeUndefined()

  await begin()
  await addClient(other)
  expect(await signOut('global')).toBeNull()
  await expect(page).toHaveURL(/\/login/)
  expect(await wrong(other)).toBe('AuthSessionMissingError')
  await expect(other).toHaveURL(/\/login/)
  await other.context().close()
})
