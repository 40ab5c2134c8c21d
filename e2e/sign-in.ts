import { expect, type Page } from '@playwright/test'
import { AuthClient } from '@supabase/auth-js'

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

/** Signs in through the screens and the sandbox without its page, as this address, and waits for Overview. */
export async function signInByScreens(page: Page, baseURL: string, email: string): Promise<void> {
  await page.goto(`${baseURL}/login`)
  await continueAs(page, email)
  await overview(page)
}

/**
 * Stores a session of this address in the browser, as signing in does, and opens the page of this path. Of Overview it waits for
 * the heading. Its requests are not the page's.
 */
export async function signIn(page: Page, baseURL: string, email: string, path = '/dashboard'): Promise<void> {
  await open(page, baseURL, path, await sessionOf(baseURL, email))
}

/** The same, for someone who has redeemed the free plan: 1,000 credits and the key Default. */
export async function signInWithPlan(page: Page, baseURL: string, email: string, path = '/dashboard'): Promise<void> {
  const session = await sessionOf(baseURL, email)
  const { access_token } = JSON.parse(session) as { access_token: string }
  const redeemed = await fetch(`${baseURL}/api/billing/subscribe-free-plan`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}` },
  })
  if (!redeemed.ok) throw new Error(`redeeming for ${email} ended with ${redeemed.status}: ${await redeemed.text()}`)
  await open(page, baseURL, path, session)
}

async function open(page: Page, baseURL: string, path: string, session: string): Promise<void> {
  await page.goto(`${baseURL}/robots.txt`)
  await page.evaluate((stored) => localStorage.setItem('supabase.auth.token', stored), session)
  await page.goto(baseURL + path)
  if (path === '/dashboard') await overview(page)
}

async function overview(page: Page): Promise<void> {
  // The first sign-in creates the workspace: the longest wait on a busy machine.
  await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
}

/** What the auth client stores after signing in with GitHub. */
async function sessionOf(baseURL: string, email: string): Promise<string> {
  const items = new Map<string, string>()
  const client = new AuthClient({
    url: `${baseURL}/auth/v1`,
    storageKey: 'supabase.auth.token',
    flowType: 'pkce',
    autoRefreshToken: false,
    detectSessionInUrl: false,
    storage: {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
    },
  })
  const redirectTo = `${baseURL}/auth/callback`
  const { data } = await client.signInWithOAuth({
    provider: 'github',
    options: { redirectTo, skipBrowserRedirect: true, queryParams: { login_hint: email, prompt: 'none' } },
  })
  let at = data.url ?? ''
  while (!at.startsWith(redirectTo)) {
    const { status, headers } = await fetch(at, { redirect: 'manual' })
    const next = headers.get('location')
    if (!next) throw new Error(`signing in ${email} ended at ${at} with status ${status}`)
    at = new URL(next, at).toString()
  }
  const { error } = await client.exchangeCodeForSession(new URL(at).searchParams.get('code') ?? '')
  if (error) throw error
  return items.get('supabase.auth.token') ?? ''
}
