import { createHash } from 'node:crypto'
import { expect } from '@playwright/test'
import { test } from './fixtures.ts'
import { registerClient } from './oauth-client.ts'
import { signIn } from './sign-in.ts'

const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

test('an MCP client is authorized by the user, calls a tool, and is disconnected by deleting its key', async ({
  page,
  baseURL,
}) => {
  const asked = await registerClient(baseURL, '<b>Desk</b>', challenge)
  await signIn(page, baseURL, 'consent@example.com', `/oauth/authorize?${asked}`)
  await expect(page.getByRole('heading', { name: 'Connect <b>Desk</b>?' })).toBeVisible()
  await page.getByRole('textbox', { name: 'Credits per month' }).fill('x')
  await expect(page.getByRole('button', { name: 'Allow' })).toBeDisabled()
  await page.getByRole('textbox', { name: 'Credits per month' }).fill('50')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(/healthz\?code=/)
  const code = new URL(page.url()).searchParams.get('code')!
  const answer = await fetch(`${baseURL}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: asked.get('client_id')!,
      code,
      redirect_uri: asked.get('redirect_uri')!,
      code_verifier: verifier,
    }),
  })
  const { access_token } = (await answer.json()) as { access_token: string }
  const called = await fetch(`${baseURL}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}',
  })
  expect(await called.text()).toContain('"result":3')
  await page.goto(`${baseURL}/dashboard/api-keys/`)
  await expect(page.getByText('<b>Desk</b> (connected app)').first()).toBeVisible()
})

test('a visitor logs in first and returns to the request', async ({ page, baseURL }) => {
  const asked = await registerClient(baseURL, 'Desk', challenge)
  asked.set('state', 'S')
  await page.goto(`${baseURL}/oauth/authorize?${asked}`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click()
  await expect(page.getByRole('heading', { name: 'Connect Desk?' })).toBeVisible()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.waitForURL(/healthz\?/)
  const back = new URL(page.url()).searchParams
  expect([back.get('error'), back.get('state'), back.get('iss')]).toEqual(['access_denied', 'S', baseURL])
})

test('a user with several workspaces sees which one pays, and can choose', async ({ page, baseURL }) => {
  await page.route('**/api/workspaces', async (route) => {
    const answer = await route.fetch()
    const { data } = await answer.json()
    const other = {
      ...data.workspaces[0],
      id: '11111111-1111-4111-8111-111111111111',
      name: 'Desk GmbH',
      personal: false,
    }
    await route.fulfill({ json: { success: true, data: { workspaces: [...data.workspaces, other] } } })
  })
  let asked: string | undefined
  await page.route('**/api/oauth/requests/*', (route) =>
    route.fulfill({
      json: {
        success: true,
        data: { request: { clientName: 'Desk', clientHost: null, redirectHost: 'a.example', scopes: ['data:read'] } },
      },
    }),
  )
  await page.route('**/api/oauth/requests/*/approve', async (route) => {
    asked = route.request().headers()['x-workspace-id']
    await route.fulfill({ status: 403, json: { success: false, error: 'Owners and admins only', code: 'forbidden' } })
  })
  await signIn(page, baseURL, 'several@example.com', '/connect?request=00000000-0000-4000-8000-000000000000')
  await expect(page.getByText('charged to the credits of Personal')).toBeVisible()
  await page.getByRole('combobox', { name: 'Workspace' }).selectOption('Desk GmbH')
  await expect(page.getByText('charged to the credits of Desk GmbH')).toBeVisible()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Owners and admins only' })).toBeVisible()
  expect(asked).toBe('11111111-1111-4111-8111-111111111111')
})
