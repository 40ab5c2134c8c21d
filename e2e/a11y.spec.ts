import { expect, type Page } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { signIn } from './sign-in.ts'

/** Each route, and one docs page per template; `npm test -- --all` covers their other states. */
const visitorPages = [
  '/',
  '/login',
  '/login?error=auth_failed',
  '/auth/recover',
  '/docs/',
  '/docs/pricing',
  '/docs/faq',
  '/demo',
  '/docs/getting-started',
  '/docs/reference/get_bars',
  '/docs/errors/insufficient_credits',
  '/legal/terms',
  '/invitation',
  '/sandbox/mail',
  '/nowhere',
]
const newcomerPages = ['/dashboard', '/dashboard/api-keys/', '/dashboard/billing/', '/dashboard/playground']
const memberPages = [
  ...newcomerPages,
  '/dashboard/api-keys/new',
  '/dashboard/api-keys/00000000-0000-4000-8000-000000000000',
  '/dashboard/billing/invoices',
  '/dashboard/settings/',
  '/dashboard/settings/security',
  '/dashboard/settings/team',
  '/dashboard/settings/audit-log',
  '/dashboard/spreadsheets',
  '/connect',
  '/device',
]

test.describe.configure({ mode: 'parallel' })

test('no accessibility violations, and nothing wider than the window, at each width: pages of a visitor', async ({
  page,
}) => {
  test.setTimeout(600_000)
  for (const path of visitorPages) await check(page, path)
})

test('no accessibility violations, and nothing wider than the window, at each width: pages of a member', async ({
  page,
  baseURL,
}) => {
  test.setTimeout(600_000)
  await signIn(page, baseURL, 'axe@example.com')
  for (const path of newcomerPages) await check(page, path)
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
  for (const path of memberPages) await check(page, path)
  await page.goto('/dashboard/api-keys/')
  const key = await page.getByRole('row').nth(1).getByRole('link').first().getAttribute('href')
  await check(page, key ?? 'the list has no link to its key')
})

async function check(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await settled(page)
  await expectAccessibleAtEachWidth(page, path)
}
