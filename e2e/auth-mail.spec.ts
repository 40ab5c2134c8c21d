import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { readMail } from './mailbox.ts'
import { signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`
const message = (page: Page, text: string) => page.getByText(text, { exact: true }).first()
const email = (page: Page) => page.getByLabel('Associated email', { exact: true })

/** Requests an email change on the settings page; the dialog then waits for the codes. */
async function askFor(page: Page, next: string) {
  await page.goto('/dashboard/settings')
  await page.getByRole('button', { name: 'Change email address' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change email address' })
  await dialog.getByLabel('New email address').fill(next)
  await dialog.getByRole('button', { name: 'Send codes' }).click()
  await expect(dialog.getByLabel(`Code sent to ${next}`)).toBeVisible()
  return dialog
}

/** Requests a recovery email, starting at the login page. */
async function recover(page: Page, of: string) {
  await page.goto('/login')
  await page.getByRole('link', { name: 'Email me a sign-in link' }).click()
  await expect(page.getByRole('heading', { name: 'Recover access', level: 1 })).toBeVisible()
  await page.getByLabel('Email address').fill(of)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('status').filter({ hasText: `If ${of} belongs to an account` })).toBeVisible()
}

test('email change: both addresses confirm by code, and the session stays', async ({ page, baseURL }) => {
  const [old, next] = [address('old'), address('new')]
  await signIn(page, baseURL, old)
  const dialog = await askFor(page, next)
  const [oldMail, newMail] = [await readMail(baseURL, old), await readMail(baseURL, next)]
  expect([oldMail.subject, newMail.subject]).toEqual([
    'Confirm the change of your email address',
    'Confirm your new email address',
  ])
  await dialog.getByLabel(`Code sent to ${next}`).fill(newMail.code === '000000' ? '111111' : '000000')
  await dialog.getByRole('button', { name: 'Change address' }).click()
  await expect(dialog.getByText('Token has expired or is invalid', { exact: true })).toBeVisible()
  await dialog.getByLabel(`Code sent to ${old}`).fill(oldMail.code)
  await dialog.getByRole('button', { name: 'Change address' }).click()
  await expect(dialog.getByText(`${old} is confirmed.`, { exact: true })).toBeVisible()
  await expect(dialog.getByText('Now enter the code for the other address.', { exact: true })).toBeVisible()
  await expect(email(page)).toHaveValue(old)
  await dialog.getByLabel(`Code sent to ${next}`).fill(newMail.code)
  await dialog.getByRole('button', { name: 'Change address' }).click()
  await expect(message(page, 'Email address changed')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await expect(email(page)).toHaveValue(next)
  await page.goto('/dashboard/settings/security')
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await expect(sessions.getByText('You are not signed in anywhere else.')).toBeVisible()
  await page.goto('/dashboard/settings')
  await expect(email(page)).toHaveValue(next)
})

test('email change: both addresses confirm by link', async ({ page, baseURL }) => {
  const [old, next] = [address('old'), address('new')]
  await signIn(page, baseURL, old)
  await askFor(page, next)
  await page.goto((await readMail(baseURL, old)).link)
  await expect(message(page, 'This address is confirmed')).toBeVisible()
  await expect(page.getByText(`Changes to ${next} once both addresses are confirmed.`, { exact: true })).toBeVisible()
  const { link } = await readMail(baseURL, next)
  await page.goto(link)
  await expect(message(page, 'Email address changed')).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard\/settings$/)
  await expect(email(page)).toHaveValue(next)
  await page.goto('/dashboard/settings/security')
  await expect(page.getByRole('region', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1)
  await page.goto(link)
  await expect(message(page, 'The link is invalid or has expired')).toBeVisible()
  await expect(email(page)).toHaveValue(next)
})

test('email change: errors appear in the dialog', async ({ page, browser, baseURL }) => {
  const [mine, theirs] = [address('mine'), address('theirs')]
  const other = await (await browser.newContext({ baseURL })).newPage()
  await signIn(other, baseURL, theirs)
  await other.context().close()
  await signIn(page, baseURL, mine, '/dashboard/settings')
  await page.getByRole('button', { name: 'Change email address' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change email address' })
  for (const [typed, text] of [
    ['nothing', 'Enter an email address.'],
    [mine, 'This is already your address.'],
    [theirs, 'A user with this email address has already been registered'],
  ] as const) {
    await dialog.getByLabel('New email address').fill(typed)
    await dialog.getByRole('button', { name: 'Send codes' }).click()
    await expect(dialog.getByText(text, { exact: true })).toBeVisible()
  }
})

test('recovery: the emailed link signs in, once, and leads to the connected accounts', async ({
  page,
  browser,
  baseURL,
}) => {
  const mine = address('recover')
  await signIn(page, baseURL, mine, '/auth/logout')
  await expect(page).toHaveURL(`${baseURL}/`)
  await recover(page, mine)
  const { subject, link } = await readMail(baseURL, mine)
  expect(subject).toBe('Recover your account')
  await page.goto(link)
  await expect(page).toHaveURL(/\/dashboard\/settings\/security$/)
  await expect(message(page, 'You are signed in')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Connected accounts' })).toBeVisible()
  await page.goto('/dashboard/settings')
  await expect(email(page)).toHaveValue(mine)
  const again = await fetch(link, { redirect: 'manual' })
  expect(again.headers.get('location')).toContain('error_code=otp_expired')
  const other = await (await browser.newContext({ baseURL })).newPage()
  await other.goto(link)
  await expect(other).toHaveURL(/\/login\?error=auth_failed$/)
  expect(await other.evaluate(() => localStorage.getItem('supabase.auth.token'))).toBeNull()
  await other.context().close()
})

test('a confirmed address: the emailed link leads to the login page, which shows its own text', async ({
  page,
  baseURL,
}) => {
  const mine = address('confirm')
  const body = JSON.stringify({ email: mine })
  await fetch(`${baseURL}/auth/v1/otp`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  await page.goto((await readMail(baseURL, mine)).link)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect(message(page, 'Your address is confirmed')).toBeVisible()
  await page.goto('/#message=Call%20555')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByText('Call 555')).toHaveCount(0)
})

test('recovery: a failed request shows an error', async ({ page }) => {
  await page.route('**/auth/v1/recover*', (route) => route.abort())
  await page.goto('/auth/recover')
  await page.getByLabel('Email address').fill(address('offline'))
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByText('The email could not be sent.', { exact: true })).toBeVisible()
})

test('recovery: the emailed code signs in, a wrong one does not, and neither reveals who is registered', async ({
  page,
  baseURL,
}) => {
  const mine = address('recover')
  await signIn(page, baseURL, mine, '/auth/logout')
  await expect(page).toHaveURL(`${baseURL}/`)
  await recover(page, address('nobody'))
  await page.getByRole('button', { name: 'Use another address' }).click()
  await page.getByLabel('Email address').fill(mine)
  await page.getByRole('button', { name: 'Send link' }).click()
  const { code } = await readMail(baseURL, mine)
  await page.getByLabel('Code').fill(code === '000000' ? '111111' : '000000')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Token has expired or is invalid', { exact: true })).toBeVisible()
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/dashboard\/settings\/security$/)
  await expect(message(page, 'You are signed in')).toBeVisible()
  // Signing in with the provider reaches the same user.
  await page.goto('/auth/logout')
  await expect(page).toHaveURL(`${baseURL}/`)
  await signIn(page, baseURL, mine, '/dashboard/settings')
  await expect(email(page)).toHaveValue(mine)
})
