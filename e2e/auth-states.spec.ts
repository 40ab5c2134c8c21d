import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { expectAccessible, expectAccessibleAtEachWidth, picture } from './axe.ts'
import { test } from './fixtures.ts'
import { readMail } from './mailbox.ts'
import { settled } from './settled.ts'
import { continueAs, signInByScreens } from './sign-in.ts'

const address = () => `look-${randomUUID().slice(0, 8)}@example.com`

async function look(page: Page, name: string): Promise<void> {
  await settled(page)
  await expectAccessibleAtEachWidth(page, name)
}

/** Requests a recovery email. */
async function recover(page: Page, email: string): Promise<void> {
  await page.goto('/auth/recover')
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'an email is on its way' })).toBeVisible()
}

test('signing in: every state of its pages, at each width', async ({ page, baseURL }) => {
  test.setTimeout(600_000)
  for (const error of ['auth_failed', 'no_session', 'callback_failed']) {
    await page.goto(`/login?error=${error}`)
    await expect(page.getByRole('alert').filter({ hasText: 'Please try again.' })).toBeVisible()
    await look(page, `login-${error}`)
  }
  await page.goto('/auth/recover')
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByText('Enter an email address.', { exact: true })).toBeVisible()
  await look(page, 'recover-wrong')
  const email = address()
  await signInByScreens(page, baseURL, email)
  await page.goto('/auth/logout')
  await expect(page).toHaveURL(`${baseURL}/`)
  await recover(page, email)
  await look(page, 'recover-sent')
  await readMail(baseURL, email)
  await page.goto('/sandbox/mail/?to=nobody@example.com')
  await look(page, 'mailbox-empty')
  await page.goto('/sandbox/mail/')
  await look(page, 'mailbox')
  await page.getByRole('link', { name: 'Recover your account' }).first().click()
  await expect(page.getByRole('heading', { name: 'Recover your account', level: 1 })).toBeVisible()
  await picture(page, 'mail')
  // axe cannot run in a frame without scripts; its content is checked separately below.
  await page.locator('iframe').evaluate((frame) => frame.remove())
  await expectAccessibleAtEachWidth(page, 'mail')
})

test('the security of an account: every state, at each width', async ({ page, browser, baseURL, clock }) => {
  test.setTimeout(600_000)
  const email = address()
  await signInByScreens(page, baseURL, email)
  await page.goto('/dashboard/settings/security')
  await expect(page.getByRole('button', { name: 'Add authenticator app' })).toBeVisible()
  await expect(page.getByText('You are not signed in anywhere else.')).toBeVisible()
  await look(page, 'settings-empty')

  await page.goto('/dashboard/settings')

  await page.getByRole('button', { name: 'Change email address' }).click()
  const change = page.getByRole('dialog', { name: 'Change email address' })
  await look(page, 'email-ask')
  await change.getByLabel('New email address').fill(address())
  await change.getByRole('button', { name: 'Send codes' }).click()
  await expect(change.getByLabel(`Code sent to ${email}`)).toBeVisible()
  await change.getByLabel(`Code sent to ${email}`).fill((await readMail(baseURL, email)).code)
  await change.getByRole('button', { name: 'Change address' }).click()
  await expect(change.getByText(`${email} is confirmed.`)).toBeVisible()
  await look(page, 'email-codes')
  await change.getByRole('button', { name: 'Cancel' }).click()
  await look(page, 'settings-email-pending')

  await page.goto('/dashboard/settings/security')

  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add authenticator app' })
  await look(page, 'enroll-name')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const secret = (await dialog.locator('code').textContent()) ?? ''
  await dialog.getByLabel('Code').fill('00000')
  await dialog.getByRole('button', { name: 'Verify' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Enter the 6-digit code.')
  await look(page, 'enrolling')
  await dialog.getByLabel('Code').fill(new TOTP({ secret }).generate({ timestamp: await clock.now() }))
  await dialog.getByRole('button', { name: 'Verify' }).click()
  const factors = page.getByRole('region', { name: 'Two-factor authentication' })
  await expect(factors.getByText('On', { exact: true })).toBeVisible()
  await look(page, 'settings-enrolled')
  await factors.getByRole('button', { name: 'Remove Authenticator app' }).click()
  await expect(page.getByRole('dialog', { name: 'Confirm that it is you' })).toBeVisible()
  await look(page, 'prove')

  const other = await (await browser.newContext({ baseURL })).newPage()
  await other.goto('/login')
  await continueAs(other, email)
  await expect(other.getByRole('heading', { name: 'Two-factor authentication', level: 1 })).toBeVisible()
  await look(other, 'second-factor')
  await other.getByLabel('Code').fill('000000')
  await other.getByRole('button', { name: 'Verify' }).click()
  await expect(other.getByRole('alert').filter({ hasText: 'Invalid TOTP code entered' })).toBeVisible()
  await look(other, 'second-factor-wrong')
  await other.context().close()
})
test('emails are readable at the width of a phone and of a mail client', async ({ page, baseURL }) => {
  const [email, next] = [address(), address()]
  const post = (path: string, body: object) =>
    fetch(`${baseURL}/auth/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/otp', { email: next })
  await signInByScreens(page, baseURL, email)
  await post('/recover', { email })
  await readMail(baseURL, email)
  await post('/otp', { email })
  await readMail(baseURL, email, 2)
  const mails = await Promise.all([readMail(baseURL, email, 2), readMail(baseURL, next)])
  const all: { messages: { subject: string; html: string }[] } = await (
    await fetch(`${baseURL}/sandbox/mail/messages?to=${email}`)
  ).json()
  for (const mail of [...all.messages, mails[1]]) {
    for (const width of [360, 600]) {
      await page.setViewportSize({ width, height: 800 })
      await page.setContent(mail.html)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      // Mail clients provide the landmarks.
      await expectAccessible(page, mail.subject, ['landmark-one-main', 'region'])
    }
  }
})
