import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = () => `early-${randomUUID().slice(0, 8)}@example.com`

const storageKey = 'supabase.auth.token'

/** Counts what a page reads of the product API; `first` is what it read before its first script came. */
async function reads(page: Page) {
  const all: string[] = []
  const first: string[] = []
  let isHeld = true
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = () => {
      isHeld = false
      done()
    }
  })
  await page.route(/\/assets\/index-[^/]+\.js$/, async (route) => {
    await held
    await route.continue()
  })
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.method() !== 'GET' || !/^\/(api|billing)\//.test(pathname)) return
    all.push(pathname + search)
    if (isHeld) first.push(pathname + search)
  })
  return { all, first, release }
}

/** The early reads whose answers nobody has asked for yet. */
const notTaken = () => Object.keys((globalThis as { earlyReads?: { answers: object } }).earlyReads?.answers ?? {})

const pages = [
  ['/', ['/api/billing/credits', '/api/billing/subscription', '/api/keys', '/api/usage?range=30d', '/api/workspaces']],
  [
    '/dashboard',
    ['/api/billing/credits', '/api/billing/subscription', '/api/keys', '/api/usage?range=30d', '/api/workspaces'],
  ],
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

test('a page of the dashboard reads its data before its script is there, and reads nothing twice', async ({
  page,
  context,
  baseURL,
}) => {
  await signIn(page, baseURL, address())
  for (const [path, expected] of pages) {
    const tab = await context.newPage()
    const { all, first, release } = await reads(tab)
    await tab.goto(path, { waitUntil: 'commit' })
    await expect.poll(() => [...first].sort(), { message: `before the script of ${path}` }).toEqual([...expected])
    release()
    await expect(tab.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await expect.poll(() => tab.evaluate(notTaken)).toEqual([])
    // What was read early is what is shown: none of it is asked for again.
    for (const read of expected)
      expect(
        all.filter((one) => one === read),
        `${path}: ${read}`,
      ).toHaveLength(1)
    await tab.close()
  }
})

test('nothing is read early without a session, with one that is about to expire, or for another range', async ({
  page,
  baseURL,
}) => {
  const email = address()
  await signIn(page, baseURL, email)
  const { first, release } = await reads(page)
  const open = async (path: string) => {
    await page.goto('about:blank')
    first.length = 0
    await page.goto(path, { waitUntil: 'commit' })
    await expect(page.getByRole('banner')).toBeVisible()
    await page.waitForTimeout(500)
    return [...first].sort()
  }
  expect(await open('/dashboard?range=7d')).toEqual([
    '/api/billing/credits',
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
  release()
})
