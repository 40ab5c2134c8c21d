import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { test } from './fixtures.ts'
import { continueAs, signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`
const form = (values: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(values) })

/** Asks for a code as a program would. */
async function begin(baseURL: string) {
  const answer = await fetch(
    `${baseURL}/oauth/device_authorization`,
    form({ client_id: 'finmeter-cli', scope: 'data:read keys:write' }),
  )
  return (await answer.json()) as { device_code: string; user_code: string; verification_uri_complete: string }
}
async function poll(baseURL: string, device_code: string) {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const answer = await fetch(`${baseURL}/oauth/token`, form({ grant_type, device_code, client_id: 'finmeter-cli' }))
  return (await answer.json()) as { error?: string; access_token?: string }
}

test('a person follows the link, logs in, compares the code, and allows', async ({ page, baseURL }) => {
  const { device_code, user_code, verification_uri_complete } = await begin(baseURL)
  await page.goto(verification_uri_complete)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await continueAs(page, address('device'))
  await expect(page.getByRole('heading', { name: 'Connect a program' })).toBeVisible()
  await expect(page.getByLabel('Code', { exact: true })).toHaveValue(user_code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Connect Finmeter command line?' })).toBeFocused()
  await expect(page.getByText('from the IP address 127.0.0.1')).toBeVisible()
  await expect(page.getByText('Create and delete API keys of this workspace')).toBeVisible()
  await page.getByLabel('Credits per month').fill('5')
  await expect(page.getByText('Create and delete API keys of this workspace')).toBeHidden()
  await page.getByLabel('Credits per month').fill('')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('heading', { name: 'Connected' })).toBeFocused()
  expect((await poll(baseURL, device_code)).access_token).toMatch(/^fmat_/)
})

test('a typed code: nothing, a wrong one, then a right one, which is denied', async ({ page, baseURL }) => {
  const { device_code, user_code } = await begin(baseURL)
  const email = address('types')
  await signIn(page, baseURL, email, '/device')
  await expect(page.getByText(`It gets access to the account ${email}.`)).toBeVisible()
  await expect(page.getByText(`npx finmeter login --url ${baseURL}`)).toBeVisible()
  const code = page.getByLabel('Code', { exact: true })
  const go = page.getByRole('button', { name: 'Continue' })
  await go.click()
  await expect(page.getByText('Enter the code.', { exact: true })).toBeVisible()
  await code.fill('bbbb bbbb')
  await go.click()
  await expect(page.getByText('No program is waiting with this code. Check the letters.')).toBeVisible()
  await code.fill(user_code.toLowerCase().replace('-', ''))
  await go.click()
  await page.getByRole('button', { name: 'Deny' }).click()
  await expect(page.getByRole('heading', { name: 'Not connected' })).toBeVisible()
  expect((await poll(baseURL, device_code)).error).toBe('access_denied')
  await page.goto(`/device?code=${user_code}`)
  await go.click()
  await expect(page.getByText('This code was already used. Start again from the program.')).toBeVisible()
})
