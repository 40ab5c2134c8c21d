import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { registerClient } from './oauth-client.ts'
import { continueAs, signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`

/** Opens the authorization URL as a newly registered client would. */
async function openRequest(page: Page, baseURL: string): Promise<void> {
  const asked = await registerClient(baseURL, 'Desk', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
  await page.goto(`${baseURL}/oauth/authorize?${asked}`)
}

test('a member sees why they cannot allow; choosing another workspace keeps the typed limit', async ({
  page,
  baseURL,
}) => {
  await page.route('**/api/workspaces', async (route) => {
    const answer = await route.fetch()
    const { data } = await answer.json()
    const other = { ...data.workspaces[0], id: randomUUID(), name: 'Desk GmbH', personal: false, role: 'member' }
    await route.fulfill({ json: { success: true, data: { workspaces: [...data.workspaces, other] } } })
  })
  await page.route('**/api/oauth/requests/*', async (route) => {
    const headers = { ...route.request().headers() }
    delete headers['x-workspace-id']
    await route.continue({ headers })
  })
  await signIn(page, baseURL, address('chooser'))
  await openRequest(page, baseURL)
  const budget = page.getByLabel('Credits per month')
  const allow = page.getByRole('button', { name: 'Allow' })
  const choice = page.getByRole('combobox', { name: 'Workspace' })
  await budget.fill('1000000001')
  await expect(page.getByText('Enter at most 1,000,000,000 credits, or leave it blank.', { exact: true })).toBeVisible()
  await expect(allow).toBeDisabled()
  await budget.fill('50')
  await expect(allow).toBeEnabled()
  await choice.focus()
  await choice.selectOption('Desk GmbH')
  await expect(page.getByText('charged to the credits of Desk GmbH')).toBeVisible()
  await expect(
    page.getByText('Only owners and admins can connect applications to this workspace. Choose another workspace.', {
      exact: true,
    }),
  ).toBeVisible()
  await expect(allow).toBeDisabled()
  await expect(budget).toHaveValue('50')
  await expect(choice).toBeFocused()
  await choice.selectOption('Personal')
  await expect(allow).toBeEnabled()
  await expect(budget).toHaveValue('50')
})

test('after signing in, the page can be reloaded', async ({ page, baseURL }) => {
  await openRequest(page, baseURL)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await continueAs(page, address('reloads'))
  await expect(page.getByRole('heading', { name: 'Connect Desk?' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Connect Desk?' })).toBeVisible()
})

test('an app that is not registered is not sent an answer: the person reads why', async ({ page, baseURL }) => {
  const asked = new URLSearchParams({
    client_id: 'nobody',
    redirect_uri: 'https://thief.example/',
    response_type: 'code',
  })
  const answer = await page.goto(`${baseURL}/oauth/authorize?${asked}`)
  expect(answer?.status()).toBe(401)
  await expect(page.getByRole('heading', { name: 'This app cannot be connected' })).toBeVisible()
  await expect(page.getByText('This client is not registered here. Register it again.')).toBeVisible()
  await page.getByRole('link', { name: 'Go to Finmeter' }).click()
  await expect(page).toHaveURL(`${baseURL}/`)
})
