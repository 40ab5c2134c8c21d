import { expect, type Page, type Route } from '@playwright/test'
import { answer, subscription } from './answers.ts'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const refuse = (route: Route) =>
  route.fulfill({
    status: 500,
    headers: { 'x-request-id': 'req-42' },
    json: { success: false, error: 'Something went wrong on our side.', code: 'internal_error' },
  })

/** Opens a page with these responses, by path, instead of the server's. */
async function openWith(page: Page, path: string, answers: Record<string, (route: Route) => unknown>) {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  for (const [url, handler] of Object.entries(answers))
    await page.route(
      ({ pathname }) => pathname === url,
      (route) => void handler(route),
    )
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const subscribed = (change?: object) =>
  answer({ subscription: subscription(change), subscriptions: [subscription(change)] })
const credits = (change: object) =>
  answer({ credits: { remaining: 0, unlimited: false, payAsYouGoEnabled: false, ...change } })
const forever = () => {}

const invoices = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `in_${index}`,
    description: ['Pro', '10,000 credits', null][index % 3],
    number: `FIN-${String(count - index).padStart(6, '0')}`,
    created_at: new Date(Date.UTC(2026, 10, 20) - index * 86_400_000).toISOString(),
    amount: [1900, 5, 123_456_789_012][index % 3],
    currency: 'usd',
    status: ['paid', 'open', 'void', 'uncollectible'][index % 4],
    invoice_pdf: index === 1 ? null : 'https://example.com/invoice.pdf',
    receipt: index === 1 ? null : 'https://example.com/receipt.pdf',
  }))

test('while plans load, screen readers get the loading text, and skeletons replace the cards', async ({
  page,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  await openWith(page, `${baseURL}/dashboard/billing/`, {
    '/api/billing/plans': forever,
    '/api/billing/credits': forever,
  })
  await expect(page.getByRole('status').filter({ hasText: 'Loading plans...' })).toBeVisible()
  await openWith(page, `${baseURL}/dashboard/billing/invoices`, { '/billing/invoices': forever })
  await expect(page.getByRole('status').filter({ hasText: 'Loading invoices...' })).toBeVisible()
})

test("'Failed to load plans' with Try again, which refetches plans and subscription", async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await openWith(page, `${baseURL}/dashboard/billing/`, { '/api/billing/plans': refuse })
  const plans = page.getByRole('region', { name: 'Plans' })
  await expect(plans.getByText('Failed to load plans', { exact: true })).toBeVisible()
  await expect(plans).toContainText('req-42')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const both = Promise.all([
    page.waitForResponse('**/api/billing/plans'),
    page.waitForResponse('**/api/billing/subscription'),
  ])
  await plans.getByRole('button', { name: 'Try again' }).click()
  await both
  await expect(planCard(page, 'Pro')).toBeVisible()
})

test('subscription, credits or invoices that cannot be loaded show the specified texts', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await openWith(page, `${baseURL}/dashboard/billing/`, {
    '/api/billing/subscription': refuse,
    '/api/billing/credits': refuse,
  })
  await expect(
    page.getByText('Failed to fetch subscription: Something went wrong on our side. (Code: internal_error)'),
  ).toBeVisible()
  await expect(page.getByText('Failed to fetch credits', { exact: true })).toBeVisible()
  await openWith(page, `${baseURL}/dashboard/billing/invoices`, { '/billing/invoices': refuse })
  await expect(page.getByText('Failed to load invoices', { exact: true })).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(
    page.getByText('No invoices found. Invoices will appear here after your first payment.', { exact: true }),
  ).toBeVisible()
})

test('on a first visit, what cannot be loaded is said, and not requested again and again', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, 'first-visit@example.com')
  let requests = 0
  await openWith(page, `${baseURL}/dashboard/billing/`, {
    '/api/billing/subscription': (route) => {
      requests++
      return refuse(route)
    },
    '/api/billing/credits': refuse,
  })
  await expect(page.getByText('Failed to fetch credits', { exact: true })).toBeVisible()
  await expect(page.getByText(/^Failed to fetch subscription: /)).toBeVisible()
  // Three for the page, and three for its cards.
  expect(requests).toBeLessThanOrEqual(6)
})

test('a plan that cannot be selected: toast, the reason next to the plans, and an enabled button', async ({
  page,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  await page.route('**/api/billing/checkout', (route) => route.abort())
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await expect(page.getByText('Failed to select plan', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Plans' }).getByRole('alert')).toContainText('Failed to select plan')
  await expect(planCard(page, 'Pro').getByRole('button', { name: /^Choose Plan/ })).toBeEnabled()
  // A response without a message gets the specified text.
  await page.unroute('**/api/billing/checkout')
  await page.route('**/api/billing/checkout', (route) =>
    route.fulfill({ status: 500, json: { success: false, error: '', code: 'internal_error' } }),
  )
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await expect(
    page.getByText('Unable to process your request. Please try again.', { exact: true }).first(),
  ).toBeVisible()
})

test.describe('credit hints', () => {
  for (const [remaining, shown, hint] of [
    [5001, '5,001', 'Plenty of credits available'],
    [5000, '5,000', 'Good amount remaining'],
    [501, '501', 'Good amount remaining'],
    [500, '500', 'Consider topping up soon'],
    [0, '0', 'Consider topping up soon'],
  ] as const)
    test(`${remaining}: ${hint}`, async ({ page, baseURL }) => {
      await openBilling(page, baseURL)
      await openWith(page, `${baseURL}/dashboard/billing/`, { '/api/billing/credits': credits({ remaining }) })
      const card = page.getByRole('region', { name: 'API credits' })
      await expect(card.getByText(shown, { exact: true })).toBeVisible()
      await expect(card.getByText(hint, { exact: true })).toBeVisible()
    })
})

test('unlimited credits show an infinity sign with Unlimited, and nothing is for sale', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await openWith(page, `${baseURL}/dashboard/billing/`, { '/api/billing/credits': credits({ unlimited: true }) })
  const card = page.getByRole('region', { name: 'API credits' })
  await expect(card.getByText('∞')).toBeVisible()
  await expect(card.getByText('Unlimited', { exact: true })).toBeVisible()
  await expect(card.getByRole('button', { name: 'Buy credits' })).toBeHidden()
  await expect(card.getByText('Automatic top-up')).toBeHidden()
})

test('credits that are not used yet have a sentence and no flat chart; invoices are linked once', async ({
  page,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  const card = page.getByRole('region', { name: 'Credits this period' })
  const openUsed = (spent: number) =>
    openWith(page, `${baseURL}/dashboard/billing/`, {
      '/api/billing/subscription': subscribed(),
      '/api/billing/credits': credits({ remaining: 100_000 - spent }),
      '/api/billing/credits/history': answer({
        days: [{ date: new Date().toISOString().slice(0, 10), remaining: 100_000 - spent, spent }],
      }),
    })
  await openUsed(0)
  await expect(card).toContainText('None used yet. After a call, a chart here shows the credits left each day.')
  await expect(card.getByRole('link', { name: 'Open Playground' })).toBeVisible()
  await expect(card.getByRole('slider')).toHaveCount(0)
  await expect(page.getByRole('main').getByRole('link', { name: 'Invoices' })).toHaveCount(1)
  await openUsed(1)
  await expect(card.getByRole('slider', { name: 'Credits this period' })).toBeAttached()
})

test("the burn-down's dot is at the end of its line, also right after a change under reduced motion", async ({
  page,
  baseURL,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await openBilling(page, baseURL)
  await openWith(page, `${baseURL}/dashboard/billing/`, {
    '/api/billing/subscription': subscribed(),
    '/api/billing/credits/history': answer({
      days: Array.from({ length: 9 }, (_, index) => ({
        date: new Date(Date.now() - (8 - index) * 86_400_000).toISOString().slice(0, 10),
        remaining: 100_000 - index * 7000,
        spent: 7000,
      })),
    }),
  })
  const chart = page.getByRole('region', { name: 'Credits this period' }).locator('svg:has(polyline)')
  for (const width of [1280, 700, 1100]) {
    await page.setViewportSize({ width, height: 800 })
    const apart = () =>
      chart.evaluate((svg) => {
        const end = svg.querySelector('polyline')?.getAttribute('points')?.split(' ').at(-1)?.split(',').map(Number)
        const { cx, cy } = getComputedStyle(svg.querySelector('circle') as Element)
        return Math.hypot(Number.parseFloat(cx) - (end?.[0] ?? -1), Number.parseFloat(cy) - (end?.[1] ?? -1))
      })
    await expect.poll(apart).toBeLessThan(0.1)
  }
  const moves = await chart.evaluate((svg) => {
    const dot = svg.querySelector('circle') as Element
    dot.setAttribute('cx', '50')
    return [getComputedStyle(dot).cx, dot.getAnimations().length]
  })
  expect(moves).toEqual(['50px', 0])
})

test('bought credits are a step with their number, and the pace is said', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await openWith(page, `${baseURL}/dashboard/billing/`, {
    '/api/billing/subscription': subscribed(),
    '/api/billing/credits': credits({ remaining: 10_500 }),
    '/api/billing/credits/history': answer({
      days: Array.from({ length: 9 }, (_, index) => ({
        date: new Date(Date.now() - (8 - index) * 86_400_000).toISOString().slice(0, 10),
        remaining: (index < 5 ? 5000 : 15_000) - 500 * (index + 1),
        spent: 500,
      })),
    }),
  })
  const card = page.getByRole('region', { name: 'Credits this period' })
  await expect(card.getByText('+10,000', { exact: true })).toBeVisible()
  await expect(card).toContainText(/5\d\d credits a day over the last 7 days\./)
  await expect(card.getByText('At the pace of the last 7 days', { exact: true })).toBeVisible()
  const points = await card.locator('svg:has(circle) polyline').getAttribute('points')
  const [before, after] = points!
    .split(' ')
    .map((point) => point.split(',').map(Number))
    .slice(6, 8)
  // Straight up at the beginning of the day.
  expect(after![0]).toBe(before![0])
  expect(after![1]).toBeLessThan(before![1]!)
})

test('annual billing costs twelve months less 20 percent, an inactive plan cannot be chosen', async ({
  page,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  const region = page.getByRole('region', { name: 'Plans' })
  await expect(region.getByText('Save 20%')).toBeVisible()
  await region.getByRole('button', { name: 'Annual' }).click()
  await expect(planCard(page, 'Pro')).toContainText('$182.40 yearly')
  await expect(planCard(page, 'Pro').getByText('Most Popular')).toBeVisible()
  await expect(planCard(page, 'Free').getByText('Most Popular')).toBeHidden()
  const reply = page.waitForResponse('**/api/billing/plans')
  await page.reload()
  const { data } = await (await reply).json()
  for (const plan of data.plans) plan.active = plan.name !== 'Pro'
  await openWith(page, `${baseURL}/dashboard/billing/`, { '/api/billing/plans': answer(data) })
  await expect(planCard(page, 'Pro').getByRole('button')).toBeDisabled()
})

test('every invoice has number, date, dollars, status and PDF; a thousand of them are shown', async ({
  page,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  await openWith(page, `${baseURL}/dashboard/billing/invoices`, { '/billing/invoices': answer(invoices(1000)) })
  await expect(page.getByRole('heading', { name: 'Invoice History', level: 1 })).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(1002)
  const amount = (row: number) =>
    page.getByRole('row').nth(row).getByRole('cell').filter({ hasText: '$' }).boundingBox()
  await expect(page.getByRole('row').last()).toHaveText(/^Total paid\$[\d,]+\.\d\d$/)
  const [first, sum] = [await amount(1), await amount(1001)]
  expect(sum!.x + sum!.width).toBe(first!.x + first!.width)
  const rows = page.getByRole('row')
  await expect(rows.nth(1)).toContainText('FIN-001000')
  await expect(rows.nth(1)).toContainText('Nov 20, 2026')
  await expect(rows.nth(1)).toContainText('$19.00')
  await expect(rows.nth(1)).toContainText('paid')
  await expect(rows.nth(1).getByRole('link', { name: /^Download/ })).toHaveAttribute('target', '_blank')
  await expect(rows.nth(2)).toContainText('$0.05')
  await expect(rows.nth(2).getByRole('link')).toHaveCount(0)
  await expect(rows.nth(3)).toContainText('$1,234,567,890.12')
  const colorOf = (status: string) =>
    rows
      .getByText(status, { exact: true })
      .first()
      .evaluate((word) => getComputedStyle(word).color)
  const [paid, ended, lost] = [await colorOf('paid'), await colorOf('void'), await colorOf('uncollectible')]
  expect(lost).toBe(ended)
  expect([ended, await colorOf('open')]).not.toContain(paid)
})

const long = 'Long'.repeat(50)

test('Billing and Invoices are accessible in every state, at each width', async ({ page, baseURL }) => {
  test.setTimeout(600_000)
  await openBilling(page, baseURL)
  const billing = `${baseURL}/dashboard/billing/`
  const check = async (state: string) => {
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectAccessibleAtEachWidth(page, state)
  }
  await expect(planCard(page, 'Pro')).toBeVisible()
  await check('new')
  await page.getByRole('button', { name: 'Buy credits' }).click()
  await page.getByRole('textbox', { name: 'Packs' }).fill('x')
  await check('buying credits')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('button', { name: 'Set up Automatic top-up' }).click()
  await expect(page.getByRole('dialog', { name: 'Automatic top-up' })).toBeVisible()
  await check('automatic top-up')

  await openWith(page, billing, {
    '/api/billing/plans': forever,
    '/api/billing/credits': forever,
    '/api/billing/subscription': forever,
  })
  await check('loading')
  await openWith(page, billing, {
    '/api/billing/plans': refuse,
    '/api/billing/credits': refuse,
    '/api/billing/subscription': refuse,
  })
  await expect(page.getByText('Failed to load plans')).toBeVisible()
  await check('failed')
  await openWith(page, billing, {
    '/api/billing/subscription': subscribed({
      plan: { ...subscription().plan, name: long },
      trial_end: subscription().current_period_end,
      provider_status: 'trialing',
    }),
    '/api/billing/credits': credits({ remaining: 123_456_789_012 }),
    '/api/billing/credits/history': answer({
      days: Array.from({ length: 32 }, (_, index) => ({
        date: new Date(Date.now() - (31 - index) * 86_400_000).toISOString().slice(0, 10),
        remaining: 100_000 - index * 1500,
        spent: 1500,
      })),
    }),
    '/api/billing/upcoming-invoice': answer({
      upcoming: {
        amount: 1900,
        currency: 'usd',
        at: new Date().toISOString(),
        lines: [{ description: long, amount: 1900 }],
      },
    }),
  })
  await expect(page.getByRole('slider', { name: 'Credits this period' })).toBeAttached()
  await check('full')
  await page.getByRole('button', { name: 'View as table' }).click()
  await check('credits as table')
  await openWith(page, billing, {
    '/api/billing/subscription': subscribed({ status: 'past_due' }),
    '/api/billing/credits': credits({ unlimited: true }),
  })
  await expect(page.getByText('Your last payment failed')).toBeVisible()
  await check('past due')
  for (const [state, handler] of Object.entries({
    loading: forever,
    failed: refuse,
    empty: answer([]),
    full: answer(invoices(12)),
  })) {
    await openWith(page, `${baseURL}/dashboard/billing/invoices`, { '/billing/invoices': handler })
    if (state === 'failed') await expect(page.getByText('Failed to load invoices')).toBeVisible()
    await check(`invoices ${state}`)
  }
})
