import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { answer, subscription } from './answers.ts'
import { chooseProAndLeave, openBilling } from './billing-person.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { signIn, signInWithPlan } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`

test('Settings tells the person from the workspace', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('who'))
  await page.route(
    '**/api/auth/profile',
    answer({
      user: {
        id: '0b6d89aa-1111-4222-8333-444455556666',
        email: 'ada@example.com',
        user_metadata: { full_name: 'Ada Lovelace', avatar_url: null },
        created_at: '2026-01-01T00:00:00.000Z',
      },
      workspace: { id: '0b6d89aa-1111-4222-8333-444455556667', name: 'Engines Ltd', role: 'admin', personal: false },
    }),
  )
  await page.goto('/dashboard/settings')
  const account = page.getByRole('region', { name: 'Account', exact: true })
  await expect(account.getByLabel('Account name')).toHaveValue('Ada Lovelace')
  await expect(account).not.toContainText('Engines Ltd')
  const workspace = page.getByRole('region', { name: 'Workspace', exact: true })
  await expect(workspace.getByRole('term')).toHaveText(['Workspace name', 'Your role'])
  await expect(workspace.getByRole('definition')).toHaveText(['Engines Ltd', 'Admin'])
})

test('without a plan and without credits, the credits card does not say Active', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('empty'))
  await settled(page)
  const card = page.getByRole('region', { name: 'API credits' })
  await expect(card).toContainText('credits left')
  await expect(card.getByText('Active', { exact: true })).toHaveCount(0)
  await page.route(
    '**/api/billing/subscription',
    answer({ subscription: subscription(), subscriptions: [subscription()] }),
  )
  await page.reload()
  await expect(card.getByText('Active', { exact: true })).toBeVisible()
})

test('a plan that the portal does not offer is explained instead of opening the portal', async ({
  page,
  context,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  await chooseProAndLeave(page)
  await page.getByRole('button', { name: 'Start trial' }).click()
  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
  for (const name of ['Free', 'Pay-as-you-go']) {
    await page.getByRole('button', { name: `Change Plan: ${name}` }).click()
    const dialog = page.getByRole('dialog', { name: `Change to ${name}` })
    await expect(dialog).toContainText(
      `Cancel Pro under Manage Billing first. It stays active until its period ends. Then choose ${name} on this page.`,
    )
    expect(context.pages()).toHaveLength(1)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: `Change Plan: ${name}` })).toBeFocused()
  }
  // As told: cancel in the portal, and the dialog then names the day.
  await page.getByRole('button', { name: 'Change Plan: Free' }).click()
  const opening = context.waitForEvent('page')
  await page.getByRole('dialog').getByRole('button', { name: 'Manage Billing' }).click()
  const portal = await opening
  await portal.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(portal.getByRole('button', { name: 'Keep subscription' })).toBeVisible()
  await expect(async () => {
    await page.reload()
    await page.getByRole('button', { name: 'Change Plan: Free' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(page.getByRole('dialog')).toContainText(/Pro ends on \w+ \d+, \d{4}\. After that, choose Free/, {
      timeout: 2000,
    })
  }).toPass()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Manage Billing' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  // The annual price of the same plan is offered there.
  await page.getByRole('region', { name: 'Plans' }).getByRole('button', { name: 'Annual' }).click()
  const again = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Change Plan: Pro' }).click()
  await expect((await again).getByRole('heading', { name: 'Billing', level: 1 })).toBeVisible()
})

test('a new key is said and shown in full, until the page is left; its limits are in the list', async ({
  page,
  context,
  baseURL,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL })
  await signIn(page, baseURL, address('new-key'), '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Backtests')
  await page.getByText('Advanced').click()
  await page.getByLabel('Use for').selectOption('MCP only')
  await page.getByLabel('Monthly budget').fill('5000')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'API key created' })).toBeVisible()
  const notice = page.getByRole('region', { name: 'New API key' })
  await expect(notice.getByRole('heading', { name: 'Your new key' })).toBeFocused()
  await notice.getByRole('button', { name: 'Copy API key' }).click()
  const value = await page.evaluate(() => navigator.clipboard.readText())
  const button = notice.getByRole('button', { name: 'Copy API key' })
  const colors = await button.evaluate((one) =>
    [one, one.querySelector('svg')!].map((each) => getComputedStyle(each).color),
  )
  expect(colors[1], 'the tick is as strong as the text').toBe(colors[0])
  expect(value).toMatch(/^fm_\w{38}$/)
  await expect(notice).toContainText(value)
  const row = page.getByRole('row', { name: /Backtests/ })
  await expect(row).toContainText('MCP only')
  await expect(row).toContainText('5,000 of 5,000 credits left this month')
  await page.getByRole('link', { name: 'Backtests', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Show the key Backtests' })).toBeVisible()
  await expect(notice).toBeHidden()
  await page.goBack()
  await expect(row).toBeVisible()
  await expect(notice).toBeHidden()
})

for (const width of [360, 1280])
  test(`${width} px: after rotating a key the new value is said, in view and focused`, async ({ page, baseURL }) => {
    await page.setViewportSize({ width, height: 640 })
    await signIn(page, baseURL, address('rotate'), '/dashboard/api-keys/new')
    await page.getByLabel('Key Name').fill('Rotated')
    await page.getByRole('button', { name: 'Create API Key' }).click()
    const first = /fm_\w{38}/.exec((await page.getByRole('region', { name: 'New API key' }).textContent()) ?? '')?.[0]
    await page.getByRole('link', { name: 'Rotated', exact: true }).click()
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate', exact: true }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'API key rotated' })).toBeVisible()
    const notice = page.getByRole('region', { name: 'New API key' })
    await expect(notice).toContainText(/fm_\w{38}/)
    expect(await notice.textContent()).not.toContain(first)
    await expect(notice.getByRole('heading', { name: 'Your new key' })).toBeFocused()
    await expect(notice).toBeInViewport({ ratio: 1 })
    await notice.getByRole('button', { name: 'Done' }).click()
    await expect(notice).toBeHidden()
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  })

test('the chart of credits names its lines, and the first day has a line too', async ({ page, baseURL }) => {
  await signInWithPlan(page, baseURL, address('burner'), '/docs/reference/price_option')
  await expect(page.getByText('Runs with your key “Default”.')).toBeVisible()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByText('999 credits left', { exact: true })).toBeVisible()
  await page.goto('/dashboard/billing')
  const card = page.getByRole('region', { name: 'Credits this period' })
  await expect(card.getByText('Credits left', { exact: true })).toBeVisible()
  await expect(card.getByText('Included in the plan: 1,000 credits', { exact: true })).toBeVisible()
  await expect(card.getByRole('slider')).toHaveAttribute('aria-valuetext', /999 credits left, 1 spent$/)
  const points = await card.locator('svg:has(circle) polyline').getAttribute('points')
  const [start, end] = points!.split(' ').map((point) => point.split(',').map(Number))
  // From 1,000 credits at the beginning of the day down to 999.
  expect(end![0]! - start![0]!).toBeGreaterThan(8)
  expect(end![1]).toBeGreaterThan(start![1]!)
})

test('arrow keys move between the options of a choice; the palette finds inviting', async ({ page, baseURL }) => {
  await signInWithPlan(page, baseURL, address('keyboard'), '/dashboard/api-keys')
  const choice = page.getByRole('group', { name: 'Range' })
  const options = choice.getByRole('button')
  await options.first().focus()
  await page.keyboard.press('ArrowRight')
  await expect(options.nth(1)).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(options.last()).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(options.first()).toBeFocused()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('invite')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Team Management', level: 1 })).toBeVisible()
})
