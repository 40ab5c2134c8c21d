import { randomUUID } from 'node:crypto'
import { expect, type Route } from '@playwright/test'
import { answer, hold, subscription } from './answers.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { painted } from './shifts.ts'
import { signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`
const refuse = (status: number, error: string, code: string) => (route: Route) =>
  route.fulfill({ status, json: { success: false, error, code }, headers: { 'x-request-id': 'req-1' } })
const key = (n: number) => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name: `Key ${n}`,
  unkey: `fm_${String(n).padStart(5, '0')}${'a'.repeat(33)}`,
  apiKey: `fm_${String(n).padStart(5, '0')}${'a'.repeat(33)}`,
  created_at: '2026-01-01T00:00:00.000Z',
  usage_count: n,
  last_used_at: null,
})
/** An account's subscription to Free or Pro. */
const subscribed = (type: 'free' | 'paid', change: object = {}) => {
  const { plan } = subscription()
  const own = type === 'free' ? { plan_type: type, plan: { ...plan, name: 'Free', amount: 0 } } : {}
  const one = subscription({ ...own, ...change })
  return { subscription: one, subscriptions: [one] }
}
const noSubscription = { subscription: null, subscriptions: [] }
const credits = (remaining: number, unlimited = false, bought = 0) => ({
  credits: { remaining, unlimited, payAsYouGoEnabled: false },
  bought,
})

test('at / and /dashboard, empty: banner, no plan, no keys, a disabled selector', async ({ page, baseURL }) => {
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
  // One next step, what will come, and what the URL needs first: no card that has nothing in it.
  await expect(page.locator('main section > header h2')).toHaveText([
    'Get started',
    'What you will see here',
    'Remote MCP',
  ])
  const parts = page.getByRole('region', { name: 'What you will see here' }).getByRole('region')
  await expect(parts).toHaveText([
    /^Current planNo plan yet/,
    /^API credits0 credits left/,
    /^API KeysNo API keys yet/,
    /^RequestsNo requests yet/,
  ])
  await expect(page.getByRole('group', { name: 'Range' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Get an API key' }).click()
  await expect(page.getByRole('region', { name: 'Get Your API Key' })).toBeVisible()
})

test('loading: each card shows its loading text; the selector is disabled', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('loading'))
  const releases = await Promise.all([
    hold(page, '**/api/keys'),
    hold(page, '**/api/billing/subscription'),
    hold(page, '**/api/billing/credits'),
  ])
  await page.goto('/dashboard')
  for (const text of ['Loading API keys...', 'Loading plan...', 'Loading credits...'])
    await expect(page.getByRole('status').filter({ hasText: text }).first()).toBeAttached()
  await expect(page.getByRole('combobox', { name: 'API key' })).toBeDisabled()
  await expect(page.getByRole('region', { name: 'Trial Plan' })).toHaveCount(0)
  for (const release of releases) release()
  await expect(page.getByRole('region', { name: 'Trial Plan' })).toBeVisible()
})

test('code for the first call that cannot be fetched does not fail the step before it', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('code'))
  await page.route('**/assets/first-call-*.js', (route) => route.abort())
  const refused = page.waitForEvent('requestfailed')
  await page.goto('/dashboard')
  await refused
  await settled(page)
  // The page learns of it after the browser does.
  await page.evaluate((path) => import(path).catch(() => undefined), '/assets/first-call-none.js')
  await painted(page)
  await expect(page.getByRole('region', { name: 'Trial Plan' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
})

test('the trial banner shows only without keys and without a plan', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('banner'))
  for (const [keys, plan, shown] of [
    [[], noSubscription, true],
    [[key(1)], noSubscription, false],
    [[], subscribed('free'), false],
    [[key(1)], subscribed('free'), false],
    [[key(1)], subscribed('paid'), false],
  ] as const) {
    await page.route('**/api/keys', answer({ apiKeys: keys }))
    await page.route('**/api/billing/subscription', answer(plan))
    await page.goto('/dashboard')
    await expect(page.getByText(keys.length > 0 ? 'Key 1' : 'No API keys yet').first()).toBeVisible()
    await expect(page.getByText(plan.subscription?.plan.name ?? 'No plan yet', { exact: true }).first()).toBeVisible()
    // The banner comes with the checklist.
    await expect(page.getByRole('region', { name: 'Get started' })).toBeVisible()
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
  await expect(page.getByRole('region', { name: 'Trial Plan' }).getByRole('alert')).toHaveText(
    'Something went wrong on our side.',
  )
  await page.unroute('**/api/billing/subscribe-free-plan')
  await page.route('**/api/billing/subscribe-free-plan', answer({ alreadySubscribed: true, subscription: null }))
  await redeem.click()
  await expect(page.getByText('Already subscribed', { exact: true }).first()).toBeVisible()
  await expect(page.getByText('You already have the free plan activated.', { exact: true }).first()).toBeVisible()
  await page.unroute('**/api/billing/subscribe-free-plan')
  const release = await hold(page, '**/api/billing/subscribe-free-plan')
  await redeem.click()
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeDisabled()
  release()
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

  await show(subscribed('paid'), credits(0, true))
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
    await show(subscribed('paid'), credits(remaining))
    await expect(card.getByText(hint, { exact: false })).toBeVisible()
    await expect(card.getByText('Active', { exact: true })).toBeVisible()
    await expect(upgrade).toHaveCount(0)
  }

  for (const plan of [noSubscription, subscribed('free')]) {
    await show(plan, credits(900))
    const green = page.getByRole('region', { name: 'Free Credits' })
    await expect(green.getByText('Trial', { exact: true })).toBeVisible()
    await expect(green).toContainText('900')
    await expect(green.getByRole('link', { name: 'Upgrade Plan' })).toHaveAttribute('href', '/dashboard/billing')
  }
  for (const plan of [noSubscription, subscribed('free')]) {
    await show(plan, credits(0))
    await expect(card).toContainText(plan.subscription ? 'Active' : 'A plan adds credits')
    await expect(card.getByText('Consider topping up soon')).toHaveCount(plan.subscription ? 1 : 0)
    await expect(page.getByRole('region', { name: 'Free Credits' })).toHaveCount(0)
    await expect(upgrade).toHaveCount(0)
  }

  // What was bought is no gift: no green card, and the plan says where the credits are from.
  await show(subscribed('free'), credits(15_804, false, 15_004))
  await expect(card.getByText('Active', { exact: true })).toBeVisible()
  await expect(card.getByRole('meter')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Current plan' })).toContainText('15,004 credits left from packs')
  await expect(page.getByRole('region', { name: 'Free Credits' })).toHaveCount(0)
  await expect(upgrade).toBeVisible()
})

test('a late payment: Overview shows the plan and the payment due, and no trial', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('late'))
  await page.route('**/api/billing/subscription', answer(subscribed('paid', { status: 'past_due' })))
  await page.route('**/api/billing/credits', answer(credits(900)))
  await page.goto('/dashboard')
  const plan = page.getByRole('region', { name: 'Current plan' })
  for (const words of ['Pro', 'Past due', 'Payment due'])
    await expect(plan.getByText(words, { exact: true })).toBeVisible()
  await expect(plan.getByText('Next billing date')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'API credits' })).toContainText('900')
  await expect(page.getByRole('link', { name: 'Upgrade Plan' })).toHaveCount(0)
})

test('errors show the specified texts, the request ID, and Try again', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('errors'))
  await page.route('**/api/billing/subscription', refuse(400, 'No such thing.', 'not_found'))
  await page.route('**/api/billing/credits', refuse(400, 'No.', 'invalid_parameter'))
  await page.route('**/api/keys', refuse(400, 'No.', 'invalid_parameter'))
  await page.goto('/dashboard')
  await expect(
    page.getByText('Failed to fetch subscription: No such thing. (Code: not_found)', { exact: true }),
  ).toBeVisible()
  await expect(page.getByText('Failed to fetch credits', { exact: true })).toBeVisible()
  const keysFailed = page.getByText('Failed to load API keys. Please try again.', { exact: true })
  await expect(page.getByRole('alert').filter({ has: keysFailed })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ has: keysFailed })).toBeVisible()
  await expect(page.getByText('req-1').first()).toBeVisible()
  await page.unroute('**/api/billing/subscription')
  await page.getByRole('region', { name: 'Current plan' }).getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No plan yet', { exact: true })).toBeVisible()
})

test('keys are masked until revealed; copying shows a toast, also when the clipboard refuses', async ({
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

test('with several keys, the first call and the MCP URL have the first one', async ({ page, context, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL })
  await signIn(page, baseURL, address('several'))
  await page.route('**/api/keys', answer({ apiKeys: [key(1), key(2), key(3)] }))
  await page.goto('/dashboard')
  await expect(page.getByRole('combobox', { name: 'API key' })).toHaveValue(key(1).id)
  await page.getByRole('button', { name: 'Copy command' }).click()
  await expect(page.getByText('Command copied to clipboard', { exact: true }).first()).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(key(1).unkey)
  await page.getByRole('button', { name: 'Generate & copy URL' }).click()
  await expect(
    page.getByText('MCP connection URL generated and copied to clipboard!', { exact: true }).first(),
  ).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${baseURL}/mcp?apikey=${key(1).unkey}`)
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

test('the requests by result, and beside them the credits with the day they run out', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('forecast'))
  const dayMs = 86_400_000
  const at = (ago: number) => new Date(Math.floor(Date.now() / dayMs) * dayMs - ago * dayMs).toISOString()
  const days = Array.from({ length: 92 }, (_, index) => {
    const ago = 91 - index
    return { date: at(ago).slice(0, 10), remaining: ago > 20 ? 0 : 400 + ago * 100, spent: ago > 20 ? 0 : 100 }
  })
  await page.route('**/api/keys', answer({ apiKeys: [key(1)] }))
  await page.route('**/api/billing/subscription', answer(subscribed('paid')))
  await page.route('**/api/billing/credits', answer(credits(400)))
  await page.route('**/api/billing/credits/history', answer({ days }))
  await page.route('**/api/usage?range=30d', async (route) => {
    const { data } = await (await route.fetch()).json()
    await answer({
      ...data,
      totalRequests: 8,
      successfulRequests: 7,
      failedRequests: 1,
      refusedRequests: 5,
      analytics: [{ unkeyId: null, keyName: 'Playground', data: [{ time: at(0), success: 7, failed: 1 }] }],
      refusals: [
        { time: at(0), refused: 2 },
        { time: at(9), refused: 3 },
      ],
    })(route)
  })
  await page.goto('/dashboard')
  const card = page.getByRole('region', { name: 'Requests', exact: true })
  // The figures are the key to the colors.
  await expect(card.locator('dl > div:has(.swatch) dt')).toHaveText(['Success', 'Failed', 'Refused'])
  await expect(card.locator('dl > div:has(.swatch) dd:nth-child(2)')).toHaveText(['7', '1', '5'])
  await expect(card.locator('rect[fill="var(--chart-refused)"]')).toHaveCount(2)
  await expect(card.locator('rect[fill="var(--chart-failed)"]')).toHaveCount(1)
  const balance = page.getByRole('region', { name: 'API credits' })
  await expect(balance).toContainText(
    /1\d\d credits a day over the last 7 days\. At this pace they run out on \w{3} \d+, \d{4}\./,
  )
  await expect(balance.getByRole('link', { name: 'Buy credits' })).toHaveAttribute(
    'href',
    '/dashboard/billing#buy-credits',
  )
  // The balance is said once: here, and no tile or chart of requests repeats it.
  await expect(page.locator('main').getByText('400', { exact: true })).toHaveCount(1)
  await page.getByRole('slider', { name: 'Requests by day' }).focus()
  await expect(page.getByRole('slider', { name: 'Requests by day' })).toHaveAttribute(
    'aria-valuetext',
    /: 7 succeeded, 1 failed, 2 refused$/,
  )
  await page.getByRole('slider', { name: 'Credits left by day' }).focus()
  await expect(page.getByRole('slider', { name: 'Credits left by day' })).toHaveAttribute(
    'aria-valuetext',
    /: 400 credits left, 100 spent$/,
  )
})
