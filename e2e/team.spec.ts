import { randomUUID } from 'node:crypto'
import { type Browser, expect, type Page } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { continueAs, signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`

/** The link in the newest email to an address. */
async function linkIn(page: Page, baseURL: string, email: string): Promise<string> {
  let link: string | undefined
  await expect(async () => {
    const answer = await page.request.get(`${baseURL}/sandbox/mail/messages?to=${encodeURIComponent(email)}`)
    link = /http\S+\/invitation#[\w.-]+/.exec(await answer.text())?.[0]
    expect(link).toBeTruthy()
  }).toPass()
  return link!
}

async function newPerson(browser: Browser, baseURL: string, email: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } })).newPage()
  await signIn(page, baseURL, email)
  return page
}

/** Invites, accepts in another browser context, and returns its page. */
async function join(owner: Page, browser: Browser, baseURL: string, email: string): Promise<Page> {
  await owner.goto(`${baseURL}/dashboard/settings/team`)
  await owner.getByLabel('Email address').fill(email)
  await owner.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(owner.getByText(`Invitation sent to ${email}`, { exact: true }).first()).toBeVisible()
  const link = await linkIn(owner, baseURL, email)
  const guest = await (await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } })).newPage()
  await guest.goto(link)
  await guest.getByRole('link', { name: 'Log in to accept' }).click()
  await continueAs(guest, email)
  await guest.getByRole('button', { name: 'Accept invitation' }).click()
  await expect(guest.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  return guest
}

test('a new workspace shows its Owner, the invite box and the empty state', async ({ page, baseURL }) => {
  const email = address('solo')
  await signIn(page, baseURL, email)
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Team' }).click()
  await expect(page.getByRole('heading', { name: 'Team Management', level: 1 })).toBeVisible()
  const owner = page.getByRole('listitem').filter({ hasText: email })
  await expect(owner.getByText('Owner', { exact: true })).toBeVisible()
  await expect(owner).toContainText(/Last seen \w{3} \d{1,2}, 20\d\d/)
  await expect(page.getByText('The owner can do everything.')).toBeVisible()
  await expect(
    page.getByText('No team members yet. Invite your first team member to get started.', { exact: true }),
  ).toBeVisible()
  await expect(page.getByRole('button', { name: 'Invite', exact: true })).toBeDisabled()
})

test('a refused invitation shows the reason and keeps the input', async ({ page, baseURL }) => {
  const email = address('refused')
  await signIn(page, baseURL, email, '/dashboard/settings/team')
  const box = page.getByLabel('Email address')
  await box.fill('not an address')
  await box.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'must be an email address' })).toBeVisible()
  await expect(box).toHaveValue('not an address')
  await box.press('End')
  await page.keyboard.type('!')
  await expect(page.getByRole('alert').filter({ hasText: 'must be an email address' })).toHaveCount(0)
  await box.fill(email)
  await box.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'is a member of this workspace already.' })).toBeVisible()
})

test('invite, accept, switch, change the role, remove', async ({ page, browser, baseURL }) => {
  test.slow()
  const [host, guest] = [address('host'), address('guest')]
  await signIn(page, baseURL, host)
  const other = await join(page, browser, baseURL, guest)
  const sidebar = other.getByRole('complementary')

  // The joined workspace is selected; its key names are visible, but keys cannot be created.
  await expect(sidebar.getByRole('button', { name: /’s workspace\. Switch$/ })).toBeVisible()
  await other.goto('/dashboard/settings/team')
  await expect(other.getByRole('button', { name: 'Invite', exact: true })).toHaveCount(0)
  await expect(other.getByText(/Last seen/)).toHaveCount(0)
  await expect(other.getByRole('button', { name: /^Remove/ })).toHaveCount(0)
  // Actions that members may not take are not offered anywhere.
  await other.goto('/dashboard/api-keys/new')
  await expect(
    other.getByText('Only owners and admins can create keys in this workspace.', { exact: true }),
  ).toBeVisible()
  await expect(other.getByLabel('Key Name')).toHaveCount(0)
  await other.keyboard.press('Control+k')
  await other.getByRole('combobox').fill('API Key')
  await expect(other.getByRole('option', { name: 'API Keys' })).toBeVisible()
  await expect(other.getByRole('option', { name: 'Create API Key' })).toHaveCount(0)
  await other.keyboard.press('Escape')
  await other.goto('/dashboard/settings/audit-log')
  await expect(
    other.getByText('Only owners and admins of this workspace can read its audit log.', { exact: true }),
  ).toBeVisible()
  await expect(other.getByLabel('Show')).toHaveCount(0)
  await other.goto('/dashboard/api-keys')
  await expect(
    other.getByText('Only owners and admins can create keys in this workspace.', { exact: true }),
  ).toBeVisible()
  await expect(other.getByRole('link', { name: 'Create API Key' })).toHaveCount(0)
  await other.goto('/dashboard/billing')
  await expect(
    other.getByText('Only owners and admins can choose the plan and buy credits.', { exact: true }),
  ).toBeVisible()
  for (const name of [/^Redeem free plan/, /^Choose Plan/, 'Buy credits', 'Manage Billing'])
    await expect(other.getByRole('button', { name })).toHaveCount(0)

  // To their own workspace and back: the choice survives a reload.
  await sidebar.getByRole('button', { name: /Switch$/ }).click()
  // The list is cached: nothing waits for a refetch.
  await other.route('**/api/workspaces', () => undefined)
  await other.getByRole('menuitemradio', { name: 'Personal' }).click()
  await expect(sidebar.getByRole('button', { name: 'Workspace: Personal. Switch' })).toBeVisible()
  await other.unroute('**/api/workspaces')
  await other.reload()
  await expect(sidebar.getByRole('button', { name: 'Workspace: Personal. Switch' })).toBeVisible()
  await sidebar.getByRole('button', { name: /Switch$/ }).click()
  await other.getByRole('menuitemradio', { name: /’s workspace$/ }).click()
  await other.goto('/dashboard/settings/team')

  // As an admin they may invite.
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: guest })
  await row.getByRole('combobox').selectOption('admin')
  await expect(page.getByText('Role changed', { exact: true }).first()).toBeVisible()
  await other.reload()
  await expect(other.getByRole('button', { name: 'Invite', exact: true })).toBeVisible()

  // Removed while the page is open: their own workspace is selected.
  await row.getByRole('button', { name: /^Remove/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(row).toHaveCount(0)
  await other.reload()
  await expect(other.getByText('You are no longer a member of that workspace').first()).toBeVisible()
  await expect(sidebar.getByText('Personal', { exact: true })).toBeVisible()
  await expect(other.getByText('No team members yet.', { exact: false })).toBeVisible()
})

test('a member sees no plan offer on Overview, and a tool server URL without a key', async ({
  page,
  browser,
  baseURL,
}) => {
  await signIn(page, baseURL, address('host'))
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByRole('link', { name: 'Upgrade Plan' })).toBeVisible()
  const other = await join(page, browser, baseURL, address('guest'))
  await other.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await other.goto('/dashboard')
  await expect(other.getByText('Free Credits', { exact: true })).toBeVisible()
  const start = other.getByRole('region', { name: 'Get started' })
  await expect(start.getByText('Only owners and admins see keys here.')).toBeVisible()
  await expect(start.getByRole('button', { name: 'Run', exact: true })).toBeDisabled()
  await expect(
    other.getByText('Owners and admins see the full key when it is created. Replace YOUR_API_KEY with it.'),
  ).toBeVisible()
  await expect(other.getByRole('link', { name: 'Upgrade Plan' })).toHaveCount(0)
  await other.getByRole('button', { name: 'Generate & copy URL' }).click()
  await expect(other.getByText('MCP URL copied without a key', { exact: true }).first()).toBeVisible()
  expect(await other.evaluate(() => navigator.clipboard.readText())).toBe(`${baseURL}/mcp?apikey=YOUR_API_KEY`)
})

test('a pending invitation is resent, then revoked; its link says so', async ({ page, browser, baseURL, clock }) => {
  test.slow()
  await signIn(page, baseURL, address('revoker'))
  const guest = address('revoked')
  await page.goto('/dashboard/settings/team')
  await page.getByLabel('Email address').fill(guest)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const row = page.getByRole('listitem').filter({ hasText: guest })
  await expect(row.getByText(/Member · Expires/)).toBeVisible()
  // Before its email is waited for, which may take the minute.
  await row.getByRole('button', { name: /^Resend/ }).click()
  await expect(
    page.getByText('This invitation was sent less than a minute ago. Wait a minute.', { exact: true }).first(),
  ).toBeVisible()
  const first = await linkIn(page, baseURL, guest)
  await clock.move('8 days')
  await page.reload()
  await expect(row.getByText(/^Member · Expired \w+ \d+, \d{4}$/)).toBeVisible()
  await row.getByRole('button', { name: /^Resend/ }).click()
  await expect(row.getByText(/^Member · Expires \w+ \d+, \d{4}$/)).toBeVisible()
  await expect(page.getByText(`Invitation sent again to ${guest}`, { exact: true }).first()).toBeVisible()
  let link = first
  await expect(async () => {
    link = await linkIn(page, baseURL, guest)
    expect(link).not.toBe(first)
  }).toPass()
  await row.getByRole('button', { name: /^Revoke/ }).click()
  await expect(page.getByText('Invitation revoked', { exact: true }).first()).toBeVisible()
  await expect(row).toHaveCount(0)
  const visitor = await (await browser.newContext()).newPage()
  await visitor.goto(link)
  await expect(visitor.getByText('This invitation is no longer valid', { exact: true })).toBeVisible()
  expect(new URL(visitor.url()).hash).toBe('')
})

test('a person signed in with another address cannot accept', async ({ page, browser, baseURL }) => {
  await signIn(page, baseURL, address('sender'))
  const guest = address('meant')
  await page.goto('/dashboard/settings/team')
  await page.getByLabel('Email address').fill(guest)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = await linkIn(page, baseURL, guest)
  const wrong = address('wrong')
  const other = await newPerson(browser, baseURL, wrong)
  await other.goto(link)
  await expect(other.getByText(`You are signed in as ${wrong}.`, { exact: false })).toBeVisible()
  await expect(other.getByRole('button', { name: 'Accept invitation' })).toHaveCount(0)
})

test('the next user of the browser finds nothing of the previous user’s workspace', async ({
  page,
  browser,
  baseURL,
}) => {
  test.slow()
  await signIn(page, baseURL, address('lender'))
  const [first, next] = [address('first'), address('next')]
  const tab = await join(page, browser, baseURL, first)
  const secondTab = await tab.context().newPage()
  await secondTab.goto('/dashboard/billing')
  await expect(secondTab.getByRole('button', { name: /’s workspace\. Switch$/ })).toBeVisible()
  await page.getByLabel('Email address').fill(next)
  await page.getByLabel('Role', { exact: true }).selectOption('admin')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(page.getByText(`Invitation sent to ${next}`, { exact: true }).first()).toBeVisible()
  await expect(page.getByLabel('Role', { exact: true })).toHaveValue('member')
  await expect(page.getByLabel('Email address')).toBeFocused()

  // Another user's invitation is opened in the same browser; logging out stays on it.
  await tab.goto(await linkIn(page, baseURL, next))
  await tab.getByRole('button', { name: 'Use another account' }).click()
  await expect(tab.getByRole('link', { name: 'Log in to accept' })).toBeVisible()
  await expect(secondTab).toHaveURL(/\/login$/)
  const lost: string[] = []
  for (const one of [tab, secondTab])
    one.on('response', (answer) => answer.status() === 404 && lost.push(new URL(answer.url()).pathname))
  await signIn(secondTab, baseURL, next)
  await expect(secondTab.getByRole('complementary').getByText('Personal', { exact: true })).toBeVisible()
  await expect(secondTab.getByText('You are no longer a member of that workspace')).toHaveCount(0)
  expect(lost).toEqual([])
  await tab.getByRole('button', { name: 'Accept invitation' }).click()
  await expect(tab.getByText(/^You joined /).first()).toBeVisible()
})

test('leave, and transfer ownership', async ({ page, browser, baseURL }) => {
  test.slow()
  const [host, first, second] = [address('from'), address('stays'), address('leaves')]
  await signIn(page, baseURL, host)
  const heir = await join(page, browser, baseURL, first)
  const leaver = await join(page, browser, baseURL, second)

  await leaver.goto('/dashboard/settings/team')
  await leaver.getByRole('button', { name: 'Leave workspace' }).click()
  await leaver.getByRole('alertdialog').getByRole('button', { name: 'Leave workspace' }).click()
  await expect(leaver.getByText('You left the workspace', { exact: true }).first()).toBeVisible()
  await expect(leaver.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await expect(leaver.getByRole('complementary').getByText('Personal', { exact: true })).toBeVisible()

  await page.goto('/dashboard/settings/team')
  await expect(page.getByRole('listitem').filter({ hasText: second })).toHaveCount(0)
  await page.getByRole('button', { name: 'Transfer ownership' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Transfer ownership' }).click()
  await expect(page.getByText('Ownership transferred', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: first }).getByText('Owner', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Workspace: .*Switch$/ })).toBeVisible()
  await heir.goto('/dashboard/settings/team')
  await expect(heir.getByRole('button', { name: 'Transfer ownership' })).toBeVisible()
})

test('after a removal, the owner is offered the keys that the person has seen', async ({ page, browser, baseURL }) => {
  test.slow()
  const [host, guest] = [address('keeper'), address('seer')]
  await signIn(page, baseURL, host)
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
  const other = await join(page, browser, baseURL, guest)
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: guest })
  await row.getByRole('combobox').selectOption('admin')
  await expect(page.getByText('Role changed', { exact: true }).first()).toBeVisible()
  await other.goto('/dashboard/api-keys')
  await expect(other.getByRole('link', { name: 'Default' })).toBeVisible()

  await row.getByRole('button', { name: /^Remove/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
  const notice = page.getByRole('status', { name: 'Rotate keys they have seen' })
  await expect(notice).toContainText(
    /Seer.* has seen the value of this API key\. It works for them until you rotate it and the old value is revoked\./,
  )
  await settled(page)
  await expectAccessibleAtEachWidth(page, 'the keys that a removed person has seen')

  // It is still there after a visit to the key, which is rotated there.
  await notice.getByRole('link', { name: 'Default' }).click()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate', exact: true }).click()
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await page.goBack()
  await notice.getByRole('button', { name: 'Dismiss' }).click()
  await expect(notice).toHaveCount(0)
})

test('a team that cannot be loaded says so and loads on Try again', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('failing'))
  await page.route('**/api/team', (route) =>
    route.fulfill({
      status: 500,
      json: { success: false, error: 'Something went wrong on our side.', code: 'internal_error' },
    }),
  )
  await page.goto('/dashboard/settings/team')
  await expect(page.getByText('The team could not be loaded', { exact: true })).toBeVisible()
  await page.unroute('**/api/team')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Owner', { exact: true })).toBeVisible()
})
