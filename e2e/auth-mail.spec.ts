import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { readMail } from './mailbox.ts'
import { signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`
const told = (page: Page, text: string) => page.getByText(text, { exact: true }).first()
const email = (page: Page) => page.getByLabel('Associated email', { exact: true })

/** Asks for another address on the settings page; the dialog then waits for the codes. */
async function askFor(page: Page, next: string) {
  await page.goto('/dashboard/settings')
  await page.getByRole('button', { name: 'Change e-mail address' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change e-mail address' })
  await dialog.getByLabel('New e-mail address').fill(next)
  await dialog.getByRole('button', { name: 'Send codes' }).click()
  await expect(dialog.getByLabel(`Code sent to ${next}`)).toBeVisible()
  return dialog
}

/** Asks for a recovery mail on the page that the login page leads to. */
async function recover(page: Page, of: string) {
  await page.goto('/login')
  await page.getByRole('link', { name: 'Get a sign-in link by mail' }).click()
  await expect(page.getByRole('heading', { name: 'Recover access', level: 1 })).toBeVisible()
  await page.getByLabel('E-mail address').fill(of)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('status').filter({ hasText: `If ${of} belongs to an account` })).toBeVisible()
}

test('change of e-mail address: both addresses agree by code, and the session stays', async ({ page, baseURL }) => {
  const [old, next] = [address('old'), address('new')]
  await signIn(page, baseURL, old)
  const dialog = await askFor(page, next)
  const [oldMail, newMail] = [await readMail(baseURL, old), await readMail(baseURL, next)]
  expect([oldMail.subject, newMail.subject]).toEqual([
    'Confirm the change of your e-mail address',
    'Confirm your new e-mail address',
  ])
  await dialog.getByLabel(`Code sent to ${next}`).fill(newMail.code === '000000' ? '111111' : '000000')
  await dialog.getByRole('button', { name: 'Change address' }).click()
  await expect(dialog.getByText('Token has expired or is invalid', { exact: true })).toBeVisible()
  await dialog.getByLabel(`Code sent to ${old}`).fill(oldMail.code)
  await dialog.getByRole('button', { name: 'Change address' }).click()
  await expect(dialog.getByText(`${old} agreed.`, { exact: true })).toBeVisible()
  await expect(dialog.getByText('The other address has yet to agree: enter its code.', { exact: true })).toBeVisible()
  await expect(email(page)).toHaveValue(old)
  await dialog.getByLabel(`Code sent to ${next}`).fill(newMail.code)
  await dialog.getByRole('button', { name: 'Change address' }).click()
  await expect(told(page, 'E-mail address changed')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await expect(email(page)).toHaveValue(next)
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await expect(sessions.getByText('You are signed in nowhere else.')).toBeVisible()
  await page.reload()
  await expect(email(page)).toHaveValue(next)
})

test('change of e-mail address: both addresses agree by link', async ({ page, baseURL }) => {
  const [old, next] = [address('old'), address('new')]
  await signIn(page, baseURL, old)
  await askFor(page, next)
  await page.goto((await readMail(baseURL, old)).link)
  await expect(told(page, 'This address agreed')).toBeVisible()
  await expect(page.getByText(`Changes to ${next} once both addresses agree.`, { exact: true })).toBeVisible()
  const { link } = await readMail(baseURL, next)
  await page.goto(link)
  await expect(told(page, 'E-mail address changed')).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard\/settings$/)
  await expect(email(page)).toHaveValue(next)
  await expect(page.getByRole('region', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1)
  await page.goto(link)
  await expect(told(page, 'The link is invalid or has expired')).toBeVisible()
  await expect(email(page)).toHaveValue(next)
})

test('change of e-mail address: what is wrong is said in the dialog', async ({ page, browser, baseURL }) => {
  const [mine, theirs] = [address('mine'), address('theirs')]
  const other = await (await browser.newContext({ baseURL })).newPage()
  await signIn(other, baseURL, theirs)
  await other.context().close()
  await signIn(page, baseURL, mine)
  await page.goto('/dashboard/settings')
  await page.getByRole('button', { name: 'Change e-mail address' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change e-mail address' })
  for (const [typed, text] of [
    ['nothing', 'Enter an e-mail address.'],
    [mine, 'This is your address already.'],
    [theirs, 'A user with this email address has already been registered'],
  ] as const) {
    await dialog.getByLabel('New e-mail address').fill(typed)
    await dialog.getByRole('button', { name: 'Send codes' }).click()
    await expect(dialog.getByText(text, { exact: true })).toBeVisible()
  }
})

test('recovery: the mailed link signs in, once, and leads to the connected accounts', async ({
  page,
  browser,
  baseURL,
}) => {
  const mine = address('recover')
  await signIn(page, baseURL, mine)
  await page.goto('/auth/logout')
  await expect(page).toHaveURL(`${baseURL}/`)
  await recover(page, mine)
  const { subject, link } = await readMail(baseURL, mine)
  expect(subject).toBe('Recover your account')
  await page.goto(link)
  await expect(page).toHaveURL(/\/dashboard\/settings$/)
  await expect(told(page, 'You are signed in')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Connected accounts' })).toBeVisible()
  await expect(email(page)).toHaveValue(mine)
  const again = await fetch(link, { redirect: 'manual' })
  expect(again.headers.get('location')).toContain('error_code=otp_expired')
  const other = await (await browser.newContext({ baseURL })).newPage()
  await other.goto(link)
  await expect(other).toHaveURL(/\/login\?error=auth_failed$/)
  expect(await other.evaluate(() => localStorage.getItem('supabase.auth.token'))).toBeNull()
  await other.context().close()
})

test('a confirmed address: the mailed link leads to the login page, which says so in its own words', async ({
  page,
  baseURL,
}) => {
  const mine = address('confirm')
  const body = JSON.stringify({ email: mine, password: 'correct horse' })
  await fetch(`${baseURL}/auth/v1/signup`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  await page.goto((await readMail(baseURL, mine)).link)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect(told(page, 'Your address is confirmed')).toBeVisible()
  await page.goto('/#message=Call%20555')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByText('Call 555')).toHaveCount(0)
})

test('recovery: without an answer it says so in words', async ({ page }) => {
  await page.route('**/auth/v1/recover*', (route) => route.abort())
  await page.goto('/auth/recover')
  await page.getByLabel('E-mail address').fill(address('offline'))
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByText('The mail could not be sent.', { exact: true })).toBeVisible()
})

test('recovery: the mailed code signs in, a wrong one does not, and nobody learns who is registered', async ({
  page,
  baseURL,
}) => {
  const mine = address('recover')
  await signIn(page, baseURL, mine)
  await page.goto('/auth/logout')
  await expect(page).toHaveURL(`${baseURL}/`)
  await recover(page, address('nobody'))
  await page.getByRole('button', { name: 'Use another address' }).click()
  await page.getByLabel('E-mail address').fill(mine)
  await page.getByRole('button', { name: 'Send link' }).click()
  const { code } = await readMail(baseURL, mine)
  await page.getByLabel('Code').fill(code === '000000' ? '111111' : '000000')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByText('Token has expired or is invalid', { exact: true })).toBeVisible()
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page).toHaveURL(/\/dashboard\/settings$/)
  await expect(told(page, 'You are signed in')).toBeVisible()
  // The way in by the provider is the same person's.
  await page.goto('/auth/logout')
  await expect(page).toHaveURL(`${baseURL}/`)
  await signIn(page, baseURL, mine)
  await page.goto('/dashboard/settings')
  await expect(email(page)).toHaveValue(mine)
})
