import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import { hold } from './answers.ts'
import { test } from './fixtures.ts'
import { takenOver } from './settled.ts'
import { signIn } from './sign-in.ts'

const pages = [
  ['/', 'Sell your API per call. Charged before the response leaves.', 'Sell your API per call · Finmeter'],
  ['/demo', 'Financial data, metered per call.', 'Financial data over REST and MCP · Finmeter'],
  ['/login', 'Welcome', 'Sign in · Finmeter'],
  ['/docs/pricing', 'Pricing', 'Pricing · Finmeter'],
  ['/docs/faq', 'Frequently Asked Questions', 'Frequently Asked Questions · Finmeter'],
  ['/docs/getting-started', 'Quick start', 'Quick start · Finmeter'],
  ['/sell', 'Sell your API per call. Charged before the response leaves.', 'Sell your API per call · Finmeter'],
  ['/legal/privacy', 'Privacy Policy', 'Privacy Policy · Finmeter'],
  ['/legal/terms', 'Terms of Service', 'Terms of Service · Finmeter'],
] as const

/** All browser console errors and warnings of a page. */
function complaints(page: Page): string[] {
  const found: string[] = []
  page.on('console', (message) => message.type() === 'error' && found.push(message.text()))
  page.on('pageerror', (error) => found.push(error.message))
  return found
}

/** Until the page's thread has nothing to do: React has drawn, and said what it did not like. */
const idle = (page: Page) => page.evaluate(() => new Promise((done) => requestIdleCallback(done)))

test('every public page is complete without a script', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL })
  const page = await context.newPage()
  const descriptions = new Set<string | null>()
  for (const [path, heading, title] of pages) {
    const response = await page.goto(path)
    expect(response?.status()).toBe(200)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expect(page).toHaveTitle(title)
    await expect(page.locator('meta[name=description]')).toHaveAttribute('content', /.{40}/)
    await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', baseURL + path)
    await expect(page.locator('meta[property="og:title"]')).toHaveAttribute('content', title.replace(' · Finmeter', ''))
    await expect(page.locator('meta[property="og:image"]')).toHaveAttribute('content', `${baseURL}/preview.png`)
    await expect(page.locator('meta[property="og:url"]')).toHaveAttribute('content', baseURL + path)
    const description = await page.locator('meta[name=description]').getAttribute('content')
    await expect(page.locator('meta[property="og:description"]')).toHaveAttribute('content', description!)
    descriptions.add(description)
    // The documentation is readable without one. getByText does not see noscript content.
    const notice = page.locator('noscript > p')
    if (path !== '/docs/getting-started') {
      await expect(notice).toBeInViewport()
      await expect(notice).toContainText('JavaScript is off. Signing in, searching and the dashboard need it')
    }
    await expect(page.getByRole('contentinfo')).toContainText(String(new Date().getFullYear()))
  }
  expect(descriptions.size).toBe(pages.length)
  await page.goto('/docs/pricing')
  await expect(
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Pro', exact: true }) }),
  ).toContainText('$19')
  await context.close()
})

test('the script hydrates the server’s HTML: nothing is rerendered, nothing warns', async ({ page, baseURL }) => {
  const found = complaints(page)
  // Marks the heading as soon as it is parsed; a rerendered page would have a new one.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const heading = document.querySelector<HTMLElement>('h1')
      if (!heading) return
      heading.dataset.drawn = 'by server'
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })
  })
  for (const [path] of pages) {
    await page.goto(baseURL + path)
    await takenOver(page)
    await idle(page)
    await expect(page.locator('h1')).toHaveAttribute('data-drawn', 'by server')
  }
  expect(found).toEqual([])
})

test('a missing page hydrates too, without a warning', async ({ page, baseURL }) => {
  const found = complaints(page)
  for (const path of ['/nowhere', '/legal/imprint']) {
    await page.goto(baseURL + path)
    await takenOver(page)
    await idle(page)
    await expect(page.getByRole('heading', { name: 'Page not found', level: 1 })).toBeVisible()
  }
  // The browser logs each 404 response.
  expect(found.filter((text) => !/status of 404/.test(text))).toEqual([])
})

test('a page can be painted as soon as its HTML arrives: its styles are inline, and its font is preloaded', async ({
  page,
  baseURL,
}) => {
  await page.route('**/assets/*.{css,js}', () => undefined)
  for (const path of ['/', '/docs/pricing', '/docs/getting-started']) {
    await page.goto(baseURL + path, { waitUntil: 'commit' })
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toBeVisible()
    // As in the style sheet, not a browser default.
    await expect(heading).toHaveCSS('font-weight', '560')
    await expect(page.locator('link[rel=preload][as=font]')).toHaveAttribute('href', /geist-latin-wght/)
  }
})

test('both slash forms answer; an unknown address is a page with status 404', async ({ page, baseURL, request }) => {
  for (const [path] of pages.slice(1)) expect((await request.get(`${baseURL}${path}/`)).status()).toBe(200)
  for (const path of ['/nowhere', '/docs/nowhere', '/legal/imprint', '/dashboard/nowhere']) {
    const response = await page.goto(baseURL + path)
    expect([path, response?.status()]).toEqual([path, 404])
  }
  await page.goto(`${baseURL}/docs/nowhere`)
  await expect(page.getByRole('heading', { name: 'Page not found', level: 1 })).toBeVisible()
  const main = page.getByRole('main')
  await expect(main.getByRole('link', { name: 'Documentation' })).toHaveAttribute('href', '/docs')
  // For visitors the dashboard would only redirect to sign-in.
  const suggested = ['Documentation/docs', 'Pricing/docs/pricing', 'FAQ/docs/faq']
  await expect(main.getByRole('link')).toHaveText([...suggested, 'Home'])
  await signIn(page, baseURL, 'lost@example.com', '/docs/nowhere')
  await expect(main.getByRole('link')).toHaveText([...suggested, 'Home', 'Dashboard'])
})

test('an unknown address has a search, and three pages that are named like it', async ({ page, baseURL }) => {
  const suggestions = page.getByRole('list', { name: 'Perhaps you are looking for' }).getByRole('link')
  for (const [path, first] of [
    ['/docs/pricng', 'Pricing/docs/pricing'],
    ['/docs/authentification', 'Authentication/docs/authentication'],
    ['/reference/get-bar', 'Price history/docs/reference/get_bars'],
  ] as const) {
    await page.goto(baseURL + path)
    await expect(suggestions.first()).toHaveText(first)
    await expect(suggestions).toHaveCount(3)
  }
  await suggestions.first().click()
  await expect(page).toHaveURL(`${baseURL}/docs/reference/get_bars`)

  await page.route('**/docs/search.json', (route) => route.abort())
  await page.goto(`${baseURL}/docs/pricng`)
  await takenOver(page)
  await expect(suggestions).toHaveText(['Documentation/docs', 'Pricing/docs/pricing', 'FAQ/docs/faq'])
  await page.unroute('**/docs/search.json')

  await page.reload()
  await takenOver(page)
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('receipt')
  await expect(page.getByRole('option').first()).toBeVisible()
})

test('in the dashboard an unknown address suggests its screens', async ({ page, baseURL }) => {
  await signIn(page, baseURL, 'mistyped@example.com', '/dashboard/api-key')
  const suggestions = page.getByRole('list', { name: 'Perhaps you are looking for' }).getByRole('link')
  await expect(suggestions.first()).toHaveText('API Keys/dashboard/api-keys/')
})

test('assets are immutable, pages are revalidated, all are compressed, and inline scripts need a hash', async ({
  baseURL,
}) => {
  const reply = await fetch(`${baseURL}/docs/pricing`, { headers: { 'accept-encoding': 'br' } })
  expect(reply.headers.get('content-encoding')).toBe('br')
  expect(reply.headers.get('cache-control')).toBe('no-cache')
  const html = await reply.text()
  const policy = reply.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(/script-src ([^;]*)/.exec(policy)?.[1]).not.toContain('unsafe')
  const again = await fetch(`${baseURL}/docs/pricing`, {
    headers: { 'if-none-match': reply.headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
  const script = /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1]
  for (const encoding of ['br', 'gzip']) {
    const asset = await fetch(baseURL + script, { headers: { 'accept-encoding': encoding } })
    expect(asset.headers.get('content-encoding')).toBe(encoding)
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
  for (const path of ['/', '/docs/pricing'])
    expect(await (await fetch(baseURL + path, { headers: { 'accept-encoding': 'identity' } })).text()).toContain(
      '</html>',
    )
})

test('with a stored session, the root shows the dashboard’s frame before any script loads', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, 'frame@example.com')
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.goto(`${baseURL}/`)
  await expect(page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Billing' })).toBeVisible()
  await expect(page.getByText('Charged before the response leaves.')).toBeHidden()
  await page.goto(`${baseURL}/docs/pricing`)
  await expect(page.getByRole('heading', { name: 'Pricing', level: 1 })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Log In' })).toBeHidden()
  await page.unrouteAll()
  const found = complaints(page)
  await page.goto(`${baseURL}/`)
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await page.goto(`${baseURL}/docs/pricing`)
  await expect(page.getByRole('banner').getByText('Welcome, frame@example.com')).toBeVisible()
  expect(found).toEqual([])
})

test('a chunk replaced by a newer release is fixed by one reload', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/`)
  await takenOver(page)
  let refused = 0
  await page.route('**/assets/docs.faq*.js', (route) => {
    refused += 1
    return refused === 1 ? route.fulfill({ status: 404, body: '' }) : route.continue()
  })
  await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).click()
  await expect(page.getByRole('heading', { name: 'Frequently Asked Questions', level: 1 })).toBeVisible()
  expect(refused).toBeGreaterThan(1)
})

test('a page whose code fails to load says so once, with a retry and a way out', async ({ page, baseURL }) => {
  await page.route('**/assets/docs.faq*.js', (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(`${baseURL}/docs/pricing`)
  await takenOver(page)
  await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).click()
  const said = page.getByRole('alert')
  await expect(said).toContainText('This page could not be shown')
  await expect(said.getByRole('button', { name: 'Try again' })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Home' }).click()
  await expect(
    page.getByRole('heading', { level: 1, name: 'Sell your API per call. Charged before the response leaves.' }),
  ).toBeVisible()
})

test('header and footer lead where they say, other sites in a new tab', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/faq`)
  const header = page.getByRole('banner')
  for (const [name, href] of [
    ['Documentation', `${baseURL}/docs`],
    ['Pricing', `${baseURL}/docs/pricing`],
  ] as const) {
    const link = header.getByRole('link', { name: new RegExp(`^${name}`) })
    await expect(link).toHaveAttribute('href', href)
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  }
  await expect(header.getByRole('link', { name: 'Dashboard' })).toHaveCount(0)
  await expect(header.getByRole('link', { name: 'Log In' })).toHaveAttribute('href', '/login')
  const footer = page.getByRole('contentinfo')
  for (const [name, href] of [
    ['Documentation', '/docs'],
    ['Pricing', '/docs/pricing'],
    ['FAQ', '/docs/faq'],
    ['Privacy Policy', '/legal/privacy'],
    ['Terms of Service', '/legal/terms'],
  ] as const)
    await expect(footer.getByRole('link', { name, exact: true })).toHaveAttribute('href', href)
  await expect(footer.getByRole('link', { name: /^Contact Us/ })).toHaveAttribute('href', 'mailto:support@example.com')
  await expect(footer).toContainText('Secure API key management with usage tracking and billing integration')
  const source = footer.getByRole('link', { name: 'GitHub' })
  await expect(source).toHaveAttribute('href', 'https://github.com/finmeter/finmeter')
  await expect(source).toHaveAttribute('target', '_blank')
  for (const name of ['Discord', 'Telegram', 'Reddit']) await expect(footer.getByRole('link', { name })).toHaveCount(0)

  await signIn(page, baseURL, 'header@example.com', '/docs/faq')
  await expect(header.getByText('Welcome, header@example.com')).toBeVisible()
  await expect(header.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('href', '/dashboard')
  const loaded = page.waitForEvent('load')
  await header.getByRole('button', { name: 'Sign Out' }).click()
  await loaded
  await expect(page).toHaveURL(`${baseURL}/`)
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible()
})

test('a long address does not make the header two rows on a wide screen', async ({ page, baseURL }) => {
  await signIn(page, baseURL, `${'long.'.repeat(12)}name@a.rather.long.subdomain.of.example.com`)
  for (const path of ['/docs/pricing', '/docs/getting-started']) {
    await page.goto(baseURL + path)
    await expect(page.getByRole('banner').getByText(/^Welcome, long/)).toBeVisible()
    expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThan(64)
    await expect(page.getByRole('banner').getByRole('button', { name: 'Sign Out' })).toBeInViewport()
  }
})

test('the first call on the home page works when pasted', async ({ page, baseURL, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${baseURL}/demo`)
  await page.getByRole('main').getByRole('button', { name: 'Copy' }).first().click()
  await expect(page.getByText('Command copied to clipboard', { exact: true }).first()).toBeVisible()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s -i`])
  expect(stdout).toMatch(/^HTTP\/1\.1 200 OK/)
  expect(stdout).toContain('x-credits-charged: 0')
  expect(stdout).toContain('"as_of":"2026-08-18"')
})

test('the sandbox links its mailbox, in the application and in the documentation', async ({ page, baseURL }) => {
  for (const path of ['/auth/recover', '/docs/getting-started']) {
    await page.goto(baseURL + path)
    await page.getByRole('complementary', { name: 'Sandbox' }).getByRole('link', { name: 'Mailbox' }).click()
    await expect(page.getByRole('heading', { name: 'Mailbox', level: 1 })).toBeVisible()
  }
})

test('terms and privacy are linked where a visitor signs in', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/login`)
  const main = page.getByRole('main')
  await main.getByRole('link', { name: 'Terms of Service' }).click()
  await expect(page.getByRole('heading', { name: 'Terms of Service', level: 1 })).toBeVisible()
  await expect(main.getByRole('heading', { name: 'Plans and payment' })).toBeVisible()
  await expect(main.getByRole('link', { name: 'support@example.com' })).toHaveAttribute(
    'href',
    'mailto:support@example.com',
  )
})

// React takes over what was drawn, or draws it anew where there are search parameters.
for (const path of ['/login', '/login?next=/elsewhere'])
  test(`a button of ${path} pressed before the scripts load acts once they do`, async ({ page, baseURL }) => {
    const release = await hold(page, '**/assets/*.js')
    await page.goto(baseURL + path, { waitUntil: 'commit' })
    await page.getByRole('button', { name: 'Continue with GitHub' }).click()
    const asked = page.waitForRequest(/\/auth\/v1\/authorize\?provider=github/)
    release()
    await asked
  })

for (const pressed of ['before any script', 'after the page’s own script'])
  test(`a button whose code comes last, pressed ${pressed}, acts once it has come`, async ({ page, baseURL }) => {
    const releaseLast = await hold(page, '**/assets/sell-details*.js')
    const releaseFirst = await hold(page, '**/assets/index*.js')
    const press = () =>
      page.getByRole('region', { name: 'Try a call' }).getByRole('button', { name: 'Run' }).click({ noWaitAfter: true })
    const asked = page.waitForRequest(`${baseURL}/v1/series/OIL.WTI?range=1mo`)
    await page.goto(`${baseURL}/sell`, { waitUntil: 'commit' })
    if (pressed === 'before any script') await press()
    releaseFirst()
    await takenOver(page)
    if (pressed !== 'before any script') await press()
    releaseLast()
    await asked
  })

test('a page’s code is fetched when its link is hovered', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/pricing`)
  await takenOver(page)
  let fetched = false
  page.on('request', (request) => {
    fetched ||= /assets\/docs\.faq/.test(request.url())
  })
  // A font that has just come moves the link away from the pointer before the hover counts.
  await expect(async () => {
    await page.mouse.move(5, 5)
    await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).hover()
    await expect.poll(() => fetched, { timeout: 2000 }).toBe(true)
  }).toPass()
  await expect(page).toHaveURL(/pricing/)
})

test('the picture that chats show beside a link is a small PNG of 1200 by 630', async ({ request, baseURL }) => {
  const answer = await request.get(`${baseURL}/preview.png`)
  expect(answer.headers()['content-type']).toBe('image/png')
  const bytes = await answer.body()
  expect(bytes.length).toBeLessThan(100_000)
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
})
