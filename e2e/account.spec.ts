import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, type Page, type Route } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import { answer, hold, subscription } from './answers.ts'
import { test } from './fixtures.ts'
import { signIn, signInWithPlan } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`

/** What the profile route answers instead, for a person with or without a name and so on. */
async function answerProfile(
  page: Page,
  user: { email: string; full_name: string | null; avatar_url?: string | null },
) {
  await page.route('**/api/auth/profile', (route) =>
    route.fulfill({
      json: {
        success: true,
        data: {
          user: {
            id: '0b6d89aa-1111-4222-8333-444455556666',
            email: user.email,
            user_metadata: { full_name: user.full_name, avatar_url: user.avatar_url ?? null },
            created_at: '2026-01-01T00:00:00.000Z',
          },
          workspace: { id: '0b6d89aa-1111-4222-8333-444455556667', name: 'Personal', role: 'owner', personal: true },
        },
      },
    }),
  )
}

test.describe('Settings', () => {
  test('shows the signed-in user, read-only, with the Free badge', async ({ page, baseURL }) => {
    const email = address('who')
    await signIn(page, baseURL, email)
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
    await expect(page.getByText('Free', { exact: true })).toBeVisible()
    for (const label of ['Account name', 'Associated email', 'User ID'])
      await expect(page.getByLabel(label, { exact: true })).toHaveAttribute('readonly', '')
    await expect(page.getByLabel('Associated email')).toHaveValue(email)
    await expect(page.getByLabel('User ID', { exact: true })).toHaveValue(/^[0-9a-f-]{36}$/)
    const actions = page.getByRole('region', { name: 'Account Actions', exact: true })
    for (const name of ['Export Data', 'Delete Account'])
      await expect(actions.getByRole('button', { name, exact: true })).toBeVisible()
  })

  test('the plan badge has the name of the plan', async ({ page, baseURL }) => {
    await signIn(page, baseURL, address('badge'))
    const one = subscription()
    await page.route('**/api/billing/subscription', answer({ subscription: one, subscriptions: [one] }))
    await page.goto('/dashboard/settings')
    const card = page.getByRole('region', { name: 'Account', exact: true })
    await expect(card.getByText('Pro', { exact: true })).toBeVisible()
    await expect(card.getByText('Free', { exact: true })).toHaveCount(0)
  })

  for (const [name, user, shown] of [
    ['the full name', { email: 'ada@example.com', full_name: 'Ada Lovelace' }, 'Ada Lovelace'],
    ['the part before the @', { email: 'ada@example.com', full_name: null }, 'ada'],
    ["'User'", { email: '', full_name: null }, 'User'],
  ] as const)
    test(`shows ${name} as the display name`, async ({ page, baseURL }) => {
      await signIn(page, baseURL, address('named'))
      await answerProfile(page, user)
      await page.goto('/dashboard/settings')
      const card = page.getByRole('region', { name: 'Account', exact: true })
      await expect(card.getByText(shown, { exact: true }).first()).toBeVisible()
      await expect(card.getByText('No email address', { exact: true })).toHaveCount(user.email ? 0 : 1)
    })

  test('shows what is loading, and what to do when the user cannot be loaded', async ({ page, baseURL }) => {
    await signIn(page, baseURL, address('unread'))
    const release = await hold(page, '**/api/auth/profile', (route) =>
      route.fulfill({ status: 400, json: { success: false, error: 'No.', code: 'invalid_parameter' } }),
    )
    await page.goto('/dashboard/settings')
    await expect(page.getByRole('status').filter({ hasText: 'Loading settings...' }).first()).toBeAttached()
    release()
    await expect(page.getByText('Unable to load user data', { exact: true })).toBeVisible()
    await expect(page.getByText('Please try refreshing the page', { exact: true })).toBeVisible()
    await page.unroute('**/api/auth/profile')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByLabel('User ID', { exact: true })).toBeVisible()
  })

  test('saves the alert threshold; the badge shows the saved value', async ({ page, baseURL }) => {
    await signIn(page, baseURL, address('alert'), '/dashboard/settings')
    const card = page.getByRole('region', { name: 'Email usage alerts' })
    const box = card.getByRole('spinbutton')
    await expect(box).toHaveValue('90')
    await expect(card.getByText('Enabled', { exact: true })).toBeVisible()
    await box.fill('0')
    await expect(card.getByText('Enabled', { exact: true })).toBeVisible()
    await card.getByRole('button', { name: 'Update' }).click()
    await expect(page.getByText('Usage alert updated', { exact: true }).first()).toBeVisible()
    await expect(card.getByText('Off', { exact: true })).toBeVisible()
    await page.reload()
    await expect(box).toHaveValue('0')
    for (const wrong of ['101', '-1', '1.5', '']) {
      await box.fill(wrong)
      await box.press('Enter')
      await expect(card.getByText('Enter a whole number from 0 to 100.', { exact: true })).toBeVisible()
    }
    // The error disappears when the input changes.
    await box.fill('54')
    await expect(card.getByText('Percent of the period’s credits, 0 to 100.', { exact: true })).toBeVisible()
    await page.route('**/api/billing/preferences', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    )
    await box.fill('55')
    await box.press('Enter')
    await expect(card.getByRole('alert')).toHaveText(
      'The server cannot be reached. Check your connection and try again.',
    )
    await expect(box).toHaveValue('55')
    await box.fill('56')
    await expect(card.getByRole('alert')).toHaveCount(0)
  })

  test('sets the alert webhook, reveals its secret, and removes it', async ({ page, baseURL }) => {
    await signIn(page, baseURL, address('webhook'), '/dashboard/settings')
    const card = page.getByRole('region', { name: 'Webhook for alerts' })
    const box = card.getByRole('textbox', { name: 'URL' })
    await expect(card.getByText('Off', { exact: true })).toBeVisible()
    await box.fill('ftp://example.com/hook')
    await box.press('Enter')
    await expect(card.getByRole('alert')).toContainText('must be an https address')
    await expect(box).toHaveValue('ftp://example.com/hook')
    await box.fill('https://example.com/hook')
    await card.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Alerts are posted to the new URL', { exact: true }).first()).toBeVisible()
    await expect(card.getByText('Enabled', { exact: true })).toBeVisible()
    await expect(card.getByText(/^whsec_[\w+/=]{20,}$/)).toBeHidden()
    await card.getByRole('button', { name: 'Show the signing secret' }).click()
    await expect(card.getByText(/^whsec_[\w+/=]{20,}$/)).toBeVisible()
    await page.reload()
    await expect(box).toHaveValue('https://example.com/hook')
    await card.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Remove the webhook?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toBeHidden()
    await expect(box).toHaveValue('https://example.com/hook')
    await card.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(card.getByText('Off', { exact: true })).toBeVisible()
    await expect(box).toHaveValue('')
  })
})

test('Export Data: requested, emailed, downloaded', async ({ page, baseURL }) => {
  const email = address('export')
  await page.clock.install()
  await signIn(page, baseURL, email, '/dashboard/settings')
  await page.getByRole('button', { name: 'Export Data' }).click()
  await expect(page.getByText('Export started', { exact: true }).first()).toBeVisible()
  const link = page.getByRole('link', { name: 'Download export' })
  await expect(link).toBeVisible()
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  expect(download.suggestedFilename()).toMatch(/^finmeter-export-\d{4}-\d\d-\d\d\.zip$/)
  const files = unzipSync(await readFile(await download.path()))
  expect(strFromU8(files['you/profile.json']!)).toContain(email)
  // The page stays open for longer than its link lasts: a click fetches a new one first.
  await page.clock.fastForward('15:00')
  const asked = page.waitForRequest((request) => request.url() === `${baseURL}/api/account/exports`)
  const [late] = await Promise.all([page.waitForEvent('download'), link.click()])
  await asked
  expect(late.suggestedFilename()).toBe(download.suggestedFilename())
  await page.getByRole('button', { name: 'Export Data' }).click()
  await expect(page.getByText('An export was created less than 10 minutes ago.', { exact: false })).toBeVisible()
  await expect(async () => {
    const mail = await page.request.get(`${baseURL}/sandbox/mail/messages?to=${encodeURIComponent(email)}`)
    expect(await mail.text()).toContain('Your data export is ready')
  }).toPass()
})

test('Account Actions that cannot be loaded say so and load on Try again', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('unknown'))
  const refuse = (route: Route) =>
    route.fulfill({ status: 400, json: { success: false, error: 'No.', code: 'invalid_parameter' } })
  for (const path of ['**/api/account/deletion', '**/api/account/exports']) await page.route(path, refuse)
  await page.goto('/dashboard/settings')
  const actions = page.getByRole('region', { name: 'Account Actions', exact: true })
  await expect(actions.getByText('Your exports could not be loaded.', { exact: true })).toBeVisible()
  await expect(
    actions.getByText('The deletion status of your account could not be loaded.', { exact: true }),
  ).toBeVisible()
  await expect(actions.getByRole('button', { name: 'Delete Account' })).toHaveCount(0)
  await page.unrouteAll()
  await actions.getByRole('button', { name: 'Try again' }).first().click()
  await expect(actions.getByText('Your exports could not be loaded.', { exact: true })).toHaveCount(0)
  await actions.getByRole('button', { name: 'Try again' }).click()
  await expect(actions.getByRole('button', { name: 'Delete Account' })).toBeEnabled()
  await expect(actions.getByRole('alert').filter({ hasText: 'loaded' })).toHaveCount(0)
})

test('Delete Account: typed confirmation, keys revoked immediately, and canceling', async ({ page, baseURL }) => {
  await signInWithPlan(page, baseURL, address('delete'), '/dashboard/settings')
  await page.getByRole('button', { name: 'Delete Account' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?' })
  const confirm = dialog.getByRole('button', { name: 'Delete Account' })
  await expect(confirm).toBeDisabled()
  await dialog.getByRole('textbox').fill('delete my acount')
  await expect(confirm).toBeDisabled()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Delete Account' }).click()
  await expect(dialog.getByRole('textbox')).toHaveValue('')
  await dialog.getByRole('textbox').fill('Delete my account')
  await dialog.getByRole('textbox').press('Enter')
  await expect(page.getByText(/^Your account will be deleted on /)).toBeVisible()
  await page.goto('/dashboard/api-keys')
  await expect(page.getByText('No API keys yet', { exact: true })).toBeVisible()
  await page.goto('/dashboard/settings')
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await expect(page.getByText('Account deletion canceled', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete Account' })).toBeVisible()
})

test('Audit log: entries by area, empty and failed', async ({ page, baseURL }) => {
  const began = new Date().toDateString()
  await signInWithPlan(page, baseURL, address('audit'), '/dashboard/settings')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit log' }).click()
  await expect(page.getByRole('heading', { name: 'Audit log', level: 1 })).toBeVisible()
  await expect(page.getByRole('row', { name: /API key created .*Default.* You$/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /Free plan redeemed .*You$/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /Signed in .*You$/ })).toBeVisible()
  // The newest first, with the day once. Midnight may have passed since.
  const day = new Date().toDateString() === began ? /^Today\d/ : /^(Today|Yesterday)\d/
  await expect(page.getByRole('row').nth(1)).toContainText(day)
  // A search leaves the entries with all its words.
  await page.getByLabel('Search', { exact: true }).fill('plan redeemed')
  await expect(page.getByRole('row', { name: /Signed in/ })).toHaveCount(0)
  await expect(page.getByRole('row', { name: /Free plan redeemed/ })).toBeVisible()
  await page.getByLabel('Search', { exact: true }).fill('nothing like this')
  await expect(page.getByText('No entry here has these words', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Show everything' }).click()
  await page.getByLabel('Show', { exact: true }).selectOption('API keys')
  await expect(page.getByRole('row', { name: /Signed in/ })).toHaveCount(0)
  await page.getByLabel('Show', { exact: true }).selectOption('Members')
  await expect(page.getByText('Nothing here yet', { exact: true })).toBeVisible()
  await page.route('**/api/audit?*', (route) =>
    route.fulfill({ status: 400, json: { success: false, error: 'No.', code: 'invalid_parameter' } }),
  )
  await page.reload()
  await expect(page.getByText('The audit log could not be loaded', { exact: true })).toBeVisible()
  await page.unroute('**/api/audit?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('row', { name: /Free plan redeemed/ })).toBeVisible()
})
