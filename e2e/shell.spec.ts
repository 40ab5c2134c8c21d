import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { hold } from './answers.ts'
import { startProduct, test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = () => `shell-${randomUUID().slice(0, 8)}@example.com`
const banner = (page: Page) => page.getByRole('banner')

/** The profile as the provider gave it to the stored session; seen after the next load. */
const changeProfile = (page: Page, metadata: { full_name?: string | undefined; avatar_url?: string }) =>
  page.evaluate((changed) => {
    const session = JSON.parse(localStorage.getItem('supabase.auth.token')!)
    session.user.user_metadata = changed
    localStorage.setItem('supabase.auth.token', JSON.stringify(session))
  }, metadata)

async function expectNewTab(page: Page, name: string, href: string): Promise<void> {
  const link = page.getByRole('link', { name }).first()
  await expect(link).toHaveAttribute('href', href)
  await expect(link).toHaveAttribute('target', '_blank')
  await expect(link).toHaveAttribute('rel', /noopener/)
}

test('a visitor has the standard header everywhere: Documentation and Pricing in new tabs, Log In, no Dashboard', async ({
  page,
  baseURL,
}) => {
  for (const path of ['/', '/login', '/auth/login', '/docs/', '/docs/pricing', '/docs/faq', '/docs/getting-started']) {
    await page.goto(path)
    await expect(banner(page).getByRole('link', { name: 'Log In' })).toHaveAttribute('href', '/login')
    await expect(banner(page).getByRole('link', { name: 'Dashboard' })).toHaveCount(0)
    await expect(banner(page).getByText(/Welcome,/)).not.toBeVisible()
    await expectNewTab(page, 'Documentation', `${baseURL}/docs`)
    await expectNewTab(page, 'Pricing', `${baseURL}/docs/pricing`)
  }
})

test('signed in, the standard header says Welcome and Sign Out; the root and the dashboard have the account menu', async ({
  page,
  baseURL,
}) => {
  const email = address()
  await signIn(page, baseURL, email)
  for (const path of ['/docs/', '/docs/pricing', '/docs/faq', '/docs/getting-started']) {
    await page.goto(path)
    await expect(banner(page).getByText(`Welcome, ${email}`)).toBeVisible()
    await expect(banner(page).getByRole('button', { name: 'Sign Out' })).toBeVisible()
    await expect(banner(page).getByRole('link', { name: 'Dashboard' })).toHaveAttribute('href', '/dashboard')
    await expect(page.getByRole('button', { name: 'Account menu' })).toHaveCount(0)
  }
  for (const path of ['/', '/dashboard/', '/dashboard/billing/', '/dashboard/settings/']) {
    await page.goto(path)
    await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible()
    await expect(banner(page).getByText(/Welcome,/)).not.toBeVisible()
  }
  await page.goto('/docs/faq')
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL(`${baseURL}/`)
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible()
})

test('the account menu shows name and email, leads to Settings and logs out with a full load of the root', async ({
  page,
  baseURL,
}) => {
  const email = address()
  await signIn(page, baseURL, email)
  const menu = page.getByRole('menu')
  for (const [fullName, shown] of [
    [undefined, 'User'],
    ['Ada Moreau', 'Ada Moreau'],
  ] as const) {
    await changeProfile(page, { full_name: fullName })
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Account menu' }).click()
    await expect(menu.getByText(shown, { exact: true })).toBeVisible()
    await expect(menu.getByText(email, { exact: true })).toBeVisible()
  }
  await menu.getByRole('menuitem', { name: 'Settings' }).click()
  await expect(page).toHaveURL(/\/dashboard\/settings\/?$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await page.evaluate(() => Object.assign(window, { sameDocument: true }))
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(false)
  await page.goto('/dashboard/')
  await expect(page).toHaveURL(/\/login/)
})

test('/auth/logout signs out and goes to the root', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  const release = await hold(page, '**/auth/v1/logout**')
  await page.goto('/auth/logout')
  // Visible, not only for screen readers.
  await expect(page.getByText('Signing out...')).toBeInViewport()
  await expect(page.getByText('Signing out...')).toHaveCSS('position', 'static')
  await expect(page).toHaveTitle('Sign out · Finmeter')
  release()
  await expect(page).toHaveURL(`${baseURL}/`)
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('supabase.auth.token'))).toBeNull()
})

test('/ and /dashboard/ show Overview to signed-in users; the login pages redirect them to the dashboard', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address())
  for (const path of ['/', '/dashboard', '/dashboard/']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  }
  for (const path of ['/login', '/auth/login']) {
    await page.goto(path)
    await expect(page).toHaveURL(/\/dashboard\/?$/)
  }
})

test('pages under /dashboard wait for the session check and redirect visitors to /login', async ({ page }) => {
  for (const path of [
    '/dashboard/',
    '/dashboard/api-keys/',
    '/dashboard/api-keys/new',
    '/dashboard/billing/',
    '/dashboard/billing/invoices',
    '/dashboard/playground/',
    '/dashboard/settings/',
    '/dashboard/settings/team',
  ]) {
    await page.goto(path)
    await expect(page).toHaveURL(/\/login/)
    await expect(page.getByRole('heading', { level: 1, name: 'Welcome' })).toBeVisible()
  }
})

test('a spinner shows during the session check, below the page heading', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  // An expired token must be refreshed first; the response is held.
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('supabase.auth.token')!) as { expires_at: number }
    session.expires_at = 1
    localStorage.setItem('supabase.auth.token', JSON.stringify(session))
  })
  const release = await hold(page, '**/auth/v1/token?grant_type=refresh_token')
  await page.goto('/dashboard/settings/team')
  await expect(page.getByRole('status').filter({ hasText: 'Checking your session...' })).toBeVisible()
  const heading = page.getByRole('heading', { level: 1, name: 'Team Management' })
  await expect(heading).toBeVisible()
  const place = await heading.boundingBox()
  release()
  await expect(page.getByRole('button', { name: 'Invite' })).toBeVisible()
  expect(await heading.boundingBox()).toEqual(place)
})

test('a dashboard page’s frame and heading are in its HTML', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL })
  const page = await context.newPage()
  for (const [path, title] of [
    ['/dashboard', 'Overview'],
    ['/dashboard/api-keys', 'API Keys'],
    ['/dashboard/api-keys/new', 'Create API Key'],
    ['/dashboard/api-keys/00000000-0000-4000-8000-000000000000', 'API Key'],
    ['/dashboard/billing', 'Billing'],
    ['/dashboard/billing/invoices', 'Invoice History'],
    ['/dashboard/playground', 'MCP Playground'],
    ['/dashboard/settings', 'Settings'],
    ['/dashboard/settings/audit-log', 'Audit log'],
    ['/dashboard/settings/team', 'Team Management'],
    ['/dashboard/spreadsheets', 'Spreadsheets'],
  ] as const) {
    await page.goto(path)
    await expect(page).toHaveTitle(`${title} · Finmeter`)
    // Shown once a session is known; a visitor, as here, sees the session check alone.
    const hidden = { includeHidden: true }
    await expect(page.getByRole('heading', { level: 1, name: title, exact: true, ...hidden })).toBeAttached()
    await expect(page.getByRole('navigation', { name: 'Dashboard', ...hidden }).last()).toBeAttached()
    await expect(page.getByRole('navigation', { name: 'Dashboard' })).toHaveCount(0)
  }
  await context.close()
})

test('the sidebar is 72 units wide, shows Personal, avatar and email, marks the current page and has external links', async ({
  page,
  baseURL,
}) => {
  const email = address()
  await signIn(page, baseURL, email, '/dashboard/api-keys/')
  const sidebar = page.getByRole('complementary').filter({ has: page.getByRole('navigation', { name: 'Dashboard' }) })
  expect((await sidebar.boundingBox())?.width).toBe(72 * 4)
  await expect(sidebar.getByText('Personal', { exact: true }).first()).toBeVisible()
  await expect(sidebar.getByText(email).first()).toBeVisible()
  const pages = sidebar.getByRole('navigation', { name: 'Dashboard' })
  await expect(pages.locator('[aria-current=page]')).toHaveText('API Keys')
  await pages.getByRole('link', { name: 'Billing' }).click()
  await expect(pages.locator('[aria-current=page]')).toHaveText('Billing')
  for (const [name, href] of [
    ['Documentation', `${baseURL}/docs`],
    ['MCP Tools', `${baseURL}/docs/reference`],
  ] as const) {
    const link = sidebar.getByRole('link', { name })
    await expect(link).toHaveAttribute('href', href)
    await expect(link).toHaveAttribute('target', '_blank')
    await link.hover()
    await expect(page.getByRole('tooltip', { name: `Open ${name}` })).toBeVisible()
    await page.mouse.move(700, 500)
  }
})

test('the avatar is the picture of the profile, else a letter', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await page.route('https://avatars.githubusercontent.com/u/1', (route) =>
    route.fulfill({ body: Buffer.from(pixel, 'base64'), contentType: 'image/png' }),
  )
  await page.route('https://avatars.githubusercontent.com/u/2', (route) => route.abort())
  const sidebar = page.getByRole('complementary').filter({ has: page.getByRole('navigation', { name: 'Dashboard' }) })
  const places = [sidebar, page.getByRole('button', { name: 'Account menu' })]
  await changeProfile(page, { avatar_url: 'https://avatars.githubusercontent.com/u/1' })
  await page.goto('/dashboard')
  for (const place of places) {
    await expect(place.locator('img')).toHaveAttribute('src', 'https://avatars.githubusercontent.com/u/1')
    await expect(place.locator('img')).toHaveJSProperty('naturalWidth', 1)
    await expect(place.getByText('S', { exact: true })).toHaveCount(0)
  }
  for (const metadata of [{ avatar_url: 'https://avatars.githubusercontent.com/u/2' }, {}]) {
    await changeProfile(page, metadata)
    await page.goto('/dashboard')
    for (const place of places) {
      await expect(place.getByText('S', { exact: true })).toBeVisible()
      await expect(place.locator('img')).toHaveCount(0)
    }
  }
})

test('on small screens the drawer opens by the menu button, locks scrolling, and closes on route change and backdrop', async ({
  page,
  baseURL,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await signIn(page, baseURL, address())
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await expect(drawer).toBeHidden()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(drawer).toBeVisible()
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe('hidden')
  await drawer.getByRole('link', { name: 'API Keys' }).click()
  await expect(page).toHaveURL(/\/dashboard\/api-keys/)
  await expect(drawer).toBeHidden()
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).not.toBe('hidden')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(drawer).toBeVisible()
  await page.mouse.click(320, 600)
  await expect(drawer).toBeHidden()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeFocused()
})

test('the footer of every page: description, Product, Legal, an email link, the year', async ({ page, baseURL }) => {
  const check = async (path: string) => {
    await page.goto(path)
    const footer = page.getByRole('contentinfo')
    await expect(footer).toContainText('Secure API key management with usage tracking and billing integration.')
    for (const [name, href] of [
      ['Documentation', '/docs'],
      ['Pricing', '/docs/pricing'],
      ['FAQ', '/docs/faq'],
      ['Privacy Policy', '/legal/privacy'],
      ['Terms of Service', '/legal/terms'],
    ] as const)
      await expect(footer.getByRole('link', { name, exact: true })).toHaveAttribute('href', href)
    const mail = footer.getByRole('link', { name: 'Contact Us' })
    await expect(mail).toHaveAttribute('href', /^mailto:.+@.+/)
    await expect(mail).toHaveAttribute('target', '_blank')
    await expect(footer).toContainText(String(new Date().getFullYear()))
    const source = footer.getByRole('link', { name: 'GitHub' })
    await expect(source).toHaveAttribute('href', 'https://github.com/finmeter/finmeter')
    await expect(source).toHaveAttribute('target', '_blank')
    await expect(source).toHaveAttribute('rel', 'noopener noreferrer')
    await expect(footer.getByTitle(/^Open /)).toHaveCount(0)
    for (const name of ['Discord', 'Telegram', 'Reddit'])
      await expect(footer.getByRole('link', { name })).toHaveCount(0)
  }
  for (const path of ['/', '/docs/', '/docs/getting-started']) await check(path)
  await signIn(page, baseURL, address())
  await check('/dashboard/')
})

test.describe('with settings of an operator', () => {
  let own: Awaited<ReturnType<typeof startProduct>>
  let url: string
  test.beforeAll(async () => {
    own = await startProduct({
      SOCIAL_GITHUB: 'https://github.com/acme/finmeter',
      SALES_URL: 'https://chat.example.com/sales',
    })
    url = own.url
  })
  test.afterAll(() => own?.stop())

  test('a social link appears when its setting names an address, in application and documentation', async ({
    browser,
  }) => {
    const page = await browser.newPage()
    for (const path of ['/', '/docs/getting-started']) {
      await page.goto(url + path)
      const link = page.getByRole('contentinfo').getByRole('link', { name: 'GitHub' })
      await expect(link).toHaveAttribute('href', 'https://github.com/acme/finmeter')
      await expect(link).toHaveAttribute('target', '_blank')
      await expect(link).toHaveAttribute('title', 'Open GitHub')
      for (const name of ['Discord', 'Telegram', 'Reddit'])
        await expect(page.getByRole('contentinfo').getByRole('link', { name })).toHaveCount(0)
    }
    await page.close()
  })

  test('Contact Sales opens the address of SALES_URL in a new tab, on Billing and on pricing', async ({
    browser,
    page,
    baseURL,
  }) => {
    const expectSales = async (on: Page, place: string, href: string) => {
      await on.goto(place)
      const link = on.getByRole('main').getByRole('link', { name: /^Contact Sales/ })
      await expect(link).toHaveAttribute('href', href)
      await expect(link).toHaveAttribute('target', '_blank')
      await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
    }
    await expectSales(page, '/docs/pricing', 'mailto:support@example.com')
    await signIn(page, baseURL, address())
    await expectSales(page, '/dashboard/billing', 'mailto:support@example.com')
    const other = await browser.newPage()
    await expectSales(other, `${url}/docs/pricing`, 'https://chat.example.com/sales')
    await signIn(other, url, address())
    await expectSales(other, `${url}/dashboard/billing`, 'https://chat.example.com/sales')
    await other.close()
  })
})

test('every page of the route table answers in both slash forms; unknown API paths answer JSON', async ({
  request,
  baseURL,
}) => {
  for (const path of [
    '/login',
    '/auth/login',
    '/auth/callback',
    '/auth/logout',
    '/dashboard',
    '/dashboard/api-keys',
    '/dashboard/api-keys/new',
    '/dashboard/billing',
    '/dashboard/billing/invoices',
    '/dashboard/playground',
    '/dashboard/settings',
    '/dashboard/settings/security',
    '/dashboard/settings/team',
    '/dashboard/spreadsheets',
    '/docs',
    '/docs/pricing',
    '/docs/faq',
    '/docs/getting-started',
    '/sell',
    '/demo',
  ])
    for (const form of [path, `${path}/`]) {
      const response = await request.get(baseURL + form)
      expect([form, response.status(), response.headers()['content-type']]).toEqual([
        form,
        200,
        expect.stringContaining('text/html'),
      ])
    }
  for (const path of [
    '/api/nothing',
    '/v1/nothing',
    '/auth/v1/nothing',
    '/rest/v1/x',
    '/storage/v1/x',
    '/functions/v1/x',
    '/realtime/v1/x',
  ]) {
    const response = await request.get(baseURL + path)
    expect([path, response.status(), response.headers()['content-type']]).toEqual([
      path,
      404,
      expect.stringContaining('json'),
    ])
  }
})
