import { afterAll, beforeAll, expect, test } from 'vitest'
import { basicTools } from '../tools/basic/basic-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer(basicTools, { MCP_TEST_PROFILE: 'on' })
})
afterAll(() => server?.close())

const META = 'io.modelcontextprotocol/'

function send(key: string, method: string, params: Record<string, unknown>, signal?: AbortSignal) {
  const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} }
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': key,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    ...(signal && { signal }),
  })
}

const listen = (key: string, signal: AbortSignal) =>
  send(key, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, signal)

test('a subscription is a stream of changes that ends when the client disconnects', async () => {
  const { value } = await server.key()
  const abort = new AbortController()
  const answer = await listen(value, abort.signal)
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(answer.headers.get('x-accel-buffering')).toBe('no')
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toContain('notifications/subscriptions/acknowledged')
  await send(value, 'tools/call', { name: 'test_trigger_tool_change', arguments: {} })
  expect((await reader.read()).value).toContain('notifications/tools/list_changed')
  abort.abort()
})

test('a key has at most eight streams; one that ends makes room, and other keys are unaffected', async () => {
  const [one, two] = [await server.key(), await server.key()]
  const aborts = Array.from({ length: 8 }, () => new AbortController())
  for (const { signal } of aborts)
    expect((await listen(one.value, signal)).headers.get('content-type')).toContain('event')
  const refused = await listen(one.value, new AbortController().signal)
  expect(await refused.json()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Subscription limit reached: 8 streams are open for this key. Close one first.' },
  })
  const other = new AbortController()
  expect((await listen(two.value, other.signal)).headers.get('content-type')).toContain('event')
  other.abort()
  aborts[0]!.abort()
  await expect
    .poll(async () => {
      const again = new AbortController()
      const type = (await listen(one.value, again.signal)).headers.get('content-type')
      again.abort()
      return type
    })
    .toBe('text/event-stream')
  for (const abort of aborts) abort.abort()
})

test('the server closes while streams are open', async () => {
  const own = await startToolServer(basicTools, { MCP_TEST_PROFILE: 'on' })
  const { value } = await own.key()
  const answer = await fetch(`${own.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': value,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} },
      },
    }),
  })
  expect(answer.status).toBe(200)
  await own.close()
  await answer.text().catch(() => {})
})
