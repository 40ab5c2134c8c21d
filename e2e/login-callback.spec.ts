import { expect } from '@playwright/test'
import { test } from './fixtures.ts'

test('the login card: title, sentence, both providers, terms', async ({ page }) => {
  for (const path of ['/login', '/auth/login']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: 'Welcome' })).toBeVisible()
    await expect(page.getByText('Sign in to your account to continue')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Continue with Google' })).toBeEnabled()
    await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeEnabled()
    const main = page.getByRole('main')
    await expect(main).toContainText('agree to the Terms of Service and the Privacy Policy')
  }
})

for (const [code, text] of [
  ['auth_failed', 'Sign-in was not accepted. Please try again.'],
  ['no_session', 'Sign-in ended without a session. Please try again.'],
  ['callback_failed', 'Something went wrong while completing sign-in. Please try again.'],
] as const)
  test(`the login page explains ?error=${code}`, async ({ page }) => {
    await page.goto(`/login?error=${code}`)
    await expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible()
  })

for (const provider of ['Google', 'GitHub'])
  test(`a sign-in with ${provider} that cannot start says so`, async ({ page }) => {
    await page.goto('/login')
    // The client cannot create its PKCE challenge: the only step that fails before the redirect.
    await page.evaluate(() => {
      crypto.subtle.digest = () => Promise.reject(new Error(''))
    })
    await page.getByRole('button', { name: `Continue with ${provider}` }).click()
    await expect(page.getByRole('alert').filter({ hasText: `Failed to sign in with ${provider}` })).toBeVisible()
  })

test('the callback shows its two texts in order, reports to the server, and goes to the dashboard', async ({
  page,
}) => {
  const { promise: tokenHeld, resolve: releaseToken } = Promise.withResolvers<void>()
  const { promise: callbackHeld, resolve: releaseCallback } = Promise.withResolvers<void>()
  await page.route('**/auth/v1/token?grant_type=pkce', async (route) => {
    await tokenHeld
    await route.continue()
  })
  const posted: unknown[] = []
  await page.route('**/api/auth/callback', async (route) => {
    posted.push(route.request().postDataJSON())
    await callbackHeld
    await route.fulfill({ status: 500, json: { success: false, error: 'later', code: 'internal_error' } })
  })
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click()
  await expect(page.getByRole('status').filter({ hasText: 'Completing sign in...' })).toBeVisible()
  releaseToken()
  await expect(page.getByRole('status').filter({ hasText: 'Setting up your account...' })).toBeVisible()
  releaseCallback()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  expect(posted).toEqual([
    {
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      user: expect.objectContaining({ id: expect.any(String) }),
    },
  ])
  expect(logged).toContain('Server auth callback failed: 500')
})

test('the callback runs once, however often its page is mounted', async ({ page }) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const asked: string[] = []
  await page.route('**/auth/v1/token?grant_type=pkce', async (route) => {
    asked.push('exchange')
    await held
    await route.continue()
  })
  page.on('request', (request) => {
    if (request.url().endsWith('/api/auth/callback')) asked.push('report')
  })
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click()
  const progress = page.getByRole('status').filter({ hasText: 'Completing sign in...' })
  await expect(progress).toBeVisible()
  await expect.poll(() => asked).toEqual(['exchange'])
  // Within the same document, away from the page and back.
  await page.evaluate(() => history.pushState(null, '', '/docs/faq'))
  await expect(page.getByPlaceholder('Search FAQs...')).toBeVisible()
  await page.goBack()
  await expect(progress).toBeVisible()
  release()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  expect(asked).toEqual(['exchange', 'report'])
})

test('a callback without a session, with a refusal, or with another browser’s code returns with the reason', async ({
  page,
}) => {
  await page.goto('/auth/callback')
  await expect(page).toHaveURL(/\/login\?error=no_session$/)
  await page.goto('/auth/callback?error=access_denied&error_description=denied')
  await expect(page).toHaveURL(/\/login\?error=auth_failed$/)
  await page.goto('/auth/callback?code=0123456789')
  await expect(page).toHaveURL(/\/login\?error=auth_failed$/)
  await expect(page.getByRole('alert').filter({ hasText: 'Sign-in was not accepted.' })).toBeVisible()
})

test('a callback that fails for any other reason returns with callback_failed', async ({ page }) => {
  await page.route('**/assets/auth-client*.js', (route) => route.abort())
  await page.goto('/auth/callback?code=0123456789')
  await expect(page).toHaveURL(/\/login\?error=callback_failed$/)
  await expect(
    page.getByRole('alert').filter({ hasText: 'Something went wrong while completing sign-in.' }),
  ).toBeVisible()
})
