import { expect } from '@playwright/test'
import { hold } from './answers.ts'
import { chooseProAndLeave, openBilling, planCard, tabTo } from './billing-person.ts'
import { test } from './fixtures.ts'
import { reloadUntilSeen } from './settled.ts'

test('the free plan is redeemed in place, and a second tab that still offers it reports that', async ({
  page,
  context,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  await expect(page.getByRole('heading', { name: 'Ready to Get Started?' })).toBeVisible()
  const late = await context.newPage()
  await late.goto(`${baseURL}/dashboard/billing/`)
  await expect(planCard(late, 'Free').getByRole('button', { name: /^Redeem free plan/ })).toBeVisible()

  await planCard(page, 'Free')
    .getByRole('button', { name: /^Redeem free plan/ })
    .click()
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
  await expect(
    page.getByText('You have successfully redeemed the free plan. You can now start using the API.').first(),
  ).toBeVisible()
  await expect(planCard(page, 'Free').getByRole('button', { name: 'Current Plan' })).toBeDisabled()
  await expect(page.getByRole('region', { name: 'Current plan' })).toContainText('Free')
  await expect(page.getByRole('region', { name: 'API credits' })).toContainText('1,000')
  await expect(page.getByRole('region', { name: 'API credits' })).toContainText('Good amount remaining')
  await expect(page.getByRole('heading', { name: 'Ready to Get Started?' })).toBeHidden()

  await planCard(late, 'Free')
    .getByRole('button', { name: /^Redeem free plan/ })
    .click()
  await expect(late.getByText('Already subscribed', { exact: true }).first()).toBeVisible()
  await expect(late.getByText('You already have the free plan activated.').first()).toBeVisible()
})

test('a paid plan goes to checkout and returns active, on trial, with its credits', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  const release = await hold(page, '**/api/billing/checkout')
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await expect(planCard(page, 'Pro').getByRole('button', { name: 'Processing...' })).toBeDisabled()
  await expect(planCard(page, 'Free').getByRole('button')).toBeDisabled()
  release()
  await page.getByRole('button', { name: 'Start trial' }).click()

  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
  await expect(page).toHaveURL(`${baseURL}/dashboard/billing`)
  const plan = page.getByRole('region', { name: 'Current plan' })
  await expect(plan).toContainText('Pro')
  await expect(plan).toContainText('$19 monthly')
  await expect(plan).toContainText('Next billing date')
  await expect(page.getByRole('region', { name: 'API credits' })).toContainText('100,000')
  await expect(page.getByRole('region', { name: 'API credits' })).toContainText('Plenty of credits available')
  await expect(page.getByRole('region', { name: 'Your Pro trial is active' })).toContainText('You are then charged $19')
  await expect(page.getByRole('region', { name: 'Upcoming invoice' })).toContainText('$19.00')
  await expect(planCard(page, 'Pro').getByRole('button', { name: 'Current Plan' })).toBeDisabled()
  await page.reload()
  await expect(plan).toContainText('Pro')
  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeHidden()
})

test('credits that come after the plan is confirmed are shown without a reload', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  let isLate = true
  await page.route('**/api/billing/credits', async (route) => {
    const response = await route.fetch()
    if (!isLate) return route.fulfill({ response })
    const { data } = await response.json()
    await route.fulfill({
      response,
      json: { success: true, data: { ...data, credits: { ...data.credits, remaining: 7 } } },
    })
  })
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await page.getByRole('button', { name: 'Start trial' }).click()
  await expect(page.getByRole('status').filter({ hasText: /trial/ })).toBeVisible()
  const credits = page.getByRole('region', { name: 'API credits' })
  await expect(credits.getByText('7', { exact: true })).toBeVisible()
  // What was asked at once has been answered.
  await page.waitForLoadState('networkidle')
  isLate = false
  await expect(credits).toContainText('100,000')
})

test('a declined card stays at checkout; leaving it says that nothing was charged', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await chooseProAndLeave(page)
  await page.getByRole('button', { name: 'Card is declined' }).click()
  await expect(page.getByText(/declined/i).first()).toBeVisible()
  await page.getByRole('button', { name: 'Leave without paying' }).click()
  await expect(page.getByText('Checkout canceled. You were not charged.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Current plan' })).toContainText('No plan yet')
  await expect(planCard(page, 'Pro').getByRole('button', { name: /^Choose Plan/ })).toBeEnabled()
})

test('after bank authentication the plan is active', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await chooseProAndLeave(page)
  await page.getByRole('button', { name: 'Authentication needed' }).click()
  await page.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
})

test('the portal opens in a new tab immediately; canceling and resuming there shows here', async ({
  page,
  context,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  await chooseProAndLeave(page)
  await page.getByRole('button', { name: 'Start trial' }).click()
  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()

  const opening = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Manage Billing' }).click()
  const portal = await opening
  await expect(portal.getByRole('heading', { name: 'Billing', level: 1 })).toBeVisible()
  expect(await portal.evaluate(() => window.opener)).toBeNull()
  await portal.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(portal.getByRole('button', { name: 'Keep subscription' })).toBeVisible()

  const plan = page.getByRole('region', { name: 'Current plan' })
  await reloadUntilSeen(page, plan.filter({ hasText: 'Ends on' }))
  await expect(plan).toContainText('Canceled')
  await portal.getByRole('button', { name: 'Keep subscription' }).click()
  await reloadUntilSeen(page, plan.filter({ hasText: 'Next billing date' }))
})

test('a portal that cannot be opened closes its tab and says so', async ({ page, context, baseURL }) => {
  await openBilling(page, baseURL)
  await page.route('**/api/billing/portal', (route) =>
    route.fulfill({ status: 503, json: { success: false, error: 'Down for a moment.', code: 'billing_unavailable' } }),
  )
  const opening = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Manage Billing' }).click()
  const tab = await opening
  await expect.poll(() => tab.isClosed()).toBe(true)
  await expect(page.getByText('The billing portal could not be opened. Down for a moment.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Manage Billing' })).toBeEnabled()
})

test('bought credits are there on return, with an invoice whose PDF opens', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  const credits = page.getByRole('region', { name: 'API credits' })
  await credits.getByRole('button', { name: 'Buy credits' }).click()
  const dialog = page.getByRole('dialog', { name: 'Buy credits' })
  const packs = dialog.getByRole('textbox', { name: 'Packs' })
  for (const wrong of ['0', '-1', '1.5', '1001', 'two']) {
    await packs.fill(wrong)
    await expect(dialog.getByText('Enter a whole number from 1 to 1,000.')).toBeVisible()
  }
  // A number at hand, or any other.
  await dialog.getByRole('button', { name: '5', exact: true }).click()
  await expect(packs).toHaveValue('5')
  await packs.fill('2')
  await expect(dialog.getByText('You have 0 credits, and 20,000 after this purchase.')).toBeVisible()
  const sum = await dialog.getByText(/ credits for \$/).textContent()
  const bought = /^([\d,]+) credits/.exec(sum ?? '')?.[1] ?? 'no sum'
  await dialog.getByRole('button', { name: 'Continue to payment' }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(
    page.getByText('Payment complete. Your credits have been added. You have 20,000 credits now.'),
  ).toBeVisible()
  await expect(credits).toContainText(bought)

  await page.goto(`${baseURL}/dashboard/billing/invoices`)
  const row = page.getByRole('row').nth(1)
  await reloadUntilSeen(page, row.getByText('paid', { exact: true }))
  await expect(row).toContainText(/20,000 credits.*\$\d+\.\d\d/)
  const href = await row.getByRole('link', { name: /^Download/ }).getAttribute('href')
  const pdf = await page.request.get(href ?? '')
  expect(pdf.headers()['content-type']).toContain('application/pdf')
  expect((await pdf.body()).subarray(0, 5).toString()).toBe('%PDF-')
})

test('automatic top-up is validated, saved and shown', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  const card = page.getByRole('region', { name: 'API credits' })
  await expect(card).toContainText('Off. Calls stop when credits run out.')
  await card.getByRole('button', { name: 'Set up Automatic top-up' }).click()
  const dialog = page.getByRole('dialog', { name: 'Automatic top-up' })
  await dialog.getByRole('checkbox', { name: 'Buy credits automatically' }).check()
  await dialog.getByRole('textbox', { name: 'Buy below' }).fill('2,500')
  await dialog.getByRole('textbox', { name: 'Minimum packs' }).fill('3')
  await dialog.getByRole('textbox', { name: 'Monthly limit ($)' }).fill('1.999')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Enter an amount such as 50 or 49.90, or leave it blank.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Monthly limit ($)' }).fill('0.01')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(
    dialog.getByText(/^Enter at least \$[\d.]+, the price of one top-up, or leave it blank\.$/),
  ).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Monthly limit ($)' }).fill('500')
  await page.route('**/api/billing/credits/auto-topup', (route) =>
    route.fulfill({ status: 503, json: { success: false, error: 'Down for a moment.', code: 'billing_unavailable' } }),
  )
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Automatic top-up could not be saved. Down for a moment.')).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'Buy below' })).toHaveValue('2,500')
  await page.unroute('**/api/billing/credits/auto-topup')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Automatic top-up saved').first()).toBeVisible()
  await expect(card).toContainText('Below 2,500 credits, we buy 3 packs, or more if needed to get back to that level.')
})

test('two clicks on one plan open one checkout and create one subscription', async ({ page, context, baseURL }) => {
  await openBilling(page, baseURL)
  let asked = 0
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/billing/checkout', async (route) => {
    asked += 1
    await held
    await route.continue()
  })
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .dblclick()
  release()
  await expect(page.getByRole('heading', { name: 'Checkout', level: 1 })).toBeVisible()
  expect(asked).toBe(1)
  await page.getByRole('button', { name: 'Start trial' }).click()
  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
  const opening = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Manage Billing' }).click()
  await expect((await opening).getByRole('button', { name: 'Cancel subscription' })).toHaveCount(1)
})

test('keyboard only: from Billing to a paid checkout and back', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await expect(planCard(page, 'Pro')).toBeVisible()
  await tabTo(page, planCard(page, 'Pro').getByRole('button', { name: /^Choose Plan/ }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Checkout', level: 1 })).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Start trial' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Buy credits' }))
  await page.keyboard.press('Space')
  const dialog = page.getByRole('dialog', { name: 'Buy credits' })
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Buy credits' })).toBeFocused()
})
