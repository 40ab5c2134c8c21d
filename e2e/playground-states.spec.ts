import { expect, type Page } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { signIn, signInWithPlan } from './sign-in.ts'

const path = '/dashboard/playground/'
const log = (page: Page) => page.getByRole('log')
const message = (page: Page, text: string) => log(page).getByText(text, { exact: true })
const status = (page: Page, word: string) => page.getByRole('status').getByText(word, { exact: true })

async function openConnected(page: Page, baseURL: string, who: string, tab = '') {
  await signIn(page, baseURL, who, `${path}${tab && `?tab=${tab}`}`)
  await expect(status(page, 'Connected')).toBeVisible()
}
async function say(page: Page, line: string) {
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill(line)
  await field.press('Enter')
}
const SESSION = 'supabase.auth.token'
const loseSession = (page: Page) => page.evaluate((key) => localStorage.removeItem(key), SESSION)

test('each message type has a label, an icon, colors and a timestamp', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'types@example.com', 'tools')
  await page.getByRole('button', { name: 'Resources', exact: true }).click()
  await page.getByRole('button', { name: 'Read dataset://us-cpi' }).click()
  await page.getByRole('button', { name: 'Chat' }).click()
  await expect(message(page, 'Read dataset://us-cpi')).toBeVisible()
  await say(page, 'add 1 + 2')
  await expect(message(page, 'add returned a result')).toBeVisible()
  await say(page, 'hello')
  await page.route('**/tools/echo/call', (route) => route.abort())
  await say(page, 'echo x')
  await expect(log(page).locator('[data-type=error]')).toBeVisible()
  await page.route('**/servers/finmeter/connect', (route) => route.abort())
  await page.route('**/disconnect', (route) => route.fulfill({ json: { success: true, data: {} } }))
  await page.getByRole('button', { name: 'Servers' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('button', { name: 'Chat' }).click()
  await page.getByRole('button', { name: 'Connect to Server' }).click()
  const types = { user: 'You', system: 'System', success: 'Success', error: 'Error', warning: 'Warning', info: 'Info' }
  const seen = new Set<string>()
  for (const [type, word] of Object.entries({ ...types, assistant: 'Assistant' })) {
    const one = log(page).locator(`[data-type=${type}]`).first()
    await expect(one.getByText(word, { exact: true })).toBeVisible()
    await expect(one.locator('time')).toHaveText(/^\d{1,2}:\d\d:\d\d [AP]M$/)
    const icon = await one.locator('header svg').innerHTML()
    const look = await one.evaluate((element) => {
      const { borderColor, backgroundColor } = getComputedStyle(element)
      return `${borderColor} ${backgroundColor} ${getComputedStyle(element.querySelector('header')!).color}`
    })
    seen.add(`${icon} ${look}`)
  }
  expect(seen.size).toBe(7)
})

test('without a session the stream, a connection and a retry say so', async ({ page, baseURL }) => {
  const { promise: held, resolve: end } = Promise.withResolvers<void>()
  await page.route('**/api/playground/stream?*', async (route) => {
    await held
    await route.fulfill({ status: 200, contentType: 'text/event-stream', body: ': open\n\n' })
  })
  await page.route('**/servers/finmeter/connect', (route) => route.abort())
  await signIn(page, baseURL, 'lost@example.com', path)
  // A page whose session ends soon waits for the auth client. Without a session, a client that came later would leave the page.
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key)!)
    localStorage.setItem(key, JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + 60 }))
  }, SESSION)
  await page.reload()
  await expect(status(page, 'Disconnected')).toBeVisible()
  await loseSession(page)
  await page.getByRole('button', { name: 'Connect to Server' }).click()
  await expect(message(page, 'User not authenticated')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(message(page, 'Retry failed: User not authenticated')).toBeVisible()
  end()
  await expect(message(page, 'No access token available')).toBeVisible()
})

test('the log survives a reload, can be replayed, says No servers connected without one, and is cleared on sign-out', async ({
  page,
  baseURL,
}) => {
  await openConnected(page, baseURL, 'history@example.com')
  await say(page, 'add 20 + 22')
  await expect(message(page, 'add returned a result')).toBeVisible()
  await page.goto(`${baseURL}${path}?tab=tools`)
  await expect(status(page, 'Connected')).toBeVisible()
  await page.getByRole('button', { name: 'Log', exact: true }).click()
  const again = page.getByRole('button', { name: 'Call again: add' })
  await expect(page.getByRole('listitem').filter({ has: again })).toContainText('earlier visit')
  await again.click()
  await expect(again).toHaveCount(2)
  await page.getByRole('button', { name: 'Chat' }).click()
  await expect(log(page).getByRole('row', { name: 'Result 42' })).toBeVisible()
  await page.getByRole('button', { name: 'Servers' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('button', { name: 'Tools', exact: true }).click()
  await page.getByRole('button', { name: 'Log', exact: true }).click()
  await again.first().click()
  await page.getByRole('button', { name: 'Chat' }).click()
  await expect(message(page, 'No servers connected')).toBeVisible()
  const kept = () =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('finmeter.personal.')))
  expect(await kept()).toContainEqual(expect.stringMatching(/\.playground-calls$/))
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page).toHaveURL(`${baseURL}/`)
  expect(await kept()).toEqual([])
})

test('the log can be cleared permanently', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'cleared@example.com')
  await say(page, 'time')
  await expect(message(page, 'timestamp returned a result')).toBeVisible()
  await page.getByRole('button', { name: 'Tools', exact: true }).click()
  await page.getByRole('button', { name: 'Log', exact: true }).click()
  await page.getByRole('button', { name: 'Clear the log' }).click()
  await expect(page.getByText('Nothing yet', { exact: true })).toBeVisible()
  await page.reload()
  await expect(status(page, 'Connected')).toBeVisible()
  await page.getByRole('button', { name: 'Log', exact: true }).click()
  await expect(page.getByText('Nothing yet', { exact: true })).toBeVisible()
})

test('price history is drawn as a chart, read by arrow keys, and shown as table and JSON', async ({
  page,
  baseURL,
}) => {
  await signInWithPlan(page, baseURL, 'chart@example.com', path)
  await expect(status(page, 'Connected')).toBeVisible()
  await say(page, 'chart MSFT 2010 to 2012')
  await expect(message(page, 'get_bars returned a result')).toBeVisible()
  const chart = page.getByRole('slider', { name: 'close over time' })
  await chart.focus()
  const last = await chart.getAttribute('aria-valuetext')
  expect(last).toMatch(/^Dec \d+, 2012: [\d.]+$/)
  await page.keyboard.press('Home')
  await expect(chart).toHaveAttribute('aria-valuetext', /^Jan \d+, 2010: [\d.]+$/)
  // The result is visible without scrolling.
  await expect(chart).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  const table = page.getByRole('group', { name: 'Result, table' })
  await expect(table.getByRole('columnheader', { name: 'Close' })).toBeVisible()
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(log(page)).toContainText('"columns"')
})

test('every tab and the consent page are accessible, at each width', async ({ page, baseURL }) => {
  test.slow()
  const shot = (name: string) => expectAccessibleAtEachWidth(page, name)
  await openConnected(page, baseURL, 'look@example.com')
  await shot('chat-connected')
  for (const line of ['add 2 + 3', 'hello', 'search apple']) await say(page, line)
  // The calls run at the same time, and their answers come in any order.
  await expect(page.getByRole('group', { name: 'Result, table' })).toHaveCount(2)
  await expect(message(page, 'add returned a result')).toBeVisible()
  await expect(log(page).getByText('I did not recognize that.')).toBeVisible()
  await shot('chat-results')
  for (const tab of ['servers', 'tools', 'settings']) {
    await page.goto(`${path}?tab=${tab}`)
    await expect(status(page, 'Connected')).toBeVisible()
    await shot(tab)
  }
  await page.goto(`${path}?tab=tools`)
  await expect(status(page, 'Connected')).toBeVisible()
  await page.getByRole('button', { name: 'Test with arguments' }).nth(4).click()
  await page.getByText('View Schema').nth(4).click()
  await shot('tool-form')
  const contents = {
    Resources: page.getByRole('button', { name: 'Read dataset://us-cpi' }),
    Prompts: page.getByRole('button', { name: /^Get messages / }).first(),
    Log: page.getByRole('button', { name: 'Call again: add' }),
  }
  for (const [view, content] of Object.entries(contents)) {
    await page.getByRole('button', { name: view, exact: true }).click()
    await expect(content).toBeVisible()
    await shot(`tools-${view.toLowerCase()}`)
  }
  await page.goto(`${path}?tab=servers`)
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await expect(status(page, 'Disconnected')).toBeVisible()
  await shot('servers-disconnected')
  await page.route('**/servers/finmeter/connect', (route) => route.abort())
  await page.goto(path)
  await expect(page.getByRole('button', { name: 'Connect to Server' })).toBeVisible()
  // The messages about the failure come after the button.
  await expect(log(page).getByText(/^Failed to connect to MCP server\. You may need/)).toBeVisible()
  await shot('chat-disconnected')
  await page.goto('/connect?request=00000000-0000-4000-8000-000000000000')
  await expect(page.getByText('This request was already answered or has expired')).toBeVisible()
  await shot('connect-gone')
  const registered = await page.request.post('/oauth/register', {
    data: { client_name: 'Desk', redirect_uris: ['https://client.example/callback'] },
  })
  const { client_id } = await registered.json()
  const asked = { response_type: 'code', code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }
  await page.goto(
    `/oauth/authorize?${new URLSearchParams({ ...asked, client_id, redirect_uri: 'https://client.example/callback' })}`,
  )
  await expect(page.getByRole('button', { name: 'Allow' })).toBeVisible()
  await shot('connect')
})
