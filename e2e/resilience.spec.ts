import { randomUUID } from 'node:crypto'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { hold } from './answers.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { continueAs, signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`
const storageKey = 'supabase.auth.token'

/**
 * Expires the session, with a refresh token the server does not know, and presses the button of this selector before the
 * auth client, which looks at the session from time to time, can have seen it.
 */
const breakSession = (page: Page, button?: string) =>
  page.evaluate(
    ([key, button]) => {
      const session = JSON.parse(localStorage.getItem(key!)!)
      localStorage.setItem(key!, JSON.stringify({ ...session, expires_at: 1, expires_in: 0, refresh_token: 'gone' }))
      if (button) document.querySelector<HTMLElement>(button)!.click()
    },
    [storageKey, button],
  )

async function redeem(page: Page) {
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
}

/** Signs in again in a new tab, from the dialog over the page, which closes. */
async function logInAgain(page: Page, email: string): Promise<void> {
  const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
  await expect(dialog).toBeVisible()
  const [other] = await Promise.all([
    page.context().waitForEvent('page'),
    dialog.getByRole('link', { name: 'Sign in again' }).click(),
  ])
  await continueAs(other, email)
  await expect(other.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await expect(dialog).toHaveCount(0)
}

test('command palette: by keyboard to a page, an action and a key', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('palette'))
  await redeem(page)
  await page.keyboard.press('Control+k')
  const input = page.getByRole('combobox', { name: 'Commands' })
  await expect(input).toBeFocused()
  await input.fill('audit')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Audit log', level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('theme dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.getByRole('button', { name: /^Go to\.\.\./ }).click()
  await page.keyboard.press('ArrowDown')
  const selected = page.getByRole('dialog', { name: 'Commands' }).getByRole('option', { selected: true })
  await expect(selected).toHaveText('API Keys')
  await page.keyboard.press('End')
  await expect(selected).toHaveText('Default')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Default', level: 1, exact: true })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('zzzqqq')
  await expect(page.getByText('Nothing found', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Commands' })).toHaveCount(0)
})

test('a session that ends in the middle of a form loses no input', async ({ page, baseURL }) => {
  const email = address('expired')
  await signIn(page, baseURL, email, '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Typed with care')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/keys')) sent += 1
  })
  await breakSession(page, 'main button[type=submit]')
  await logInAgain(page, email)
  await expect(page.getByLabel('Key Name')).toHaveValue('Typed with care')
  await expect(page.getByText('User is not authenticated. Please log in.', { exact: true })).toBeVisible()
  expect(sent).toBe(0)
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByRole('link', { name: 'Typed with care' })).toBeVisible()
})

test('in the playground, too, input survives a new sign-in', async ({ page, baseURL }) => {
  const email = address('typed')
  await signIn(page, baseURL, email, '/dashboard/playground')
  const message = page.getByRole('textbox', { name: 'Message' })
  await expect(message).toBeEnabled()
  await message.fill('A long question')
  await breakSession(page)
  // The tab checks its session when it becomes visible.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await logInAgain(page, email)
  await expect(message).toHaveValue('A long question')
})

test('a session that ends without unsaved input leads to the login page', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('ended'))
  await breakSession(page)
  await page.goto('/dashboard/settings')
  await expect(page.getByText('Sign in to your account to continue', { exact: true })).toBeVisible()
})

test('two tabs: sign-out in one ends the other, even with unsaved input', async ({ page, context, baseURL }) => {
  await signIn(page, baseURL, address('tabs'))
  const other = await context.newPage()
  await other.goto(`${baseURL}/dashboard/api-keys/new`)
  await other.getByLabel('Key Name').fill('Half a name')
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page.getByRole('button', { name: 'Continue with GitHub' }).first()).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  await expect(other.getByText('Sign in to your account to continue', { exact: true })).toBeVisible()
  await other.goBack().catch(() => {})
  await expect(other.getByText('Half a name')).toHaveCount(0)
})

test('storage blocked: pages are shown, and signing in says what it needs', async ({ browser, baseURL }) => {
  const context: BrowserContext = await browser.newContext({ baseURL })
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      })
  })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'This browser blocks storage for this site' })).toBeVisible()
  await page.goto('/dashboard')
  await expect(page.getByText('Sign in to your account to continue', { exact: true })).toBeVisible()
  expect(errors).toEqual([])
  await context.close()
})

test('a 200-character name, right-to-left text and markup stay text, and no page grows wider than the screen', async ({
  page,
  baseURL,
}) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await signIn(page, baseURL, address('names'))
  await redeem(page)
  const names = ['W'.repeat(200), 'مفتاح الاختبار الخلفي‮', '<b onclick=alert(1)>bold</b>']
  for (const name of names) {
    await page.goto('/dashboard/api-keys/new')
    await page.getByLabel('Key Name').fill(name)
    await page.getByRole('button', { name: 'Create API Key' }).click()
    await expect(page.getByRole('link', { name, exact: true })).toBeVisible()
  }
  await expect(page.locator('b')).toHaveCount(0)
  await page.getByRole('link', { name: names[0]!, exact: true }).click()
  await expect(page.getByRole('heading', { name: names[0]!, level: 1, exact: true })).toBeVisible()
  for (const path of ['', '/dashboard/api-keys', '/dashboard', '/dashboard/settings/audit-log']) {
    if (path) await page.goto(path)
    await settled(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360)
  }
})

test('requests that failed offline are retried when the connection is back', async ({ page, context, baseURL }) => {
  await signIn(page, baseURL, address('offline'))
  await page.route('**/billing/invoices', (route) =>
    route.request().resourceType() === 'document' ? route.continue() : route.abort(),
  )
  await page.goto('/dashboard/billing/invoices')
  await expect(page.getByText('Failed to load invoices', { exact: true })).toBeVisible()
  await expect(page.getByText('The server cannot be reached. Check your connection and try again.')).toBeVisible()
  await page.unroute('**/billing/invoices')
  await context.setOffline(true)
  await context.setOffline(false)
  await expect(
    page.getByText('No invoices found. Invoices will appear here after your first payment.', { exact: true }),
  ).toBeVisible()
})

test('a page whose code cannot be fetched offline says so, and loads once online', async ({
  page,
  context,
  baseURL,
}) => {
  await signIn(page, baseURL, address('offline'))
  await settled(page)
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await expect(page.getByText('This page could not be shown', { exact: true })).toBeVisible()
  await expect(
    page.getByText('The server cannot be reached. Check your connection and try again.', { exact: true }),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('This page could not be shown', { exact: true })).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('heading', { name: 'Team Management', level: 1 })).toBeVisible()
})

test('201 characters are refused with a message, and stay in the field', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('long'), '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('x'.repeat(201))
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByText('Must be at most 200 characters.', { exact: true })).toBeVisible()
  await expect(page.getByLabel('Key Name')).toHaveValue('x'.repeat(201))
})

test('a user without picture, name and email address', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('bare'))
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key)!)
    session.user = { ...session.user, email: '', user_metadata: {} }
    localStorage.setItem(key, JSON.stringify(session))
  }, storageKey)
  await page.goto('/dashboard')
  const sidebar = page.getByRole('complementary')
  await expect(sidebar.getByText('U', { exact: true })).toBeAttached()
  await expect(sidebar.getByText('No email address', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Account menu' }).click()
  await expect(page.getByRole('menu').getByText('User', { exact: true })).toBeVisible()
})

test('a 200-character name and a right-to-left name fit on a phone', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await signIn(page, baseURL, address('person'))
  for (const [name, email] of [
    ['W'.repeat(200), `${'w'.repeat(60)}@${'example.'.repeat(20)}com`],
    ['ليلى عبد الرحمن الخوارزمي', 'layla@example.com'],
  ] as const) {
    await page.evaluate(
      ([key, full_name, email]) => {
        const session = JSON.parse(localStorage.getItem(key!)!)
        session.user = { ...session.user, email, user_metadata: { full_name } }
        localStorage.setItem(key!, JSON.stringify(session))
      },
      [storageKey, name, email],
    )
    for (const path of ['/docs/faq', '/docs/getting-started', '/dashboard']) {
      await page.goto(path)
      await settled(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360)
    }
    await page.getByRole('button', { name: 'Account menu' }).click()
    const menu = page.getByRole('menu')
    await expect(menu.getByText(name, { exact: true })).toBeVisible()
    const box = await menu.boundingBox()
    expect((box?.x ?? -1) >= 0 && box!.x + box!.width <= 360).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await expect(page.getByRole('dialog', { name: 'Menu' }).getByText(email, { exact: true })).toBeVisible()
    await page.keyboard.press('Escape')
  }
})

test('a picture that does not load is replaced by the first letter', async ({ page, baseURL }) => {
  const email = address('picture')
  await signIn(page, baseURL, email)
  await page.route('**/broken-avatar.png', (route) => route.abort())
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key)!)
    session.user.user_metadata = { avatar_url: `${location.origin}/broken-avatar.png` }
    localStorage.setItem(key, JSON.stringify(session))
  }, storageKey)
  await page.goto('/dashboard')
  await expect(page.getByRole('complementary').getByText('P', { exact: true })).toBeAttached()
})

test('pictures come from Google and GitHub only: one elsewhere is never requested, and the letter is shown', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address('picture'))
  const asked: string[] = []
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  await page.route(/thief\.example|avatars\.githubusercontent\.com/, (route) => {
    asked.push(`${new URL(route.request().url()).hostname} ${route.request().headers().referer}`)
    return route.fulfill({ body: png, contentType: 'image/png' })
  })
  const show = async (url: string) => {
    await page.evaluate(
      ([key, avatar_url]) => {
        const session = JSON.parse(localStorage.getItem(key!)!)
        session.user.user_metadata = { avatar_url }
        localStorage.setItem(key!, JSON.stringify(session))
      },
      [storageKey, url],
    )
    await page.goto('/dashboard')
  }
  const sidebar = page.getByRole('complementary')
  await show('https://thief.example/pixel.png')
  await expect(sidebar.getByText('P', { exact: true })).toBeAttached()
  await show('https://avatars.githubusercontent.com/u/1')
  await expect.poll(() => asked).toEqual(['avatars.githubusercontent.com undefined'])
  await expect(sidebar.getByText('P', { exact: true })).toHaveCount(0)
})

test('a failing API: GET is sent three times, POST once, and nothing without a session', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('failing'))
  const asked = { get: 0, post: 0 }
  const failure = { status: 503, json: { success: false, error: 'Try again shortly.', code: 'metering_unavailable' } }
  await page.route('**/api/keys', (route) => {
    asked[route.request().method() === 'GET' ? 'get' : 'post'] += 1
    return route.fulfill(failure)
  })
  await page.goto('/dashboard/api-keys')
  await expect(page.getByText('Failed to load API keys. Please try again.', { exact: true })).toBeVisible()
  expect(asked.get).toBe(3)
  await page.goto('/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Once')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByText('Try again shortly.', { exact: true })).toBeVisible()
  expect(asked.post).toBe(1)
  await expect(page.getByLabel('Key Name')).toHaveValue('Once')
})

test('a slow API shows the loading text, then the page', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('slow'))
  const release = await hold(page, '**/api/keys')
  await page.goto('/dashboard/api-keys')
  await expect(page.getByRole('status').filter({ hasText: 'Loading API keys...' }).first()).toBeAttached()
  release()
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()
})

test('offline: says so, keeps the input, and continues when the network is back', async ({
  page,
  context,
  baseURL,
}) => {
  await signIn(page, baseURL, address('offline'), '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Written on a train')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByText('The server cannot be reached. Check your connection and try again.')).toBeVisible()
  await expect(page.getByLabel('Key Name')).toHaveValue('Written on a train')
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByRole('link', { name: 'Written on a train' })).toBeVisible()
})

test('keyboard only: skip link, drawer with locked scrolling, focus returned', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await signIn(page, baseURL, address('keyboard'))
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#content$/)
  await page.getByRole('button', { name: 'Open menu' }).focus()
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await expect(drawer).toBeVisible()
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe('hidden')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeFocused()
  await page.keyboard.press('Enter')
  await drawer.getByRole('link', { name: 'Settings' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
  await expect(drawer).toBeHidden()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.mouse.click(340, 400)
  await expect(drawer).toBeHidden()
})
