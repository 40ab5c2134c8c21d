import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

declare global {
  interface Window {
    /** What the page has asked for. */
    asked: string[]
  }
}

const address = () => `early-${randomUUID().slice(0, 8)}@example.com`

const storageKey = 'supabase.auth.token'

/** Holds a page's first script back, and counts what the page reads of the product API; `first` is what it read before. */
async function reads(page: Page) {
  const all: string[] = []
  const first: string[] = []
  let isHeld = true
  const { promise: held, resolve } = Promise.withResolvers<void>()
  await page.route(/\/assets\/index-[^/]+\.js$/, async (route) => {
    await held
    await route.continue()
  })
  // An early read is good for 10 s. A slow clock has them last on a busy machine.
  await page.addInitScript(() => {
    const now = performance.now.bind(performance)
    performance.now = () => now() / 100
  })
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.method() !== 'GET' || !/^\/(api|billing)\//.test(pathname)) return
    all.push(pathname + search)
    if (isHeld) first.push(pathname + search)
  })
  const release = () => {
    isHeld = false
    resolve()
  }
  return { all, first, release }
}

/** The early reads not used yet. */
const notTaken = () => Object.keys((globalThis as { earlyReads?: { answers: object } }).earlyReads?.answers ?? {})

const ofOverview = [
  '/api/billing/credits',
  '/api/billing/credits/history',
  '/api/billing/subscription',
  '/api/keys',
  '/api/usage?range=30d',
  '/api/workspaces',
]
const pages = [
  ['/', ofOverview],
  ['/dashboard', ofOverview],
  ['/dashboard/api-keys', ['/api/billing/subscription', '/api/keys', '/api/workspaces']],
  [
    '/dashboard/billing',
    [
      '/api/billing/credits',
      '/api/billing/credits/topup',
      '/api/billing/plans',
      '/api/billing/subscription',
      '/api/workspaces',
    ],
  ],
  ['/dashboard/billing/invoices', ['/api/workspaces', '/billing/invoices']],
  ['/dashboard/playground', ['/api/keys', '/api/workspaces']],
  [
    '/dashboard/settings',
    ['/api/auth/profile', '/api/billing/preferences', '/api/billing/subscription', '/api/workspaces'],
  ],
  ['/dashboard/settings/team', ['/api/team', '/api/workspaces']],
] as const

test('a dashboard page requests its data before its script loads, and requests nothing twice', async ({
  page,
  context,
  baseURL,
}) => {
  test.setTimeout(300_000)
  await signIn(page, baseURL, address())
  for (const [path, expected] of pages) {
    const tab = await context.newPage()
    const { all, first, release } = await reads(tab)
    await tab.goto(path, { waitUntil: 'commit' })
    await expect.poll(() => [...first].sort(), { message: `before the script of ${path}` }).toEqual([...expected])
    release()
    await expect(tab.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await expect.poll(() => tab.evaluate(notTaken)).toEqual([])
    // The page shows the early responses and requests none of them again.
    for (const read of expected)
      expect(
        all.filter((one) => one === read),
        `${path}: ${read}`,
      ).toHaveLength(1)
    await tab.close()
  }
})

test('there are no early reads without a session, with one about to expire, or for another range', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address())
  // The first script never comes: what is asked for is asked for by the page's head.
  await page.route(/\/assets\/index-[^/]+\.js$/, () => undefined)
  await page.addInitScript(() => {
    const real = fetch
    window.asked = []
    window.fetch = (input, init) => {
      window.asked.push(String(input))
      return real(input, init)
    }
  })
  const open = async (path: string) => {
    await page.goto(path, { waitUntil: 'commit' })
    // Hidden without a session.
    await expect(page.getByRole('banner', { includeHidden: true })).toBeAttached()
    return page.evaluate(() => window.asked.sort())
  }
  expect(await open('/dashboard?range=7d')).toEqual([
    '/api/billing/credits',
    '/api/billing/credits/history',
    '/api/billing/subscription',
    '/api/keys',
    '/api/workspaces',
  ])
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key)!)
    localStorage.setItem(key, JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + 80 }))
  }, storageKey)
  expect(await open('/dashboard')).toEqual([])
  await page.evaluate((key) => localStorage.setItem(key, '{'), storageKey)
  expect(await open('/dashboard')).toEqual([])
  await page.evaluate((key) => localStorage.removeItem(key), storageKey)
  expect(await open('/dashboard')).toEqual([])
})

test('a page with a valid session shows its data without the auth client, and fetches the text font after it', async ({
  page,
  context,
  baseURL,
}) => {
  await signIn(page, baseURL, address())
  // The dashboard is left first: two seconds after it began it would store this once more.
  await page.goto('/robots.txt')
  await page.evaluate(() => localStorage.removeItem('finmeter.font'))
  // It never comes.
  await context.route('**/assets/auth-client*.js', () => undefined)
  await page.goto('/dashboard/billing')
  await expect(page.getByRole('button', { name: /^Redeem free plan/ }).first()).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('data-font', 'later')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('finmeter.font'))).toBe('fetched')
  // A page goes without it where it does not come before the first paint, so this one paints when it has come.
  await page.addInitScript(() => {
    const frame = window.requestAnimationFrame.bind(window)
    window.requestAnimationFrame = (callback) => {
      document.fonts.load('1em "Geist Variable"').finally(() => frame(callback))
      return 0
    }
  })
  await page.goto('/dashboard')
  await expect(page.getByRole('button', { name: /^Redeem free plan/ }).first()).toBeVisible()
  await expect(page.locator('html')).not.toHaveAttribute('data-font')
})
