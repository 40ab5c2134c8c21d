import { execFileSync, spawnSync } from 'node:child_process'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn, signInWithPlan } from './sign-in.ts'

const path = '/dashboard/playground/'
async function openConnected(page: Page, baseURL: string, who: string, tab = '') {
  await signIn(page, baseURL, who, `${path}${tab && `?tab=${tab}`}`)
  await expect(page.getByRole('status').getByText('Connected', { exact: true })).toBeVisible()
}

test('Servers: details, disconnect clears the tools, getting started, reconnect', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'servers@example.com', 'servers')
  const panel = page.getByRole('region', { name: 'finmeter' })
  await expect(panel.getByText('Model Context Protocol (MCP)')).toBeVisible()
  await expect(panel.getByText('HTTP/WebSocket', { exact: true })).toBeVisible()
  // The header says it once for all tabs; the card says what can be done.
  await expect(page.getByText('Connected', { exact: true })).toHaveCount(1)
  await expect(panel).not.toContainText('stateless')
  await expect(panel.getByRole('link', { name: 'Ask a question' })).toHaveAttribute('href', '/dashboard/playground')
  await expect(panel.getByRole('link', { name: /^See \d+ tools$/ })).toHaveAttribute(
    'href',
    '/dashboard/playground?tab=tools',
  )
  const endpoint = panel.getByRole('link', { name: `${baseURL}/mcp` })
  await expect(endpoint).toHaveAttribute('target', '_blank')
  await panel.getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByRole('status').getByText('Disconnected', { exact: true })).toBeVisible()
  await expect(panel.getByRole('heading', { name: 'Getting started' })).toBeVisible()
  await page.getByRole('button', { name: 'Tools', exact: true }).click()
  await expect(page.getByText('No servers connected...', { exact: true })).toBeVisible()
  await expect(page.getByText('No Tools Available', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Servers' }).click()
  await panel.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByRole('status').getByText('Connected', { exact: true })).toBeVisible()
})

test('the chat opens at its newest message, however long it is, and keeps a reader’s scroll position', async ({
  page,
  baseURL,
}) => {
  await openConnected(page, baseURL, 'long@example.com')
  const field = page.getByRole('textbox', { name: 'Message' })
  const log = page.getByRole('log')
  for (let number = 0; number < 6; number += 1) {
    await field.fill(`add ${number} + 1`)
    await field.press('Enter')
    await expect(log.getByText('add returned a result', { exact: true })).toHaveCount(number + 1)
  }
  await page.getByRole('button', { name: 'Tools', exact: true }).click()
  await page.getByRole('button', { name: 'Test echo' }).click()
  await expect(page.getByRole('region', { name: 'Answer of echo' })).toContainText('text is required.')
  await page.getByRole('button', { name: 'Chat', exact: true }).click()
  await expect(log.getByText('text is required.').first()).toBeInViewport()
  // Scrolls as a reader does: scrolling by script does not count.
  await log.hover()
  await page.mouse.wheel(0, -100_000)
  await expect(log.getByText('Connected to finmeter', { exact: true })).toBeInViewport()
  await page.setViewportSize({ width: 1000, height: 700 })
  await expect(log.getByText('Connected to finmeter', { exact: true })).toBeInViewport()
})

test('Servers: connecting and a failed connection are shown on the card', async ({ page, baseURL }) => {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/servers/finmeter/connect', async (route) => {
    await held
    await route.fulfill({ status: 502, json: { success: false, error: 'No answer.', code: 'upstream_failed' } })
  })
  await signIn(page, baseURL!, 'servers-failed@example.com', `${path}?tab=servers`)
  const panel = page.getByRole('region', { name: 'finmeter' })
  await expect(panel.getByText('Connecting. Its tools appear in a few seconds.')).toBeVisible()
  answer()
  await expect(panel.getByRole('alert')).toHaveText('Failed to connect to MCP server: No answer.')
  await page.unroute('**/servers/finmeter/connect')
  await panel.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(panel.getByRole('link', { name: 'Ask a question' })).toBeVisible()
  await expect(panel.getByRole('alert')).toHaveCount(0)
})

test('Tools: the price stands beside Run, and the answer appears below it, in view at 1280 x 800', async ({
  page,
  baseURL,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await signInWithPlan(page, baseURL!, 'run-in-view@example.com', `${path}?tab=tools`)
  const item = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Test get_bars' }) })
  // The same order everywhere.
  const named = item.getByRole('button')
  await expect(named.nth(0)).toHaveText('Test')
  await expect(named.nth(1)).toHaveText('Test with arguments')
  await named.nth(1).click()
  await item.getByRole('textbox', { name: 'symbol (required)' }).fill('AAPL')
  await expect(item.getByText(/^Costs 1 credit/)).toBeVisible()
  const run = item.getByRole('button', { name: 'Run', exact: true })
  await run.click()
  const answer = item.getByRole('region', { name: 'Answer of get_bars' })
  for (const place of [run, answer.getByRole('button', { name: 'Copy receipt ID' }), answer.getByRole('img')])
    await expect(place).toBeInViewport({ ratio: 1 })
  await expect(item.getByRole('textbox', { name: 'symbol (required)' })).toHaveValue('AAPL')
})

test('Servers: a failed disconnect is reported', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'stuck@example.com', 'servers')
  await page.route('**/disconnect', (route) =>
    route.fulfill({ status: 500, json: { success: false, error: 'Stuck', code: 'internal_error' } }),
  )
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('button', { name: 'Chat' }).click()
  await expect(page.getByRole('log').getByText('Failed to disconnect: Stuck', { exact: true })).toBeVisible()
})

test('Servers: changed definitions are reported', async ({ page, baseURL }) => {
  await page.route('**/api/playground/servers', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    for (const server of body.data.servers) {
      server.definitionsChanged = true
      server.changedTools = [
        { name: 'add', change: 'changed' },
        { name: 'steal', change: 'added' },
      ]
    }
    await route.fulfill({ response: answer, json: body })
  })
  await openConnected(page, baseURL, 'changed@example.com', 'servers')
  const warning = page.getByRole('alert').filter({ hasText: 'The tool definitions of this server have changed' })
  await expect(warning).toContainText('add (changed), steal (added)')
  await page.getByRole('button', { name: 'Chat' }).click()
  await expect(
    page.locator('[data-type=warning]').getByText('The tool definitions of finmeter have changed: add (changed)', {
      exact: false,
    }),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Servers' }).click()
  await warning.getByRole('button', { name: 'I have reviewed them' }).click()
  await expect(warning).toHaveCount(0)
})

test('Tools: status line, search, schema, test, arguments by form and JSON, log with replay and code', async ({
  page,
  baseURL,
}) => {
  await openConnected(page, baseURL, 'tools@example.com', 'tools')
  await expect(page.getByText(/^1 server\(s\) connected, \d+ tools available$/)).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search tools' }).fill('two numbers')
  const add = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Test add' }) })
  await expect(page.getByRole('button', { name: /^Test (?!with)/ })).toHaveCount(1)
  await add.getByText('View Schema').click()
  await expect(add.getByText('"additionalProperties": false')).toBeVisible()
  await add.getByRole('button', { name: 'Test with arguments' }).click()
  await add.getByRole('textbox', { name: 'a (required)' }).fill('x')
  await add.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(add.getByRole('alert')).toHaveText('a: expected a number, such as 1.5.')
  await add.getByRole('textbox', { name: 'a (required)' }).fill('20')
  await add.getByRole('textbox', { name: 'b (required)' }).fill('22')
  await add.getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(add.getByRole('textbox', { name: 'Arguments as JSON' })).toHaveValue('{\n  "a": 20,\n  "b": 22\n}')
  await add.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(add.getByRole('row', { name: 'Result 42' })).toBeVisible()

  await page.getByRole('button', { name: 'Log', exact: true }).click()
  const entry = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Call again: add' }) })
  await expect(entry).toContainText('0 credits')
  await expect(entry).toContainText('2026-07-28')
  await entry.getByText('Copy as code').click()
  await expect(entry.getByText('"method":"tools/call"')).toBeVisible()
  await entry.getByText('tools/call', { exact: true }).click()
  await expect(entry.getByText('"method": "tools/call"')).toBeVisible()
  await expect(entry.getByText('mcp-name: add')).toBeVisible()
  await expect(entry.getByText('x-credits-charged: 0')).toBeVisible()
  await entry.getByRole('button', { name: 'Call again: add' }).click()
  await expect(page.getByRole('button', { name: 'Call again: add' })).toHaveCount(2)
})

test('Tools: a tool without a description says so; Refresh refetches', async ({ page, baseURL }) => {
  await page.route('**/servers/finmeter/tools', (route) =>
    route.fulfill({
      json: {
        success: true,
        data: { tools: [{ name: 'bare', inputSchema: { type: 'object' }, serverName: 'finmeter', tokens: 3 }] },
      },
    }),
  )
  await openConnected(page, baseURL, 'bare@example.com', 'tools')
  await expect(page.getByText('No description available', { exact: true })).toBeVisible()
  const asked = page.waitForRequest('**/servers/finmeter/tools')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await asked
})

test('Tools: Test calls the first connected server, whichever server has the tool', async ({ page, baseURL }) => {
  await page.route('**/api/playground/servers', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    const [own] = body.data.servers
    if (own) body.data.servers.push({ ...own, name: 'second', endpoint: 'https://second.example.com/mcp' })
    await route.fulfill({ response: answer, json: body })
  })
  const tool = { name: 'other', inputSchema: { type: 'object' }, serverName: 'second', tokens: 3 }
  await page.route('**/servers/second/tools', (route) =>
    route.fulfill({ json: { success: true, data: { tools: [tool] } } }),
  )
  await openConnected(page, baseURL, 'two-servers@example.com', 'tools')
  await expect(page.getByText(/^2 server\(s\) connected, \d+ tools available$/)).toBeVisible()
  const called = page.waitForRequest('**/tools/other/call')
  await page.getByRole('button', { name: 'Test other' }).click()
  const request = await called
  expect(new URL(request.url()).pathname).toBe('/api/playground/servers/finmeter/tools/other/call')
  expect(request.postDataJSON()).toMatchObject({ arguments: {} })
})

test('Tools: resources, templates with suggested values, and prompts can be read', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'reads@example.com', 'tools')
  await page.getByRole('button', { name: 'Resources', exact: true }).click()
  const entry = (button: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('button', { name: button, exact: true }) })
  const resource = entry('Read dataset://us-cpi')
  await resource.getByRole('button').click()
  await expect(resource.getByText('"id": "us-cpi"')).toBeVisible()

  const template = entry('Read schema://{id}')
  await template.getByRole('combobox', { name: 'id' }).fill('us-c')
  await expect(template.locator('datalist option[value=us-cpi]')).toHaveCount(1)
  await template.getByRole('combobox', { name: 'id' }).fill('us-cpi')
  await template.getByRole('combobox', { name: 'id' }).press('Enter')
  await expect(template.getByText('schema://us-cpi', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Prompts', exact: true }).click()
  const prompt = entry('Get messages analyze_stock')
  await prompt.getByRole('combobox', { name: 'symbol (required)' }).fill('AAPL')
  await prompt.getByRole('button').click()
  await expect(prompt.getByText('Analyze AAPL', { exact: false })).toBeVisible()
})

test('Tools: content of another server is shown by type, nested arguments by form and as JSON', async ({
  page,
  baseURL,
}) => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const page_ = { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } }
  const tool = {
    name: 'rich',
    description: 'Answers in parts',
    inputSchema: { type: 'object', properties: { page: page_, side: { enum: [1, 2] } } },
    outputSchema: { type: 'object', title: 'what comes out' },
    hints: { readOnly: false, destructive: true },
    serverName: 'finmeter',
    tokens: 3,
  }
  await page.route('**/servers/finmeter/tools', (route) =>
    route.fulfill({ json: { success: true, data: { tools: [tool] } } }),
  )
  const sent: unknown[] = []
  const content = [
    { type: 'text', text: 'plain <b>words</b>' },
    { type: 'image', mimeType: 'image/png', data: pixel },
    { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
    { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zy8+' },
    { type: 'resource_link', uri: 'javascript:alert(1)', name: 'a link' },
    { type: 'resource_link', uri: 'https://example.com/x', name: 'another' },
  ]
  const call = { durationMs: 1, protocolVersion: '2026-07-28', tokens: 1, exchanges: [] }
  await page.route('**/tools/rich/call', (route) => {
    sent.push(route.request().postDataJSON().arguments)
    return route.fulfill({ json: { success: true, data: { result: { content }, call } } })
  })
  await openConnected(page, baseURL, 'rich@example.com', 'tools')
  const item = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Test rich' }) })
  await expect(item.getByText('destructive', { exact: true })).toBeVisible()
  await item.getByText('View Output Schema').click()
  await expect(item.getByText('"title": "what comes out"')).toBeVisible()
  await item.getByRole('button', { name: 'Test with arguments' }).click()
  await item.getByRole('textbox', { name: 'page.size' }).fill('5')
  await item.getByRole('combobox', { name: 'side' }).selectOption('2')
  await item.getByRole('button', { name: 'JSON', exact: true }).click()
  const json = item.getByRole('textbox', { name: 'Arguments as JSON' })
  expect(JSON.parse(await json.inputValue())).toEqual({ page: { size: 5 }, side: 2 })
  await json.fill('{"page": {"size": 6}, "more": 1}')
  await item.getByRole('button', { name: 'Form', exact: true }).click()
  await expect(item.getByRole('alert')).toHaveText(
    'The form cannot show all of these arguments. Keep using JSON, or remove arguments that the schema does not define.',
  )
  await json.fill('{"page": {"size": 7}}')
  await item.getByRole('button', { name: 'Form', exact: true }).click()
  await expect(item.getByRole('textbox', { name: 'page.size' })).toHaveValue('7')
  await item.getByText('Copy as code').click()
  await expect(item.getByText('"arguments":{"page":{"size":7}}')).toBeVisible()
  await item.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(item.getByText('rich returned a result', { exact: true })).toBeVisible()
  expect(sent).toEqual([{ page: { size: 7 } }])

  const answer = item.locator('[data-type=success]')
  await expect(answer.getByText('plain <b>words</b>', { exact: true })).toBeVisible()
  await expect(answer.getByRole('img', { name: 'image/png, 1 KiB' })).toHaveJSProperty('naturalWidth', 1)
  await expect(answer.locator('audio')).toHaveCount(1)
  await expect(answer.locator('img')).toHaveCount(1)
  await expect(answer.getByText('javascript:alert(1)')).toBeVisible()
  await expect(answer.getByRole('link')).toHaveCount(1)
  await expect(answer.getByRole('link')).toHaveAttribute('href', 'https://example.com/x')
})

test('Tools: a call copied as code runs once the key is filled in', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'code@example.com', 'tools')
  const item = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Test echo' }) })
  await item.getByRole('button', { name: 'Test with arguments' }).click()
  const text = `it's "quoted" \\ $HOME \`x\` 😀`
  await item.getByRole('textbox', { name: 'text (required)' }).fill(text)
  await item.getByText('Copy as code').click()
  const code = async (language: string) => {
    await item.getByRole('button', { name: language, exact: true }).click()
    return ((await item.locator('figure code').textContent()) ?? '').replaceAll('YOUR_API_KEY', 'demo')
  }
  // Each language escapes the text before this differently.
  const rest = '$HOME `x` 😀'
  /** Null if this machine does not have the program. */
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, ['--version']).error
      ? null
      : execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const answer = run('curl', '--version') && run('sh', '-c', await code('curl'))
  if (answer) expect(JSON.parse(answer).result.structuredContent).toEqual({ text })
  expect(run(process.execPath, '--input-type=module', '-e', await code('TypeScript'))).toContain(rest)
  expect(run('python3', '-c', await code('Python')) ?? rest).toContain(rest)
  expect(JSON.parse(await code('AI client')).mcpServers.finmeter).toEqual({
    type: 'http',
    url: `${baseURL}/mcp`,
    headers: { Authorization: 'Bearer demo' },
  })
})

test('Settings: versions, features, commands, links', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'settings@example.com', 'settings')
  for (const text of ['1.0.0', '2024-11-05', '2026-07-28', 'help', 'convert 100 EUR to USD'])
    await expect(page.getByText(text, { exact: true }).first()).toBeVisible()
})

test('on a small screen the tabs slide in, and close after a choice', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await openConnected(page, baseURL, 'small@example.com')
  await page.getByRole('button', { name: 'Open playground menu' }).click()
  const menu = page.getByRole('dialog', { name: 'Playground menu' })
  await menu.getByRole('button', { name: 'Settings' }).click()
  await expect(menu).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Settings', level: 2 })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
})

test('keyboard only: from the tabs to a call', async ({ page, baseURL }) => {
  await openConnected(page, baseURL, 'keys@example.com')
  await page.getByRole('button', { name: 'Tools', exact: true }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Tools', level: 2 })).toBeVisible()
  await page.getByRole('button', { name: 'Chat' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('textbox', { name: 'Message' }).focus()
  await page.keyboard.type('add 1 + 1')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('log').getByRole('row', { name: 'Result 2' })).toBeVisible()
})
