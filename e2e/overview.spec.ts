import { randomUUID } from 'node:crypto'
import { expect, type Page, type Route } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`
const answer = (data: unknown) => (route: Route) => route.fulfill({ json: { success: true, data } })
const refuse = (status: number, error: string, code: string) => (route: Route) =>
  route.fulfill({ status, json: { success: false, error, code }, headers: { 'x-request-id': 'req-1' } })
/** Answers when it is let go. */
function hold(page: Page, url: string) {
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  return {
    ready: page.route(url, async (route) => {
      await held
      await route.continue()
    }),
    release: () => release(),
  }
}

const key = (n: number) => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name: `Key ${n}`,
  unkey: `fm_${String(n).padStart(5, '0')}${'a'.repeat(33)}`,
  apiKey: `fm_${String(n).padStart(5, '0')}${'a'.repeat(33)}`,
  created_at: '2026-01-01T00:00:00.000Z',
  usage_count: n,
  last_used_at: null,
})
const subscription = (type: 'free' | 'paid', change: object = {}) => {
  const price = {
    id: 'price_x',
    nickname: null,
    unit_amount: 1900,
    currency: 'usd',
    recurring: { interval: 'month' },
    product: 'prod_x',
  }
  const one = {
    id: 'sub_x',
    status: 'active',
    plan_type: type,
    plan_id: 'price_x',
    plan: {
      id: 'price_x',
      name: type === 'paid' ? 'Pro' : 'Free',
      nickname: null,
      amount: type === 'paid' ? 1900 : 0,
      currency: 'usd',
      interval: 'month',
      product: 'prod_x',
      credits_included: 1000,
    },
    items: { data: [{ price }] },
    currency: 'usd',
    current_period_end: 1_900_000_000,
    trial_end: null,
    cancels_at: null,
    pending_change: null,
    ...change,
  }
  return { subscription: one, subscriptions: [one] }
}
const noSubscription = { subscription: null, subscriptions: [] }
const credits = (remaining: number, unlimited = false) => ({
  credits: { remaining, unlimited, payAsYouGoEnabled: false },
})

test('at / and at /dashboard, empty: banner, no plan, no keys, a selector that is disabled', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address('new'))
  for (const path of ['/', '/dashboard', '/dashboard/']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Trial Plan' })).toBeVisible()
  }
  await expect(page.getByText('No plan yet', { exact: true })).toBeVisible()
  await expect(page.getByText('No API keys yet', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'API key' })).toBeDisabled()
  await page.getByRole('button', { name: 'Generate & copy URL' }).click()
  await expect(page.getByText('Please select an API key first.', { exact: true }).first()).toBeVisible()
})

test('loading: each card says what it waits for; the selector is disabled', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('loading'))
  const held = [
    hold(page, '**/api/keys'),
    hold(page, '**/api/billing/subscription'),
    hold(page, '**/api/billing/credits'),
  ]
  await Promise.all(held.map(({ ready }) => ready))
  await page.goto('/dashboard')
  for (const text of ['Loading API keys...', 'Loading plan...', 'Loading credits...'])
    await expect(page.getByRole('status').filter({ hasText: text }).first()).toBeAttached()
  await expect(page.getByRole('combobox', { name: 'API key' })).toBeDisabled()
  await expect(page.getByRole('region', { name: 'Trial Plan' })).toHaveCount(0)
  for (const { release } of held) release()
  await expect(page.getByRole('region', { name: 'Trial Plan' })).toBeVisible()
})

test('the trial banner is there without keys and without a plan only', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('banner'))
  for (const [keys, plan, shown] of [
    [[], noSubscription, true],
    [[key(1)], noSubscription, false],
    [[], subscription('free'), false],
    [[key(1)], subscription('free'), false],
  ] as const) {
    await page.route('**/api/keys', answer({ apiKeys: keys }))
    await page.route('**/api/billing/subscription', answer(plan))
    await page.goto('/dashboard')
    await expect(page.getByText(keys.length > 0 ? 'Key 1' : 'No API keys yet').first()).toBeVisible()
    await expect(page.getByText(plan.subscription ? 'Free' : 'No plan yet', { exact: true }).first()).toBeVisible()
    await expect(page.getByRole('region', { name: 'Trial Plan' })).toHaveCount(shown ? 1 : 0)
  }
})

test('redeeming: Processing..., the toast, keys without a reload; a repeat and a failure say so', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address('redeem'))
  const redeem = page.getByRole('button', { name: 'Redeem free plan' })
  await page.route(
    '**/api/billing/subscribe-free-plan',
    refuse(500, 'Something went wrong on our side.', 'internal_error'),
  )
  await redeem.click()
  await expect(
    page.getByText('Failed to subscribe to trial plan. Please try again.', { exact: true }).first(),
  ).toBeVisible()
  await page.unroute('**/api/billing/subscribe-free-plan')
  await page.route('**/api/billing/subscribe-free-plan', answer({ alreadySubscribed: true, subscription: null }))
  await redeem.click()
  await expect(page.getByText('Already subscribed', { exact: true }).first()).toBeVisible()
  await expect(page.getByText('You already have the free plan activated.', { exact: true }).first()).toBeVisible()
  await page.unroute('**/api/billing/subscribe-free-plan')
  const held = hold(page, '**/api/billing/subscribe-free-plan')
  await held.ready
  await redeem.click()
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeDisabled()
  held.release()
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
  await expect(
    page
      .getByText('You have successfully redeemed the free plan. You can now start using the API.', { exact: true })
      .first(),
  ).toBeVisible()
  await expect(page.getByRole('link', { name: 'Default' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Trial Plan' })).toHaveCount(0)
})

test('credits: Unlimited, Active, and the green card with Upgrade Plan; the hints', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('credits'))
  const show = async (plan: unknown, balance: unknown) => {
    await page.route('**/api/billing/subscription', answer(plan))
    await page.route('**/api/billing/credits', answer(balance))
    await page.goto('/dashboard')
  }
  const upgrade = page.getByRole('link', { name: 'Upgrade Plan' })

  await show(subscription('paid'), credits(0, true))
  const card = page.getByRole('region', { name: 'API credits' })
  await expect(card.getByText('∞')).toBeVisible()
  await expect(card.getByText('Unlimited', { exact: true }).first()).toBeVisible()
  await expect(upgrade).toHaveCount(0)

  for (const [remaining, hint] of [
    [5001, 'Plenty of credits available'],
    [5000, 'Good amount remaining'],
    [501, 'Good amount remaining'],
    [500, 'Consider topping up soon'],
    [0, 'Consider topping up soon'],
  ] as const) {
    await show(subscription('paid'), credits(remaining))
    await expect(card.getByText(hint, { exact: false })).toBeVisible()
    await expect(card.getByText('Active', { exact: true })).toBeVisible()
    await expect(upgrade).toHaveCount(0)
  }

  for (const plan of [noSubscription, subscription('free')]) {
    await show(plan, credits(900))
    const green = page.getByRole('region', { name: 'Free Credits' })
    await expect(green.getByText('Trial', { exact: true })).toBeVisible()
    await expect(green.getByRole('link', { name: 'Upgrade Plan' })).toHaveAttribute('href', '/dashboard/billing')
  }
  await show(noSubscription, credits(0))
  await expect(page.getByRole('region', { name: 'API credits' })).toBeVisible()
  await expect(upgrade).toHaveCount(0)
})

test('a late payment: Overview names the plan and what is due, and takes its credits for no trial', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address('late'))
  await page.route('**/api/billing/subscription', answer(subscription('paid', { status: 'past_due' })))
  await page.route('**/api/billing/credits', answer(credits(900)))
  await page.goto('/dashboard')
  const plan = page.getByRole('region', { name: 'Current plan' })
  for (const words of ['Pro', 'Past due', 'Payment due'])
    await expect(plan.getByText(words, { exact: true })).toBeVisible()
  await expect(plan.getByText('Next billing date')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'API credits' })).toContainText('900')
  await expect(page.getByRole('link', { name: 'Upgrade Plan' })).toHaveCount(0)
})

test('errors in the specified words, with the request id, and Try again', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('errors'))
  await page.route('**/api/billing/subscription', refuse(400, 'No such thing.', 'not_found'))
  await page.route('**/api/billing/credits', refuse(400, 'No.', 'invalid_parameter'))
  await page.route('**/api/keys', refuse(400, 'No.', 'invalid_parameter'))
  await page.goto('/dashboard')
  await expect(
    page.getByText('Failed to fetch subscription: No such thing. (Code: not_found)', { exact: true }),
  ).toBeVisible()
  await expect(page.getByText('Failed to fetch credits', { exact: true })).toBeVisible()
  await expect(page.getByText('Failed to load API keys. Please try again.', { exact: true })).toBeVisible()
  await expect(page.getByText('Error', { exact: true }).first()).toBeVisible()
  await expect(page.getByText('Failed to load API keys', { exact: true }).first()).toBeVisible()
  await expect(page.getByText('req-1').first()).toBeVisible()
  await page.unroute('**/api/billing/subscription')
  await page.getByRole('region', { name: 'Current plan' }).getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No plan yet', { exact: true })).toBeVisible()
})

test('keys are masked until their eye is pressed; copying says so, and says when the clipboard refuses', async ({
  page,
  context,
  baseURL,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL })
  await signIn(page, baseURL, address('copy'))
  await page.route('**/api/keys', answer({ apiKeys: [key(1), key(2), key(3)] }))
  await page.goto('/dashboard')
  const row = page.getByRole('row', { name: /Key 2/ })
  await expect(row.getByText('fm_00002', { exact: false }).first()).toBeVisible()
  await expect(page.getByText(key(2).unkey)).toHaveCount(0)
  await row.getByRole('button', { name: 'Show the key Key 2' }).click()
  await expect(row.getByText(key(2).unkey)).toBeVisible()
  await expect(page.getByText(key(3).unkey)).toHaveCount(0)
  await row.getByRole('button', { name: 'Show the key Key 2' }).click()
  await expect(page.getByText(key(2).unkey)).toHaveCount(0)

  await row.getByRole('button', { name: 'Copy the key Key 2' }).click()
  await expect(page.getByText('API key copied to clipboard', { exact: true }).first()).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key(2).unkey)
  const selector = page.getByRole('combobox', { name: 'API key' })
  await expect(selector).toBeEnabled()
  await selector.selectOption({ index: 3 })
  await page.getByRole('button', { name: 'Generate & copy URL' }).click()
  await expect(
    page.getByText('MCP connection URL generated and copied to clipboard!', { exact: true }).first(),
  ).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${baseURL}/mcp?apikey=${key(3).unkey}`)
  await page.getByRole('button', { name: 'Copy the MCP URL' }).click()
  await expect(page.getByText('MCP URL copied to clipboard!', { exact: true }).first()).toBeVisible()
  await selector.selectOption('')
  await page.getByRole('button', { name: 'Generate & copy URL' }).click()
  await expect(page.getByText('Please select an API key first.', { exact: true }).first()).toBeVisible()

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
    document.execCommand = () => false
  })
  await row.getByRole('button', { name: 'Copy the key Key 2' }).click()
  await expect(
    page.getByText('Failed to copy to clipboard. Please copy manually.', { exact: true }).first(),
  ).toBeVisible()
})

test('shell: external links, tooltips, current page, sign-out as a document load', async ({ page, baseURL }) => {
  const email = address('shell')
  await signIn(page, baseURL, email)
  const elsewhere = page.getByRole('navigation', { name: 'Elsewhere' })
  for (const name of ['Documentation', 'MCP Tools']) {
    const link = elsewhere.getByRole('link', { name })
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toHaveAttribute('rel', /noopener/)
    await link.hover()
    await expect(page.getByRole('tooltip')).toHaveText(`Open ${name}`)
  }
  const navigation = page.getByRole('navigation', { name: 'Dashboard' })
  await expect(navigation.getByRole('link', { name: 'Overview' })).toHaveAttribute('aria-current', 'page')
  await navigation.getByRole('link', { name: 'API Keys' }).click()
  await expect(navigation.getByRole('link', { name: 'API Keys' })).toHaveAttribute('aria-current', 'page')
  await expect(navigation.locator('[aria-current]')).toHaveCount(1)
  const sidebar = page.getByRole('complementary').last()
  await expect(sidebar.getByText('Personal', { exact: true })).toBeVisible()
  await expect(sidebar.getByText(email, { exact: true })).toBeVisible()
  expect(await sidebar.evaluate((element) => element.getBoundingClientRect().width)).toBe(288)
  await page.getByRole('button', { name: 'Account menu' }).click()
  const loaded = page.waitForEvent('load')
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await loaded
  expect(new URL(page.url()).pathname).toBe('/')
})
