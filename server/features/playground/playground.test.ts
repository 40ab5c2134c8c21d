import { describe, expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { startSession } from '../../testing/session.ts'

const server = await closeAfterTests(startTestServer())
const person = await startSession(server)
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })

const base = '/api/playground'
const own = `${base}/servers/finmeter`
const connect = (name: string, body?: unknown, who = person) =>
  who.call('POST', `${base}/servers/${name}/connect`, { body: body ?? {} })
const callTool = (tool: string, body: unknown) => person.call('POST', `${own}/tools/${tool}/call`, { body })
const rows = async (account = person) => {
  const { body } = await account.call('GET', '/api/usage/receipts')
  return body.data.receipts
}

test('without a session every route is refused', async () => {
  for (const [method, path] of [
    ['GET', `${base}/servers`],
    ['GET', `${own}/tools`],
    ['POST', `${own}/tools/add/call`],
    ['GET', `${base}/health`],
    ['POST', `${base}/stream/ticket`],
  ] as const) {
    const answer = await fetch(server.url + path, { method })
    expect([path, answer.status, (await answer.json()).error]).toEqual([
      path,
      401,
      'User is not authenticated. Please log in.',
    ])
  }
})

describe('the own server', () => {
  test('connects with an empty body, is listed, and reports its negotiated version', async () => {
    expect((await person.call('GET', `${base}/servers`)).body.data.servers).toEqual([])
    const { status, body } = await connect('finmeter')
    expect(status).toBe(200)
    const row = {
      name: 'finmeter',
      connected: true,
      endpoint: `${server.url}/mcp`,
      protocolVersion: '2026-07-28',
      definitionsChanged: false,
      changedTools: [],
    }
    expect(body).toEqual({ success: true, data: { server: row } })
    expect((await connect('finmeter', { command: 'finmeter', args: [] })).status).toBe(200)
    expect((await person.call('GET', `${base}/servers`)).body.data).toEqual({
      servers: [row],
      offered: [],
      urlsAllowed: false,
      chatModel: null,
    })
  })

  test('lists its tools with schema, price and size', async () => {
    const { body } = await person.call('GET', `${own}/tools`)
    const add = body.data.tools.find((tool: { name: string }) => tool.name === 'add')
    expect(add).toMatchObject({
      serverName: 'finmeter',
      credits: { kind: 'fixed', credits: 0 },
      inputSchema: { type: 'object', required: ['a', 'b'] },
    })
    expect(add.tokens).toBeGreaterThan(20)
  })

  test('answers a call and returns its HTTP exchange without credentials', async () => {
    const { status, body } = await callTool('add', { arguments: { a: 2, b: 3 } })
    expect(status).toBe(200)
    expect(body.data.result).toMatchObject({ structuredContent: { result: 5 } })
    expect(body.data.result._meta['finmeter/credits-charged']).toBe(0)
    const sent = body.data.call.exchanges.at(-1)
    expect(sent).toMatchObject({ method: 'tools/call', status: 200, contentType: 'application/json' })
    expect(JSON.parse(sent.request).params).toMatchObject({ name: 'add', arguments: { a: 2, b: 3 } })
    expect(body.data.call).toMatchObject({ protocolVersion: '2026-07-28', tokens: expect.any(Number) })
    expect(JSON.stringify(body)).not.toContain(person.token)
  })

  test('a call is charged to the account or the chosen key, and recorded accordingly', async () => {
    const keys = (await person.call('GET', '/api/keys')).body.data.apiKeys
    const without = await callTool('get_quote', { arguments: { symbols: ['AAPL'] } })
    expect(without.body.data.result._meta['finmeter/credits-charged']).toBe(1)
    const withKey = await callTool('get_quote', { arguments: { symbols: ['AAPL'] }, keyId: keys[0].id })
    expect(withKey.body.data.result._meta['finmeter/credits-remaining']).toBe(998)
    const [second, first] = await rows()
    expect([first.keyName, second.keyName]).toEqual(['Playground', keys[0].name])
  })

  test('a foreign or unknown key is not found', async () => {
    const stranger = await startSession(server)
    const foreign = (await stranger.call('POST', '/api/keys', { body: { name: 'theirs' } })).body.data.apiKey
    const replies = await Promise.all(
      [foreign.id, '00000000-0000-4000-8000-000000000000'].map((keyId) =>
        callTool('add', { arguments: { a: 1, b: 2 }, keyId }),
      ),
    )
    for (const reply of replies)
      expect([reply.status, reply.body.error]).toEqual([404, 'The requested API key could not be found.'])
  })

  test('a key bound to other networks is refused, as at the endpoint', async () => {
    const bound = (await person.call('POST', '/api/keys', { body: { name: 'bound' } })).body.data.apiKey
    const call = () => callTool('add', { arguments: { a: 1, b: 2 }, keyId: bound.id })
    const bind = (network: string) =>
      server.db.pool.query('update api_keys set allowed_networks = $2::cidr[] where public_id = $1', [
        bound.id,
        [network],
      ])
    await bind('203.0.113.0/24')
    const { status, body } = await call()
    expect([status, body.error]).toEqual([
      403,
      "This API key may not be used from 127.0.0.1. The key's owner can change its allowed networks.",
    ])
    await bind('127.0.0.0/8')
    expect((await call()).status).toBe(200)
  })

  test('wrong arguments are a result of the tool, an unknown tool is an error', async () => {
    const wrong = await callTool('add', { arguments: {} })
    expect(wrong.body.data.result).toMatchObject({ isError: true, content: [{ text: 'a is required.' }] })
    const unknown = await callTool('nope', { arguments: {} })
    expect([unknown.status, unknown.body.code]).toEqual([400, 'invalid_parameter'])
    expect(unknown.body.error).toMatch(/^Unknown tool: nope\. Known tools: search_symbols, .*, add, echo, timestamp$/)
  })

  test('resources and prompts can be listed and read', async () => {
    const { body } = await person.call('GET', `${own}/resources`)
    expect(body.data.resources).toContainEqual(expect.objectContaining({ uri: 'dataset://us-cpi' }))
    const read = await person.call('POST', `${own}/resources/get`, { body: { uri: 'dataset://us-cpi' } })
    expect(JSON.parse(read.body.data.contents[0].text).id).toBe('us-cpi')
    const missing = await person.call('POST', `${own}/resources/get`, { body: { uri: 'dataset://nope' } })
    expect([missing.status, missing.body.error]).toEqual([400, expect.stringContaining('There is no resource')])
    const prompts = await person.call('GET', `${own}/prompts`)
    expect(prompts.body.data.prompts[0]).toMatchObject({ name: 'analyze_stock' })
    const got = await person.call('POST', `${own}/prompts/get`, {
      body: { name: 'analyze_stock', arguments: { symbol: 'AAPL' } },
    })
    expect(got.body.data.messages[0].content.text).toContain('Analyze AAPL')
  })

  test('is disconnected, once', async () => {
    expect((await person.call('POST', `${own}/disconnect`)).body.data).toEqual({ name: 'finmeter', disconnected: true })
    expect((await person.call('POST', `${own}/disconnect`)).status).toBe(404)
    expect((await callTool('add', { arguments: { a: 1, b: 2 } })).body.error).toBe(
      'The server finmeter is not connected. Connect it first.',
    )
    await connect('finmeter')
  })
})

describe('connect never starts a program or reaches a private network', () => {
  test('one argument is refused, even for our own server', async () => {
    const { status, body } = await connect('finmeter', { command: 'finmeter', args: ['-e'] })
    expect([status, body.error]).toEqual([400, 'args must be empty: the playground never starts a program.'])
  })

  test.each([
    ['npx', []],
    ['node', ['-e', 'process.exit()']],
    ['/bin/sh', ['-c', 'touch /tmp/owned']],
    ['python', []],
    ['docker run', []],
    ['https://mcp.example.com/mcp', []],
    ['http://127.0.0.1:5432/', []],
    ['file:///etc/passwd', []],
    ['__proto__', []],
    ['constructor', []],
  ])('%s %j', async (command, args) => {
    const { status, body } = await connect('other', { command, args })
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
    expect(body.error).toMatch(/never start/)
    const { servers } = (await person.call('GET', `${base}/servers`)).body.data
    expect(servers.map((one: { name: string }) => one.name)).toEqual(['finmeter'])
  })

  test('the built-in name cannot be given to another server', async () => {
    expect((await connect('finmeter', { command: 'https://evil.example/mcp' })).body.error).toBe(
      "server: the name finmeter is reserved for this installation's server.",
    )
  })
})

test("one person's connections are invisible to others", async () => {
  const stranger = await startSession(server)
  expect((await stranger.call('GET', `${base}/servers`)).body.data.servers).toEqual([])
  expect((await stranger.call('GET', `${own}/tools`)).status).toBe(404)
})

test('health names the tools of the own server', async () => {
  const { body } = await person.call('GET', `${base}/health`)
  expect(body).toEqual({ success: true, data: { status: 'ok', tools: server.deps.tools.current().mcpTools.length } })
})
