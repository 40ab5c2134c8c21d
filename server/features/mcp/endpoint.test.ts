import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestKey } from '../../testing/factories.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer()
})
afterAll(() => server?.close())

const rpc = (method: string, params: unknown = {}) => JSON.stringify({ jsonrpc: '2.0', id: 9, method, params })
const post = (body: string, headers: Record<string, string> = {}, path = '/mcp') =>
  fetch(`${server.url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

async function call(key: TestKey, name: string, args: unknown, meta?: unknown) {
  const answer = await post(rpc('tools/call', { name, arguments: args, _meta: meta }), { 'x-api-key': key.value })
  expect(answer.status).toBe(200)
  return { ...(await answer.json()).result, headers: answer.headers }
}

test('without a key: HTTP 401 as a JSON-RPC error with an OAuth hint; with a wrong key in the URL without one', async () => {
  const missing = await post(rpc('tools/list'))
  expect(missing.status).toBe(401)
  expect(missing.headers.get('www-authenticate')).toBe(
    `Bearer realm="Finmeter API key", resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp", scope="data:read"`,
  )
  expect(await missing.json()).toEqual({
    jsonrpc: '2.0',
    error: {
      code: -32000,
      message: 'An API key is required. Send it as Authorization: Bearer, X-API-Key or ?apikey=.',
      data: { code: 'key_missing' },
    },
    id: null,
  })
  const invalid = await post(rpc('tools/list'), {}, '/mcp?apikey=fm_wrong')
  expect(invalid.status).toBe(401)
  expect(invalid.headers.get('www-authenticate')).toBe('Bearer realm="Finmeter API key"')
  expect(await invalid.json()).toMatchObject({ error: { data: { code: 'key_invalid' } } })
})

test('the URL also works with a trailing slash', async () => {
  const { value } = await server.key()
  const answer = await post(rpc('ping'), {}, `/mcp/?apikey=${value}`)
  expect([answer.status, await answer.json()]).toEqual([200, { jsonrpc: '2.0', id: 9, result: {} }])
  expect((await post(rpc('ping'), {}, '/mcp/')).status).toBe(401)
})

test('refusals are tool errors in plain words, and cost nothing', async () => {
  const key = await server.key({ credits: 2 })
  const noCredits = await call(key, 'test_rows', { symbol: 'A' })
  expect(noCredits).toMatchObject({
    isError: true,
    _meta: { 'finmeter/error': 'insufficient_credits', 'finmeter/credits-charged': 0 },
  })
  expect(noCredits.content[0].text).toContain('/dashboard/billing/')
  expect(noCredits.structuredContent).toBeUndefined()
  const symbol = await call(key, 'test_rows', { symbol: 'NOPE', rows: 1 })
  expect(symbol.content[0].text).toMatch(/NOPE|credits/)
  expect((await call(key, 'add', { a: 1 })).content[0].text).toBe('b is required.')
  expect((await call(key, 'add', { a: 1, b: 2, c: 3 })).content[0].text).toBe(
    'Unknown parameter "c". Known parameters: a, b.',
  )
  expect((await call(key, 'add', undefined)).isError).toBe(true)
  const broken = await call(await server.key({ credits: 5 }), 'test_failing', { mode: 'throw' })
  expect(broken).toMatchObject({ isError: true, content: [{ text: 'Something went wrong on our side.' }] })
  expect(await server.spending(key.accountId)).toMatchObject({ rows: 0, credits: 0 })
})

test('an unknown symbol suggests others', async () => {
  const result = await call(await server.key({ credits: 50 }), 'test_rows', { symbol: 'NOPE' })
  expect(result.content[0].text).toBe('NOPE is not in the catalog. Did you mean NOTE or ROPE?')
})

test('above the limit: a tool error with the time to wait in words, _meta and headers', async () => {
  const key = await server.key({ credits: 50, rateLimit: 1 })
  await call(key, 'add', { a: 1, b: 2 })
  const result = await call(key, 'add', { a: 1, b: 2 })
  expect(result).toMatchObject({
    isError: true,
    _meta: { 'finmeter/error': 'rate_limited', 'finmeter/retry-after': expect.any(Number) },
  })
  expect(result.content[0].text).toMatch(/Try again in \d+ s\./)
  expect(result.headers.get('retry-after')).toBe(String(result._meta['finmeter/retry-after']))
  expect(result.headers.get('ratelimit-policy')).toBe('"account";q=1;w=60')
})

test('an idempotency key makes the retry free; with another request it is refused', async () => {
  const key = await server.key({ credits: 50 })
  const meta = { 'finmeter/idempotency-key': 'k' }
  const first = await call(key, 'test_rows', { symbol: 'A' }, meta)
  const again = await call(key, 'test_rows', { symbol: 'A' }, meta)
  expect(again._meta).toMatchObject({
    'finmeter/credits-charged': 0,
    'finmeter/receipt-id': first._meta['finmeter/receipt-id'],
  })
  expect((await call(key, 'test_rows', { symbol: 'B' }, meta))._meta['finmeter/error']).toBe('idempotency_mismatch')
  const rest = await fetch(`${server.url}/v1/test/rows/A?rows=1`, {
    headers: { 'x-api-key': key.value, 'idempotency-key': 'k' },
  })
  expect(rest.headers.get('x-credits-charged')).toBe('0')
  expect(await server.spending(key.accountId)).toMatchObject({ credits: 3 })
})

test('a browser gets a help page; streams and sessions are not served', async () => {
  const page = await fetch(`${server.url}/mcp`, { headers: { accept: 'text/html,application/xhtml+xml' } })
  expect(page.status).toBe(200)
  expect(await page.text()).toContain(`claude mcp add --transport http finmeter ${server.url}/mcp`)
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const answer = await fetch(`${server.url}/mcp`, { method, headers: { accept: 'text/event-stream' } })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 }, id: null })
  }
})

test('bodies over 256 KiB are 413, other media types 415, broken JSON 400', async () => {
  const { value } = await server.key()
  const key = { 'x-api-key': value }
  expect((await post(rpc('tools/call', { name: 'echo', arguments: { text: 'x'.repeat(262_144) } }), key)).status).toBe(
    413,
  )
  expect((await post(rpc('ping'), { ...key, 'content-type': 'text/plain' })).status).toBe(415)
  const broken = await post('{"jsonrpc"', key)
  expect(broken.status).toBe(400)
  expect(await broken.json()).toMatchObject({ error: { code: -32700 } })
  expect((await post('', key)).status).toBe(400)
})

test('a foreign Host and, on a local server, a foreign Origin are refused; otherwise CORS is open, never with cookies', async () => {
  const { value } = await server.key()
  expect(await statusWithHost('evil.example')).toBe(403)
  for (const host of ['localhost.evil.example', '127.0.0.1.evil.example']) expect(await statusWithHost(host)).toBe(403)
  expect(await statusWithHost('127.0.0.1')).toBe(401)
  expect((await post(rpc('ping'), { 'x-api-key': value, origin: 'https://evil.example' })).status).toBe(403)
  expect((await post(rpc('ping'), { 'x-api-key': value, origin: 'null' })).status).toBe(403)
  const local = await post(rpc('ping'), { 'x-api-key': value, origin: 'http://localhost:6274' })
  expect(local.status).toBe(200)
  expect(local.headers.get('access-control-allow-origin')).toBe('*')
  expect(local.headers.has('access-control-allow-credentials')).toBe(false)
})

/** fetch sets Host itself; this does not. */
function statusWithHost(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}/mcp`,
      { method: 'POST', headers: { host, 'content-type': 'application/json' } },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      },
    )
    sent.on('error', reject).end(rpc('ping'))
  })
}

test('server.json describes this installation for a registry', async () => {
  const answer = await fetch(`${server.url}/server.json`)
  expect(await answer.json()).toMatchObject({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'localhost/finmeter',
    remotes: [{ type: 'streamable-http', url: `${server.url}/mcp`, headers: [{ name: 'X-API-Key', isSecret: true }] }],
  })
})
