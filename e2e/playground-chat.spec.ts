import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn, signInWithPlan } from './sign-in.ts'

const path = '/dashboard/playground/'
const message = (page: Page, text: string) => page.getByRole('log').getByText(text, { exact: true })
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const status = (page: Page, word: string) => page.getByRole('status').getByText(word, { exact: true })

async function open(page: Page, baseURL: string, who: string) {
  await signIn(page, baseURL, who, path)
}
async function openConnected(page: Page, baseURL: string, who: string) {
  await open(page, baseURL, who)
  await expect(status(page, 'Connected')).toBeVisible()
}
async function say(page: Page, line: string) {
  await field(page).fill(line)
  await field(page).press('Enter')
}
const failure = (status: number, error: string) => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify({ success: false, error, code: 'upstream_failed' }),
})

test('connects automatically, calls tools by command and by question, and shows results', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'chat@example.com')
  await expect(page.getByText(/^\d+ tools available$/)).toBeVisible()
  await expect(message(page, 'Connected to finmeter')).toBeVisible()

  await say(page, 'add 2 + 3')
  await expect(message(page, 'add 2 + 3')).toBeVisible()
  await expect(message(page, 'add returned a result')).toBeVisible()
  await expect(page.getByRole('log').getByRole('row', { name: 'Result 5' })).toBeVisible()
  await say(page, 'echo good day')
  await expect(page.getByRole('log').getByRole('row', { name: 'Text good day' })).toBeVisible()
  await say(page, 'sometimes')
  await expect(message(page, 'timestamp returned a result')).toBeVisible()
  await say(page, 'hello there')
  await expect(
    page.locator('[data-type=assistant]').getByText('I did not recognize that.', { exact: false }),
  ).toBeVisible()

  await say(page, 'search apple')
  const table = page.getByRole('group', { name: 'Result, table' }).last()
  await expect(table.getByRole('cell', { name: 'AAPL', exact: true }).first()).toBeVisible()
  await page.getByRole('button', { name: 'JSON', exact: true }).last().click()
  await expect(page.getByRole('log')).toContainText('"structuredContent"')
})

test('a chart, which gets its height after it is added, scrolls fully into view', async ({ page, baseURL }) => {
  await signInWithPlan(page, baseURL, 'charts@example.com', path)
  await expect(status(page, 'Connected')).toBeVisible()
  await page.setViewportSize({ width: 1280, height: 800 })
  await say(page, 'price of AAPL')
  await expect(message(page, 'get_quote returned a result')).toBeVisible()
  await say(page, 'chart MSFT 2010 to 2012')
  await expect(page.getByRole('slider', { name: 'close over time' })).toBeInViewport({ ratio: 0.9 })
})

test('Enter sends, Shift+Enter adds a newline, blank text is not sent, the field grows from 40 to 120 px', async ({
  page,
  baseURL,
}) => {
  await openConnected(page, baseURL, 'composer@example.com')
  const before = await page.locator('[data-type=user]').count()
  const height = async () => (await field(page).boundingBox())?.height
  expect(await height()).toBe(40)
  await field(page).fill('   ')
  await field(page).press('Enter')
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  expect(await page.locator('[data-type=user]').count()).toBe(before)
  await field(page).fill('')
  await page.keyboard.type('echo one')
  for (let i = 0; i < 9; i++) await page.keyboard.press('Shift+Enter')
  expect(await height()).toBe(120)
  await page.keyboard.type('two')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-type=user]').last()).toContainText('two')
  await expect(field(page)).toHaveValue('')
  expect(await height()).toBe(40)
})

test('five quick buttons at most, tools without required input first; each calls with empty arguments', async ({
  page,
  baseURL,
}) => {
  await openConnected(page, baseURL, 'quick@example.com')
  const quick = page.getByRole('group', { name: 'Quick tools' }).getByRole('button')
  await expect(quick).toHaveCount(5)
  await expect(quick.first()).toHaveText('search_symbols')
  const answered = page.waitForResponse(/tools\/timestamp\/call$/)
  await quick.getByText('timestamp').click()
  const { call } = (await (await answered).json()).data
  expect(JSON.parse(call.exchanges.at(-1).request).params).toMatchObject({ name: 'timestamp', arguments: {} })
  await expect(message(page, 'timestamp returned a result')).toBeVisible()
})

test('a server that cannot be reached: message, hint, prompt, Retry, and reconnecting', async ({ page, baseURL }) => {
  let broken = true
  await page.route('**/servers/finmeter/connect', (route) =>
    broken ? route.fulfill(failure(502, 'The MCP server did not answer correctly.')) : route.continue(),
  )
  await open(page, baseURL, 'broken@example.com')
  await expect(message(page, 'Failed to connect to MCP server: The MCP server did not answer correctly.')).toBeVisible()
  await expect(
    message(page, 'Failed to connect to MCP server. You may need to check your API key or try again.'),
  ).toBeVisible()
  await expect(status(page, 'Disconnected')).toBeVisible()
  await expect(field(page)).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Connect to Server' })).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(message(page, 'Retry failed: The MCP server did not answer correctly.')).toBeVisible()
  broken = false
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(status(page, 'Connected')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Retry' })).toBeHidden()
  await expect(field(page)).toBeEnabled()
})

test('Connecting... and Loading... are shown', async ({ page, baseURL }) => {
  const gates: (() => void)[] = []
  for (const pattern of ['**/servers/finmeter/connect', '**/servers/finmeter/tools'])
    await page.route(
      pattern,
      async (route) => {
        await new Promise<void>((done) => gates.push(done))
        await route.continue()
      },
      { times: 1 },
    )
  await open(page, baseURL, 'slow@example.com')
  await expect(status(page, 'Connecting...')).toBeVisible()
  await expect.poll(() => gates.length).toBe(1)
  gates[0]?.()
  await expect(status(page, 'Loading...')).toBeVisible()
  await expect.poll(() => gates.length).toBe(2)
  gates[1]?.()
  await expect(status(page, 'Connected')).toBeVisible()
})

test('a call that fails, and a tool that fails', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'fails@example.com')
  await page.goto(`${baseURL}${path}?tab=tools`)
  await page.getByRole('button', { name: 'Test add' }).click()
  await expect(page.getByRole('region', { name: 'Answer of add' })).toContainText('Tool error: a is required.')
  await page.getByRole('button', { name: 'Chat', exact: true }).click()
  await expect(message(page, 'Tool error: a is required.')).toBeVisible()
  await page.route('**/tools/echo/call', (route) => route.fulfill(failure(503, 'Not now')))
  await say(page, 'echo x')
  await expect(message(page, 'Failed to call tool: Not now')).toBeVisible()
})

test('stream events, and a stream that cannot be opened, reported once', async ({ page, baseURL }) => {
  const events = [
    { type: 'tool_error', message: '', data: { error: 'from elsewhere' }, serverName: 'finmeter' },
    { type: 'resource_error', message: '', data: { error: 'no such thing' }, serverName: 'finmeter' },
    { type: 'error', message: 'broken pipe', data: {}, serverName: 'finmeter' },
    { type: 'tool_result', message: '', data: { toolName: 'add', result: { n: 7 } }, serverName: 'finmeter' },
  ]
  let streams = 0
  await page.route('**/api/playground/stream?*', (route) => {
    streams += 1
    if (streams <= 2) return route.fulfill({ status: 503, body: '' })
    // Each stream that ends is a message: the next one does not.
    if (streams > 3) return
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    return route.fulfill({ status: 200, contentType: 'text/event-stream', body })
  })
  await openConnected(page, baseURL, 'events@example.com')
  await expect(message(page, 'Stream connection failed. Real-time updates disabled.').first()).toBeVisible()
  await expect(message(page, 'Tool error: from elsewhere')).toBeVisible()
  await expect(message(page, 'Resource error: no such thing')).toBeVisible()
  await expect(message(page, 'Error: broken pipe')).toBeVisible()
  await expect(page.locator('[data-type=success]', { hasText: '"n": 7' })).toBeVisible()
  const failures = page.getByRole('log').getByText('Stream connection failed. Real-time updates disabled.')
  // Two failures before the first connection are one message; the end of the open stream is a second one.
  await expect(failures).toHaveCount(2)
})

test('a second tab shows what happens in the first: reads, disconnecting, connecting', async ({ page, baseURL }) => {
  const streaming = page.waitForResponse(/\/api\/playground\/stream\?/)
  await openConnected(page, baseURL, 'two-tabs@example.com')
  // It hears nothing of what happened before.
  await streaming
  const second = await page.context().newPage()
  await second.goto(`${baseURL}${path}?tab=settings`)
  await expect(status(second, 'Connected')).toBeVisible()
  const live = (tab: Page) => expect(tab.getByText('Connected', { exact: true })).toHaveCount(2)
  await live(second)
  await second.getByRole('button', { name: 'Chat' }).click()
  await expect(second.getByText(/^\d+ tools available$/)).toBeVisible()
  // Reads, by a request such as that of the other tab.
  const token = await page.evaluate(() =>
    Object.values(localStorage)
      .map((value) => /"access_token":"([^"]+)"/.exec(value)?.[1])
      .find(Boolean),
  )
  const call = (act: string, body: object) =>
    page.request.post(`${baseURL}/api/playground/servers/finmeter/${act}`, {
      headers: { authorization: `Bearer ${token}` },
      data: body,
    })
  expect((await call('resources/get', { uri: 'dataset://us-cpi' })).status()).toBe(200)
  await expect(message(second, 'Read dataset://us-cpi')).toBeVisible()
  expect((await call('disconnect', {})).status()).toBe(200)
  for (const tab of [page, second]) {
    await expect(message(tab, 'Disconnected from finmeter')).toBeVisible()
    await expect(status(tab, 'Disconnected')).toBeVisible()
    await expect(tab.getByRole('button', { name: 'Retry' })).toBeVisible()
  }
  await second.getByRole('button', { name: 'Connect to Server' }).click()
  for (const tab of [page, second]) {
    await expect(status(tab, 'Connected')).toBeVisible()
    await expect(tab.getByText(/^\d+ tools available$/)).toBeVisible()
  }
  await second.close()
})

test("a hostile server's words are text: no markup, no link, no script, nothing hidden", async ({ page, baseURL }) => {
  const poison =
    '<img src=x onerror="window.owned=1"><script>window.owned=1</script> [click](javascript:window.owned=1) \u202Egpj.exe\u200B'
  await page.route('**/servers/finmeter/tools', (route) =>
    route.fulfill({
      json: {
        success: true,
        data: {
          tools: [
            { name: poison, description: poison, inputSchema: { title: poison }, serverName: 'finmeter', tokens: 5 },
          ],
        },
      },
    }),
  )
  await page.route('**/servers/finmeter/tools/*/call', (route) => route.fulfill(failure(502, poison)))
  await openConnected(page, baseURL, 'hostile@example.com')
  await page.getByRole('group', { name: 'Quick tools' }).getByRole('button').first().click()
  const said = page.locator('[data-type=error]').last()
  await expect(said).toContainText('Failed to call tool: <img src=x')
  expect(await said.textContent()).not.toMatch(/[\u202E\u200B]/)
  await page.getByRole('button', { name: 'Tools' }).first().click()
  await page.getByText('View Schema').click()
  expect(await page.evaluate(() => (window as { owned?: number }).owned)).toBeUndefined()
  expect(await page.locator('section img, section a[href^="javascript"]').count()).toBe(0)
})

test('500 messages: typing stays fast', async ({ page, baseURL }) => {
  let streams = 0
  await page.route('**/api/playground/stream?*', (route) => {
    streams += 1
    if (streams > 1) return
    const event = (at: number) => {
      const text = at === 499 ? 'the newest of 500' : 'x'.repeat(200)
      return { type: 'tool_result', message: '', data: { toolName: 'echo', result: { text } } }
    }
    const body = Array.from({ length: 500 }, (_, at) => `data: ${JSON.stringify(event(at))}\n\n`).join('')
    return route.fulfill({ status: 200, contentType: 'text/event-stream', body })
  })
  await openConnected(page, baseURL, 'many@example.com')
  // Of more than 500 messages 200 are rendered; off-screen ones skip layout.
  await expect(page.getByRole('article')).toHaveCount(200)
  // What still arrives would move the button while it is pressed.
  await expect(page.getByText('the newest of 500').last()).toBeVisible()
  expect(
    await page
      .getByRole('article')
      .first()
      .evaluate((article) => getComputedStyle(article).contentVisibility),
  ).toBe('auto')
  // A reader scrolls to the button. A list that nobody has scrolled stays at its end, away from a hand that is slow.
  await page.getByRole('log').hover()
  await page.mouse.wheel(0, -1_000_000)
  await expect(page.getByRole('button', { name: 'Show earlier messages' })).toBeInViewport()
  await page.getByRole('button', { name: 'Show earlier messages' }).click()
  await expect(page.getByRole('article')).toHaveCount(400)
  await field(page).fill('echo still here')
  await field(page).press('Enter')
  await expect(page.locator('[data-type=user]').last()).toBeInViewport()
})
