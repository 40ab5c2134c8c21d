import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const path = '/dashboard/playground/'
const address = 'https://mcp.example.com/mcp'
const log = (page: Page) => page.getByRole('log')

async function openConnected(page: Page, baseURL: string, who: string, tab = '') {
  await signIn(page, baseURL, who, `${path}${tab && `?tab=${tab}`}`)
  await expect(page.getByRole('status').getByText('Connected', { exact: true })).toBeVisible()
}

/** A foreign server that requires sign-in at `url`; the installation allows adding servers. */
async function foreignServer(page: Page, url: string) {
  await page.route('**/api/playground/servers', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, urlsAllowed: true } } })
  })
  await page.route('**/servers/mcp.example.com/connect', (route) =>
    route.fulfill({
      status: 403,
      json: { success: false, error: 'This server requires you to sign in there first.', code: 'sign_in_required' },
    }),
  )
  await page.route('**/servers/mcp.example.com/sign-in', (route) =>
    route.fulfill({ json: { success: true, data: { url } } }),
  )
}

// Pending responses must not outlive the test.
test.afterEach(({ page }) => page.unrouteAll({ behavior: 'wait' }))

test('a server by URL, with headers and a client; it requires sign-in', async ({ page, baseURL }) => {
  await foreignServer(page, 'https://login.example.com/authorize?client_id=x')
  await openConnected(page, baseURL, 'foreign@example.com', 'servers')
  await page.getByRole('textbox', { name: 'MCP server URL' }).fill(address)
  await page.getByText('Headers and client', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Headers, one per line' }).fill('no header')
  const form = page.getByRole('region', { name: 'More servers' })
  await form.getByRole('button', { name: 'Connect' }).click()
  await expect(form.getByRole('alert')).toHaveText('"no header" is not a header. Use Name: value.')
  await page.getByRole('textbox', { name: 'Headers, one per line' }).fill('X-API-Key: abc\nX-Other: d e')
  await page.getByRole('textbox', { name: 'Client ID' }).fill('desk')
  const asked = page.waitForRequest('**/servers/mcp.example.com/connect')
  await form.getByRole('button', { name: 'Connect' }).click()
  expect((await asked).postDataJSON()).toEqual({
    command: address,
    args: [],
    headers: { 'X-API-Key': 'abc', 'X-Other': 'd e' },
    clientId: 'desk',
  })
  const link = page.getByRole('region', { name: 'mcp.example.com' }).getByRole('link', { name: 'Sign in' })
  await expect(link).toHaveAttribute('href', 'https://login.example.com/authorize?client_id=x')
  await expectAccessible(page, 'a server that asks for a sign-in')
  await page.getByRole('button', { name: 'Chat' }).click()
  await expect(
    log(page).getByText('mcp.example.com requires you to sign in. Press Sign in on the Servers tab.'),
  ).toBeVisible()
})

test('a sign-in URL that is not http is never offered', async ({ page, baseURL }) => {
  await foreignServer(page, 'javascript:alert(1)')
  await openConnected(page, baseURL, 'hostile@example.com', 'servers')
  await page.getByRole('textbox', { name: 'MCP server URL' }).fill(address)
  await page.getByRole('region', { name: 'More servers' }).getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'Chat' }).click()
  await expect(
    log(page).getByText('Failed to connect to MCP server: This server requires you to sign in there first.'),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Servers' }).click()
  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveCount(0)
})

test('returning from an expired sign-in shows an error and clears the URL', async ({ page, baseURL }) => {
  await signIn(page, baseURL, 'back@example.com', `${path}signed-in?state=gone&code=secret`)
  const alert = page.getByRole('alert').filter({ hasText: 'Could not connect to the server' })
  await expect(alert).toContainText('This sign-in has ended or expired. Connect again.')
  expect(page.url()).toBe(`${baseURL}${path}signed-in`)
  await expectAccessible(page, 'a sign-in that failed')
  await alert.getByRole('button', { name: 'Back to Servers' }).click()
  await expect(page.getByRole('heading', { name: 'Servers', level: 2 })).toBeVisible()
})

test('a tool’s input request is answered or declined in the chat, and returns its state', async ({ page, baseURL }) => {
  const call = { durationMs: 1, protocolVersion: '2026-07-28', tokens: 1, exchanges: [] }
  const asks = {
    content: [],
    resultType: 'input_required',
    requestState: 'opaque',
    inputRequests: {
      size: {
        method: 'elicitation/create',
        params: {
          message: 'How many?<img src=x onerror=alert(1)>',
          requestedSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
        },
      },
    },
  }
  const sent: unknown[] = []
  await page.route('**/tools/echo/call', (route) => {
    const { inputResponses, requestState } = route.request().postDataJSON()
    sent.push({ inputResponses, requestState })
    const result = inputResponses ? { content: [{ type: 'text', text: 'done' }] } : asks
    return route.fulfill({ json: { success: true, data: { result, call } } })
  })
  await openConnected(page, baseURL, 'asked@example.com')
  const say = async () => {
    await page.getByRole('textbox', { name: 'Message' }).fill('echo x')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  }
  await say()
  const question = page.getByRole('form', { name: 'echo on finmeter needs your input' })
  await expect(question.getByText('How many?<img src=x onerror=alert(1)>', { exact: true })).toBeVisible()
  await question.getByRole('textbox', { name: 'count (required)' }).fill('many')
  await question.getByRole('button', { name: 'Answer', exact: true }).click()
  await expect(question.getByRole('alert')).toHaveText('count: expected a whole number.')
  await expectAccessible(page, 'a question of a tool')
  await question.getByRole('textbox', { name: 'count (required)' }).fill('3')
  await question.getByRole('button', { name: 'Answer', exact: true }).click()
  await expect(log(page).getByText('echo returned a result', { exact: true })).toBeVisible()
  await say()
  await question.getByRole('button', { name: 'Decline' }).click()
  await expect(question).toHaveCount(0)
  // The question goes at once; what was answered is sent after it.
  await expect
    .poll(() => sent)
    .toEqual([
      {},
      { inputResponses: { size: { action: 'accept', content: { count: 3 } } }, requestState: 'opaque' },
      {},
      { inputResponses: { size: { action: 'decline' } }, requestState: 'opaque' },
    ])
})

test('a list that was asked for before Disconnect does not bring the server back', async ({ page, baseURL }) => {
  await signIn(page, baseURL, 'late-list@example.com')
  let listed = false
  await page.route('**/servers/finmeter/tools', (route) => {
    listed = true
    return route.continue()
  })
  const late: (() => Promise<void>)[] = []
  await page.route('**/api/playground/servers', async (route) => {
    if (!listed || late.length > 0) return route.continue()
    const response = await route.fetch()
    late.push(() => route.fulfill({ response }))
  })
  await page.goto(`${baseURL}${path}?tab=servers`)
  await expect.poll(() => late.length).toBe(1)
  await page.getByRole('button', { name: 'Disconnect' }).click()
  const connect = page.getByRole('button', { name: 'Connect', exact: true })
  await expect(connect).toBeVisible()
  await late[0]!()
  await expect(page.getByRole('status').getByText('Disconnected', { exact: true })).toBeVisible()
  await expect(connect).toBeVisible()
})
