import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const key = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Default',
  unkey: 'fm_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ab',
  apiKey: 'fm_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ab',
  created_at: '2026-11-01T00:00:00.000Z',
  usage_count: 0,
  last_used_at: null,
}
const price = { id: 'price_x', nickname: null, currency: 'usd', product: 'prod_x' }
const subscription = (type: 'free' | 'paid') => ({
  id: 'sub_1',
  status: 'active',
  plan_type: type,
  plan_id: 'price_x',
  plan: { ...price, name: type === 'free' ? 'Free' : 'Pro', amount: 0, interval: 'month', credits_included: 1000 },
  items: {
    data: [{ price: { ...price, unit_amount: 0, unit_amount_decimal: '0', recurring: { interval: 'month' } } }],
  },
  currency: 'usd',
  current_period_end: Math.floor(Date.now() / 1000) + 12 * 86_400,
  trial_end: null,
  cancels_at: null,
  pending_change: null,
  provider_status: null,
})

interface Account {
  keys?: unknown[]
  plan?: 'free' | 'paid' | null
  credits?: { remaining?: number; unlimited?: boolean }
}

/** Opens Overview of an account like this. */
async function overviewOf(page: Page, baseURL: string, { keys = [], plan = null, credits = {} }: Account) {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const answer = (path: string, data: unknown) =>
    page.route(
      ({ pathname }) => pathname === path,
      (route) => route.fulfill({ json: { success: true, data } }),
    )
  const held = plan && subscription(plan)
  await answer('/api/keys', { apiKeys: keys })
  await answer('/api/billing/subscription', { subscription: held, subscriptions: held ? [held] : [] })
  await answer('/api/billing/credits', {
    credits: { remaining: 0, unlimited: false, payAsYouGoEnabled: false, ...credits },
  })
  await page.goto(`${baseURL}/dashboard`)
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Current plan' })).toContainText(
    plan === null ? 'No plan yet' : plan === 'free' ? 'Free' : 'Pro',
  )
}

test('the Trial Plan banner is there with neither key nor plan, and in no other case', async ({ page, baseURL }) => {
  await signIn(page, baseURL, 'banner@example.com')
  const banner = page.getByRole('region', { name: 'Trial Plan' })
  for (const [keys, plan, shown] of [
    [[], null, true],
    [[key], null, false],
    [[], 'free', false],
    [[key], 'paid', false],
  ] as const) {
    await overviewOf(page, baseURL, { keys: [...keys], plan })
    await expect(page.getByRole('region', { name: 'API Keys', exact: true })).toContainText(
      keys.length ? 'fm_AbCdE' : 'No API keys yet',
    )
    await expect(banner).toHaveCount(shown ? 1 : 0)
  }
})

test('a trial plan that cannot be redeemed says so, and can be tried again', async ({ page, baseURL }) => {
  await signIn(page, baseURL, 'refused@example.com')
  const at = ({ pathname }: URL) => pathname === '/api/billing/subscribe-free-plan'
  await page.route(at, (route) =>
    route.fulfill({ status: 503, json: { success: false, error: 'Try later.', code: 'billing_unavailable' } }),
  )
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByText('Failed to subscribe to trial plan. Please try again.').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Trial Plan' }).getByRole('alert')).toHaveText('Try later.')
  await page.unroute(at)
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Trial Plan' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'API Keys', exact: true })).toContainText('Default')
})

test('the credits card is green with Upgrade Plan only without a paid plan and with credits left', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, 'green@example.com')
  const green = page.getByRole('region', { name: 'Free Credits' })
  const plain = page.getByRole('region', { name: 'API credits' })
  await overviewOf(page, baseURL, { plan: 'free', credits: { remaining: 700 } })
  await expect(green).toContainText('Trial')
  await expect(green).toContainText('700')
  await expect(green.getByRole('link', { name: 'Upgrade Plan' })).toHaveAttribute('href', '/dashboard/billing')
  await overviewOf(page, baseURL, { plan: 'free', credits: { remaining: 0 } })
  await expect(plain).toContainText('Active')
  await expect(green).toHaveCount(0)
  await overviewOf(page, baseURL, { plan: 'paid', credits: { remaining: 700 } })
  await expect(plain).toContainText('Active')
  await expect(page.getByRole('link', { name: 'Upgrade Plan' })).toHaveCount(0)
  await overviewOf(page, baseURL, { plan: 'paid', credits: { unlimited: true } })
  await expect(plain.getByText('∞')).toBeVisible()
  await expect(plain.getByText('Unlimited', { exact: true }).first()).toBeVisible()
})
