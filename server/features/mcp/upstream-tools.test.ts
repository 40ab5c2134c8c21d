import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestKey } from '../../testing/factories.ts'
import { json, operation } from '../tools/testing/body-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
let key: TestKey
beforeAll(async () => {
  server = await startToolServer()
  key = await server.key({ credits: 1000 })
})
afterAll(() => server?.close())

let id = 0
async function rpc(method: string, params: unknown = {}, query = '') {
  const answer = await fetch(`${server.url}/mcp${query}`, {
    method: 'POST',
    headers: {
      'x-api-key': key.value,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
  })
  return (await answer.json()).result
}
const call = (name: string, args: unknown = {}) => rpc('tools/call', { name, arguments: args })
const publish = (...tools: Parameters<typeof operation>[]) =>
  server.deps.tools.replace(
    'upstreams',
    tools.map((one) => operation(...one)),
  )

test('operations are listed with their hints, unless they are left out', async () => {
  await publish(
    ['read', () => json({})],
    ['write', () => json({}), { method: 'POST' }],
    ['remove', () => json({}), { method: 'DELETE', mcp: false }],
  )
  const { tools } = await rpc('tools/list', {}, '?tools=acme')
  expect(tools).toMatchObject([
    { name: 'acme_read', annotations: { readOnlyHint: true, openWorldHint: true } },
    { name: 'acme_write', annotations: { readOnlyHint: false, openWorldHint: true } },
  ])
  expect(tools[1].annotations).not.toHaveProperty('destructiveHint')
  expect(tools[0]).not.toHaveProperty('outputSchema')
  expect(tools[0].inputSchema).toEqual({ type: 'object', properties: {}, required: [], additionalProperties: false })
})

test.each([
  [json({ a: 1 }), { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } }],
  [json([1]), { content: [{ type: 'text', text: '[1]' }] }],
  [
    { status: 200, headers: { 'content-type': 'text/csv' }, body: Buffer.from('a,b') },
    { content: [{ type: 'text', text: 'a,b' }] },
  ],
  [
    { status: 200, headers: { 'content-type': 'image/png' }, body: Buffer.from('png') },
    { content: [{ type: 'image', data: 'cG5n', mimeType: 'image/png' }] },
  ],
  [
    {
      status: 200,
      headers: {},
      body: Buffer.alloc(0),
      mcp: { content: [{ type: 'text', text: 'hi' }], structuredContent: { b: 2 } },
    },
    { content: [{ type: 'text', text: 'hi' }], structuredContent: { b: 2 } },
  ],
])('an answer over MCP: %o', async (answer, result) => {
  await publish(['any', () => answer])
  const { _meta, ...rest } = await call('acme_any')
  expect(rest).toEqual(result)
  expect(_meta).toMatchObject({ 'finmeter/credits-charged': 2 })
})

test('a status that is an error, and an error of an MCP server, are tool errors, and free', async () => {
  await publish(
    ['missing', () => json({ message: 'no such thing' }, 404)],
    ['fails', () => ({ ...json({}), mcp: { content: [{ type: 'text', text: 'no' }], isError: true } })],
  )
  expect(await call('acme_missing')).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: '{"message":"no such thing"}' }],
    _meta: { 'finmeter/status': 404, 'finmeter/credits-charged': 0 },
  })
  expect(await call('acme_fails')).toMatchObject({ isError: true, _meta: { 'finmeter/credits-charged': 0 } })
})

test('a stream is read to its end, and its final charge stands in the result', async () => {
  const stream = new PassThrough()
  stream.end('data: 1\n\ndata: 2\n\n')
  const headers = { 'content-type': 'text/event-stream' }
  await publish([
    'stream',
    () => ({ status: 200, headers, stream }),
    { credits: { kind: 'rows', at: '', per: 1, credits: 3, most: 30 }, streamMs: 10_000 },
  ])
  expect(await call('acme_stream')).toMatchObject({
    content: [{ type: 'text', text: 'data: 1\n\ndata: 2\n\n' }],
    _meta: { 'finmeter/credits-charged': 6 },
  })
})

test('a call that reports progress is one line of the log, at its end, with its receipt', async () => {
  const lines: string[] = []
  const own = await startToolServer([], {}, lines)
  const { value } = await own.key({ credits: 10 })
  const live = operation(
    'live',
    (_input, { client }) => {
      client.progress?.({ progress: 1 })
      return json({ a: 1 })
    },
    { mcp: { live: true } },
  )
  await own.deps.tools.replace('upstreams', [live])
  const answer = await fetch(`${own.url}/mcp`, {
    method: 'POST',
    headers: { 'x-api-key': value, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'acme_live', arguments: {}, _meta: { progressToken: 'mine' } },
    }),
  })
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  const text = await answer.text()
  expect(text).toContain('"progressToken":"mine"')
  expect(text.indexOf('notifications/progress')).toBeLessThan(text.indexOf('finmeter/receipt-id'))
  const logged = () => lines.map((line) => JSON.parse(line)).filter(({ tool }) => tool === 'acme_live')
  await expect.poll(logged).toEqual([expect.objectContaining({ result: 'success', receipt: expect.any(String) })])
  await own.close()
})

/** The stream of changes of protocol 2026-07-28. */
async function listen() {
  const meta = 'io.modelcontextprotocol/'
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'x-api-key': key.value,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: { [`${meta}protocolVersion`]: '2026-07-28', [`${meta}clientCapabilities`]: {} },
      },
    }),
  })
  return answer.body!.pipeThrough(new TextDecoderStream()).getReader()
}

test('a client that listens hears of a change, and calls under way end on the tool they began with', async () => {
  const gate = Promise.withResolvers<void>()
  let begun = 0
  await publish([
    'slow',
    async () => {
      begun++
      await gate.promise
      return json({ version: 1 })
    },
  ])
  const changes = await listen()
  expect((await changes.read()).value).toContain('acknowledged')
  const underWay = Array.from({ length: 20 }, () => call('acme_slow'))
  await expect.poll(() => begun).toBe(20)
  await publish(['slow', () => json({ version: 2 })], ['added', () => json({})])
  expect((await changes.read()).value).toContain('notifications/tools/list_changed')
  expect((await call('acme_slow')).structuredContent).toEqual({ version: 2 })
  gate.resolve()
  for (const result of await Promise.all(underWay)) expect(result.structuredContent).toEqual({ version: 1 })
  await changes.cancel()
})
