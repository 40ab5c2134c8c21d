import { expect, type Page } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { openBilling } from './billing-person.ts'
import { test } from './fixtures.ts'
import { settled, takenOver } from './settled.ts'

const plansAt = ({ pathname }: URL) => pathname === '/api/public/plans'
const card = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })

test('pricing shows every price and term', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/pricing`)
  await expect(card(page, 'Free')).toContainText('$0 monthly')
  await expect(card(page, 'Free')).toContainText('1,000 requests per month')
  await expect(card(page, 'Pro')).toContainText('$19 monthly')
  await expect(card(page, 'Pro')).toContainText('Most Popular')
  await expect(card(page, 'Pro')).toContainText('14-day free trial')
  await expect(card(page, 'Pay-as-you-go')).toContainText('$0.01 per 100 requests')
  await expect(card(page, 'Pay-as-you-go')).toContainText('$1.00/month minimum')
  await expect(card(page, 'Pay-as-you-go')).toContainText('Monthly billing cycle')
  await expect(card(page, 'Enterprise')).toContainText('Custom')
  const sales = card(page, 'Enterprise').getByRole('link', { name: /^Contact Sales/ })
  await expect(sales).toHaveAttribute('target', '_blank')
  const main = page.getByRole('main')
  await expect(main).toContainText('30-day money-back')
  await expect(page.getByRole('region', { name: 'Enterprise features' })).toContainText('response within 1 hour')
  await expect(main.getByText('Save 20%')).toBeVisible()
  await main.getByRole('button', { name: 'Annual' }).click()
  await expect(card(page, 'Pro')).toContainText('$15.20 monthly')
  await expect(card(page, 'Pro')).toContainText('$182.40 billed once a year, saving 20%')
  await expect(card(page, 'Free')).toContainText('$0 monthly')
  await expect(page.getByRole('group', { name: 'Billing' }).getByRole('button', { name: 'Annual' })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
})

test('the price of a month follows the slider, by keyboard too, and sets fixed prices against pay-as-you-go', async ({
  page,
  baseURL,
}) => {
  await page.goto(`${baseURL}/docs/pricing`)
  await takenOver(page)
  const costs = page.getByRole('region', { name: 'What a month costs' })
  const slider = costs.getByRole('slider', { name: 'Requests per month' })
  // Its code comes after that of the page: a slider that the server drew may be replaced, and lose what was pressed.
  await page.waitForFunction(() => {
    const input = document.querySelector('input[type=range]')
    return input && Object.keys(input).some((key) => key.startsWith('__reactProps'))
  })
  const rows = costs.getByRole('listitem')
  const payg = 'Pay-as-you-go$1.00/month minimum, up to your spend cap'
  const paygLowest = payg.replace('go$', 'goLowest price$')
  await expect(slider).toHaveAttribute('aria-valuetext', '50,000 requests')
  await expect(rows).toHaveText([
    'FreeUp to 1,000 requestsNot enough',
    'ProUp to 100,000 requests$19.00',
    `${paygLowest}$5.00`,
  ])
  await expect(costs).toContainText('Pay-as-you-go costs $14.00 less than Pro for 50,000 requests.')
  // Where a plan is never the cheapest, it says what it is for.
  await expect(costs.getByRole('definition').nth(1)).toHaveText(
    'The same bill every month, and priority support. Choose it for that, not for the price: pay-as-you-go costs less.',
  )
  await slider.focus()
  await page.keyboard.press('End')
  await expect(slider).toHaveAttribute('aria-valuetext', '2,000,000 requests')
  await expect(rows).toHaveText([
    'FreeUp to 1,000 requestsNot enough',
    'ProUp to 100,000 requestsNot enough',
    `${paygLowest}$200.00`,
  ])
  await page.keyboard.press('Home')
  await expect(rows).toHaveText([
    'FreeLowest priceUp to 1,000 requests$0.00',
    'ProUp to 100,000 requests$19.00',
    `${payg}$1.00`,
  ])
  await expect(costs).toContainText('Free costs $1.00 less than pay-as-you-go.')
  await page.getByRole('group', { name: 'Billing' }).getByRole('button', { name: 'Annual' }).click()
  await expect(rows.nth(1)).toContainText('$15.20')
  await expect(costs).toContainText('A request costs one credit. Some cost more and count as several requests here.')
  await expect(costs.getByRole('link', { name: 'Price of each request' })).toHaveAttribute('href', '/docs/reference')
})

test('Pricing and Billing say the same of the trial and of pay-as-you-go', async ({ page, baseURL }) => {
  const said: string[] = []
  await openBilling(page, baseURL)
  for (const path of ['/dashboard/billing/', '/docs/pricing']) {
    await page.goto(path)
    await expect(card(page, 'Pro')).toContainText('14-day free trial')
    const text = (await card(page, 'Pay-as-you-go').textContent()) ?? ''
    expect(text).toContain('$1.00/month minimum')
    said.push(text.replace(/Choose.*$/, ''))
  }
  expect(said[0]).toBe(said[1])
})

test("'Using Fallback Pricing' while the plans cannot be loaded, and the plans again after Try again", async ({
  page,
  baseURL,
}) => {
  await page.route(plansAt, (route) => route.fulfill({ status: 500, json: { success: false } }))
  await page.goto(`${baseURL}/docs/pricing`)
  await expect(page.getByText('Using Fallback Pricing', { exact: true })).toBeVisible()
  await expect(card(page, 'Free')).toContainText('1,000 requests per month')
  await expect(card(page, 'Pro')).toContainText('$19')
  await page.unroute(plansAt)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Using Fallback Pricing', { exact: true })).toBeHidden()
  await expect(card(page, 'Pro')).toContainText('$19')
})

test("the home page says 'Failed to fetch plans', and shows them after Try again", async ({ page, baseURL }) => {
  for (const path of ['/', '/demo']) {
    await page.route(plansAt, (route) => route.fulfill({ status: 500, json: { success: false } }))
    await page.goto(baseURL + path)
    await expect(page.getByText('Failed to fetch plans', { exact: true })).toBeVisible()
    await page.unroute(plansAt)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByText('Failed to fetch plans', { exact: true })).toHaveCount(0)
    await expect(page.getByRole('main').getByText('Pro', { exact: true })).toBeVisible()
  }
})

test('numbers from another catalog replace those in the FAQ; the quick start has those of the plans', async ({
  page,
  baseURL,
}) => {
  await page.goto(`${baseURL}/docs/getting-started`)
  const main = page.getByRole('main')
  await expect(main.getByText('Free tier: 1,000 requests/month')).toBeVisible()
  await expect(main.getByText('Pro: $19/month with 100,000 requests')).toBeVisible()
  const { data } = (await (await fetch(`${baseURL}/api/public/plans`)).json()) as {
    data: { plans: { name: string; price: number; credits: number }[] }
  }
  const pro = data.plans.find(({ name }) => name === 'Pro')
  Object.assign(pro ?? {}, { price: 4900, credits: 250_000 })
  await page.route(plansAt, (route) => route.fulfill({ json: { success: true, data } }))
  await page.goto(`${baseURL}/docs/faq`)
  await page.getByText('How many requests does each plan include?').click()
  await expect(main).toContainText('the Pro plan includes 250,000 requests/month at $49/month')
})

test('the FAQ has five categories of four questions, one open at a time in each', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/faq`)
  const main = page.getByRole('main')
  for (const name of ['Getting Started', 'Billing & Plans', 'API Usage', 'Security', 'Technical Support'])
    await expect(page.getByRole('region', { name, exact: true }).locator('summary')).toHaveCount(4)
  await expect(main.getByText('20 of 20 questions', { exact: true })).toBeVisible()
  // One answer is in sight: the first.
  await expect(main.locator('details[open]')).toHaveCount(1)
  await expect(main.locator('details').first()).toHaveAttribute('open', '')
  const billing = page.getByRole('region', { name: 'Billing & Plans' })
  await billing.getByText('How many requests does each plan include?').click()
  await expect(
    billing.getByText(/Free plan includes 1,000 requests\/month and the Pro plan includes 100,000/),
  ).toBeVisible()
  await billing.getByText('What is your refund policy?').click()
  await expect(billing.getByText(/Annual plans have a 30-day money-back guarantee/)).toBeVisible()
  await expect(billing.getByText(/the Pro plan includes 100,000/)).toBeHidden()
  await billing.getByText('What is your refund policy?').click()
  await expect(billing.locator('details[open]')).toHaveCount(0)
})

test('words typed into the FAQ search before its code has come are searched for', async ({ page, baseURL }) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${baseURL}/docs/faq`, { waitUntil: 'commit' })
  await page.getByPlaceholder('Search FAQs...').fill('AES-256')
  release()
  await takenOver(page)
  await expect(page.getByRole('main').getByText('1 of 20 questions', { exact: true })).toBeVisible()
  await expect(page.getByPlaceholder('Search FAQs...')).toHaveValue('AES-256')
})

test('the FAQ search ignores case, counts matches, and says when there are none', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/faq`)
  const main = page.getByRole('main')
  const search = page.getByPlaceholder('Search FAQs...')
  await takenOver(page)
  await expect(page.getByRole('button', { name: 'Clear search' })).toHaveCount(0)
  await search.fill('AES-256')
  await expect(main.getByText('1 of 20 questions', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Security' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Billing & Plans' })).toHaveCount(0)
  await search.fill('zebra "stripes"')
  await expect(main.getByText('0 of 20 questions', { exact: true })).toBeVisible()
  await expect(main.getByText('No FAQs found', { exact: true })).toBeVisible()
  await expect(
    main.getByText('No FAQs found matching "zebra "stripes"". Try different keywords or browse all categories.', {
      exact: true,
    }),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(main.getByText('20 of 20 questions', { exact: true })).toBeVisible()
  await expect(search).toHaveValue('')
  await expect(main.getByRole('heading', { name: 'Still need help?' })).toBeVisible()
  await expect(main.getByRole('link', { name: /^Email Support/ })).toHaveAttribute('href', 'mailto:support@example.com')
  await expect(main.getByRole('link', { name: 'View Documentation' })).toHaveAttribute('href', '/docs')
})

test('the quick start runs a call before its four steps, without an account', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/quick-start`)
  await expect(page).toHaveURL(`${baseURL}/docs/getting-started`)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 2, name: /^\d\./ })).toHaveText([
    '1. Create an account via GitHub',
    '2. Choose a plan',
    '3. Generate an API key',
    '4. Make your first request',
  ])
  const beside = main.getByRole('region', { name: 'Request and response' })
  await expect(beside).toContainText('Free on this page, with the public demo key.')
  await beside.getByRole('button', { name: 'Run' }).click()
  await expect(beside).toContainText('200 OK')
  // Its parameters are in the reference.
  await expect(main.getByRole('heading', { name: 'Parameters' })).toHaveCount(0)
  await expect(main.getByRole('link', { name: 'Economic series', exact: true })).toHaveAttribute(
    'href',
    '/docs/reference/get_economic_series',
  )
  await beside.getByRole('tab', { name: 'Python' }).click()
  await expect(beside.getByText('from finmeter import Finmeter')).toBeVisible()
  await page.reload()
  await expect(beside.getByText('from finmeter import Finmeter')).toBeVisible()
})

test('a legal page that cannot be loaded says so and can be retried', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/faq`)
  // Before, the link loads the whole page, with its text.
  await takenOver(page)
  const legalAt = ({ pathname }: URL) => pathname === '/api/public/legal/terms'
  await page.route(legalAt, (route) => route.abort())
  await page.getByRole('contentinfo').getByRole('link', { name: 'Terms of Service' }).click()
  await expect(page.getByText('This text could not be loaded')).toBeVisible()
  await page.unroute(legalAt)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Plans and payment' })).toBeVisible()
})

test('public pages are accessible in every state, at each width', async ({ page }) => {
  test.setTimeout(600_000)
  await page.goto('/legal/privacy')
  await settled(page)
  await expectAccessibleAtEachWidth(page, 'privacy')
  await page.goto('/docs/pricing')
  await page.getByRole('button', { name: 'Annual' }).click()
  await page.locator('summary').first().click()
  await expectAccessibleAtEachWidth(page, 'pricing, annual, a question open')
  await page.route(plansAt, (route) => route.abort())
  await page.goto('/docs/pricing')
  await expect(page.getByText('Using Fallback Pricing')).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'pricing, fallback')
  await page.goto('/demo')
  await expect(page.getByText('Failed to fetch plans')).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'home, plans failed')
  await page.unroute(plansAt)
  await page.goto('/docs/faq')
  await takenOver(page)
  await page.locator('summary').nth(1).click()
  await expectAccessibleAtEachWidth(page, 'FAQ, a question open')
  await page.getByPlaceholder('Search FAQs...').fill('x'.repeat(200))
  await expect(page.getByText('No FAQs found', { exact: true })).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'FAQ, nothing found')
})
