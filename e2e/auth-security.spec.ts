import { expect, type Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { expectAccessibleAtEachWidth, picture } from './axe.ts'
import { type Clock, test } from './fixtures.ts'
import { readMail } from './mailbox.ts'
import { continueAs, signInByScreens } from './sign-in.ts'

/** The current code by the server's clock. */
const codeOf = async (secret: string, clock: Clock) =>
  new TOTP({ secret, digits: 6, period: 30, algorithm: 'SHA1' }).generate({ timestamp: await clock.now() })

const region = (page: Page, name: string) => page.getByRole('region', { name })

/** Adds an authenticator app on the settings page and returns its key and the code used. */
async function enroll(page: Page, clock: Clock): Promise<{ secret: string; enrolledWith: string }> {
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add authenticator app' })
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const code = dialog.getByRole('img')
  await expect(code).toBeVisible()
  // The QR code renders.
  expect(
    await code.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(20)
  const secret = (await dialog.locator('code').textContent()) ?? ''
  await picture(page, 'enroll')
  await dialog.getByLabel('Code').fill('000000')
  await dialog.getByRole('button', { name: 'Verify' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Invalid TOTP code entered')
  const enrolledWith = await codeOf(secret, clock)
  await dialog.getByLabel('Code').fill(enrolledWith)
  await dialog.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('Two-factor authentication is on', { exact: true }).first()).toBeVisible()
  return { secret, enrolledWith }
}

test('two-factor authentication: enroll, challenge at the next sign-in, wrong and replayed code, remove', async ({
  page,
  browser,
  baseURL,
  clock,
}) => {
  await signInByScreens(page, baseURL, 'factor@example.com')
  await page.goto('/dashboard/settings/security')
  const factors = region(page, 'Two-factor authentication')
  await expect(factors.getByText('Off', { exact: true })).toBeVisible()
  const { secret, enrolledWith } = await enroll(page, clock)
  await expect(factors.getByText('On', { exact: true })).toBeVisible()

  const other = await (await browser.newContext({ baseURL })).newPage()
  await other.goto('/login')
  await continueAs(other, 'factor@example.com')
  await expect(other.getByRole('heading', { name: 'Two-factor authentication', level: 1 })).toBeVisible()
  await picture(other, 'challenge')
  // Every dashboard page asks for the code first, and so does the server.
  await other.goto('/dashboard/api-keys')
  await expect(other.getByRole('heading', { name: 'Two-factor authentication', level: 1 })).toBeVisible()
  const refused = await other.evaluate(async () => {
    const { access_token } = JSON.parse(localStorage.getItem('supabase.auth.token') ?? '{}')
    const response = await fetch('/api/keys', { headers: { authorization: `Bearer ${access_token}` } })
    return [response.status, (await response.json()).code]
  })
  expect(refused).toEqual([403, 'second_factor_required'])
  // The code used for enrolling cannot be reused.
  await other.getByLabel('Code').fill(enrolledWith)
  await other.getByRole('button', { name: 'Verify' }).click()
  await expect(other.getByRole('alert').filter({ hasText: 'Invalid TOTP code entered' })).toBeVisible()
  await clock.move('30 seconds')
  await other.getByLabel('Code').fill(await codeOf(secret, clock))
  await other.getByRole('button', { name: 'Verify' }).click()
  await expect(other.getByRole('heading', { name: 'API Keys', level: 1 })).toBeVisible()
  await other.context().close()

  // Connecting an account asks for a current code. The session keeps its assurance level.
  const prove = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await region(page, 'Connected accounts').getByRole('button', { name: 'Connect Google' }).click()
  await clock.move('30 seconds')
  await prove.getByLabel('Code').fill(await codeOf(secret, clock))
  await prove.getByRole('button', { name: 'Verify' }).click()
  await page.getByPlaceholder('name@example.com').fill('factor-google@example.com')
  await page.getByRole('button', { name: 'Allow', exact: true }).last().click()
  await expect(page.getByText('Google connected', { exact: true }).first()).toBeVisible()
  const sessions = region(page, 'Sessions').getByRole('listitem')
  await expect(sessions.filter({ hasText: 'This session' })).toContainText('Two-factor')
  // This session and the other browser's; the one from connecting has ended.
  await expect(sessions).toHaveCount(2)

  // A change requires a new code.
  await page.reload()
  await region(page, 'Two-factor authentication').getByRole('button', { name: 'Remove Authenticator app' }).click()
  await expect(prove).toBeVisible()
  await picture(page, 'prove')
  await clock.move('30 seconds')
  await prove.getByLabel('Code').fill(await codeOf(secret, clock))
  await prove.getByRole('button', { name: 'Verify' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByText('Authenticator app removed', { exact: true }).first()).toBeVisible()
  await expect(region(page, 'Two-factor authentication').getByText('Off', { exact: true })).toBeVisible()
})

test('an invitation and an application ask for the second factor, then continue', async ({
  page,
  browser,
  baseURL,
  clock,
}) => {
  const email = 'factor-invited@example.com'
  await signInByScreens(page, baseURL, email)
  await page.goto('/dashboard/settings/security')
  const { secret } = await enroll(page, clock)
  const host = await (await browser.newContext({ baseURL })).newPage()
  await signInByScreens(host, baseURL, 'factor-host@example.com')
  await host.goto('/dashboard/settings/team')
  await host.getByLabel('Email address').fill(email)
  await host.getByRole('button', { name: 'Invite', exact: true }).click()
  // Enrolling has sent an email too.
  const { text } = await readMail(baseURL, email, 1, 'Invitation to a Finmeter workspace')
  const link = /http\S+\/invitation#\S+/.exec(text)![0]

  const other = await (await browser.newContext({ baseURL })).newPage()
  await other.goto(link)
  await other.getByRole('link', { name: 'Log in to accept' }).click()
  await continueAs(other, email)
  const challenge = other.getByRole('heading', { name: 'Two-factor authentication', level: 1 })
  await expect(challenge).toBeVisible()
  await other.goto('/connect?request=00000000-0000-4000-8000-000000000000')
  await expect(challenge).toBeVisible()
  await other.goto(link)
  await clock.move('30 seconds')
  await other.getByLabel('Code').fill(await codeOf(secret, clock))
  await other.getByRole('button', { name: 'Verify' }).click()
  await other.getByRole('button', { name: 'Accept invitation' }).click()
  await expect(other.getByText(/^You joined /).first()).toBeVisible()
})

test('connected accounts: connect, sign in with the new one, disconnect, keep the last one', async ({
  page,
  baseURL,
}) => {
  await signInByScreens(page, baseURL, 'linker@example.com')
  await page.goto('/dashboard/settings/security')
  const accounts = region(page, 'Connected accounts')
  await expect(accounts.getByRole('button', { name: 'Disconnect GitHub' })).toBeDisabled()
  await expect(accounts.getByText('You need at least one account to sign in.')).toBeVisible()
  await accounts.getByRole('button', { name: 'Connect Google' }).click()
  await page.getByRole('button', { name: 'Deny' }).first().click()
  await expect(region(page, 'Connected accounts').getByRole('alert')).toHaveText(
    'The account could not be connected (Access was denied). Please try again.',
  )
  await picture(page, 'connect-denied')
  await region(page, 'Connected accounts').getByRole('button', { name: 'Connect Google' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click()
  await expect(page.getByText('Google connected', { exact: true }).first()).toBeVisible()
  await expect(region(page, 'Connected accounts').getByRole('button', { name: 'Disconnect Google' })).toBeEnabled()
  await expectAccessibleAtEachWidth(page, 'settings, connected')
  await region(page, 'Connected accounts').getByRole('button', { name: 'Disconnect Google' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect', exact: true }).click()
  await expect(page.getByText('Google disconnected', { exact: true }).first()).toBeVisible()
  await expect(region(page, 'Connected accounts').getByRole('button', { name: 'Connect Google' })).toBeVisible()
})

test('sessions: the list, signing out one, and all others', async ({ page, browser, baseURL }) => {
  await signInByScreens(page, baseURL, 'sessions@example.com')
  const context = await browser.newContext({ baseURL })
  const other = await context.newPage()
  for (let times = 0; times < 2; times++) {
    await context.clearCookies()
    await other.goto('/')
    await other.evaluate(() => localStorage.clear())
    await signInByScreens(other, baseURL, 'sessions@example.com')
  }
  await page.goto('/dashboard/settings/security')
  const sessions = region(page, 'Sessions')
  await expect(sessions.getByRole('listitem')).toHaveCount(3)
  await expect(sessions.getByText('This session', { exact: true })).toHaveCount(1)
  await picture(page, 'sessions')
  // The latest is the first of the others.
  await sessions.getByRole('button', { name: 'Sign out Chrome on Linux' }).first().click()
  await expect(page.getByText('Chrome on Linux is signed out', { exact: true }).first()).toBeVisible()
  await expect(sessions.getByRole('listitem')).toHaveCount(2)
  await expect(sessions.getByRole('button', { name: 'Sign out Chrome on Linux' })).toBeFocused()
  await other.goto('/dashboard/settings/security')
  await expect(other.getByText('Sign in to your account to continue')).toBeVisible()
  await signInByScreens(other, baseURL, 'sessions@example.com')
  await page.reload()
  await sessions.getByRole('button', { name: 'Sign out all other sessions' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out all other sessions' }).click()
  await expect(sessions.getByRole('listitem')).toHaveCount(1)
  await expect(sessions.getByText('You are not signed in anywhere else.')).toBeVisible()
  await other.goto('/dashboard/settings/security')
  await expect(other.getByText('Sign in to your account to continue')).toBeVisible()
  await context.close()
})
