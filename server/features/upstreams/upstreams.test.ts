import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'
import { addVersion } from './add-version.ts'
import { upstreamLines } from './list.ts'
import { pause, resume } from './pause.ts'
import { prepareVersion } from './prepare-version.ts'
import { publishVersion } from './publish.ts'
import { parseManifest } from './read-manifest.ts'
import { removeUpstream } from './remove.ts'
import { rollBack } from './rollback.ts'
import { acmeDocument } from './testing/acme-document.ts'
import { type Loopback, startLoopback } from './testing/loopback.ts'

let server: TestServer
let second: TestServer
let upstream: Loopback
let account: { accountId: string; key: string }
/** What the upstream answers; each test begins with a price. */
let answer: Parameters<typeof startLoopback>[0]
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  process.env.ACME_KEY = 'sk-acme-0123456789'
  upstream = await startLoopback((request, response) => answer(request, response))
  server = await startTestServer()
  second = await startTestServer({ databaseUrl: server.databaseUrl })
})
afterAll(async () => {
  delete process.env.ACME_KEY
  upstream?.close()
  await second?.close()
  await server?.close()
})
beforeEach(async () => {
  upstream.seen.length = 0
  answer = (_request, response) => response.writeHead(200, json).end('{"price":1.5}')
  account = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1_000_000)
})

const manifest = (id: string, more: object = {}) =>
  parseManifest({
    id,
    kind: 'openapi',
    document: 'acme.json',
    base: `${upstream.url}/v2`,
    auth: { header: 'X-Key', secret: 'env:ACME_KEY' },
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 1 },
    ...more,
  })
const prepare = (id: string, more?: object) =>
  prepareVersion(manifest(id, more), acmeDocument, process.env, server.deps.tools)
const add = async (id: string, more?: object, draft = false) =>
  addVersion(server.db.kysely, await prepare(id, more), draft)
const call = (path: string, init: RequestInit = {}, at = server, key = account.key) =>
  fetch(`${at.url}/v1/${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } })
const statusOf = async (path: string, at = server) => (await call(path, {}, at)).status
const charged = (response: Response) => response.headers.get('x-credits-charged')

test('what is published is sold over REST: charged, with a receipt, and the upstream knows for whom', async () => {
  await add('acme')
  await expect.poll(() => statusOf('acme/prices/ACME')).toBe(200)
  const response = await call('acme/prices/ACME?days=5')
  expect(await response.json()).toEqual({ price: 1.5 })
  expect(charged(response)).toBe('1')
  const receipt = response.headers.get('x-receipt-id')
  expect(receipt).toMatch(/\w{10}/)
  const seen = upstream.seen.at(-1)!
  expect(seen).toMatchObject({ method: 'GET', url: '/v2/prices/ACME?days=5' })
  expect(seen.headers).toMatchObject({ 'x-key': 'sk-acme-0123456789', 'finmeter-account': account.accountId })
  expect(JSON.stringify(seen)).not.toContain(account.key)
})

test('attacks on a path or a parameter never reach the upstream', async () => {
  await add('acme')
  await expect.poll(() => statusOf('acme/search?q=x')).toBe(200)
  upstream.seen.length = 0
  for (const path of [
    'acme/prices/..%2fadmin',
    'acme/prices/%252e%252e',
    'acme/prices/a%5Cb',
    'acme/prices/a%0d%0aX-Admin:1',
    'acme/prices/ACME?days=many',
  ])
    expect([path, await statusOf(path)]).toEqual([path, 400])
  const unknown = await call('acme/prices/ACME?admin=true')
  expect(await unknown.json()).toMatchObject({ code: 'invalid_parameter', param: 'admin' })
  expect(await statusOf('acme/orders')).toBe(404)
  expect(upstream.seen).toEqual([])
})

test('an MCP client has the same operations', async () => {
  await add('acme')
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${account.key}` } },
  })
  await expect.poll(() => statusOf('acme/search?q=x')).toBe(200)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'acme_get_price')).toMatchObject({
    title: 'Last price of a symbol',
    inputSchema: { properties: { symbol: { type: 'string' }, days: { type: 'integer' } }, required: ['symbol'] },
  })
  const result = await client.callTool({ name: 'acme_get_price', arguments: { symbol: 'ACME' } })
  expect(JSON.stringify(result.content)).toContain('1.5')
  // What cannot be written as a value again is paid for, and arrives as text.
  const deep = `{"price":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
  answer = (_request, response) => response.writeHead(200, json).end(deep)
  const text = await client.callTool({ name: 'acme_get_price', arguments: { symbol: 'ACME' } })
  expect(text.content).toEqual([{ type: 'text', text: deep }])
  expect([text.structuredContent, text.isError]).toEqual([undefined, undefined])
  await client.close()
})

test('what the upstream gets wrong is not charged', async () => {
  await add('acme')
  await expect.poll(() => statusOf('acme/prices/ACME')).toBe(200)
  const before = await balance()
  const answers: [Parameters<typeof startLoopback>[0], number, string | undefined][] = [
    [(_request, response) => response.writeHead(500).end('stack trace'), 502, 'upstream_failed'],
    [(_request, response) => response.writeHead(302, { location: 'http://127.0.0.1/x' }).end(), 502, 'upstream_failed'],
    [(_request, response) => response.writeHead(200, json).end('{"price":'), 502, 'upstream_failed'],
    [(request) => request.socket.destroy(), 502, 'upstream_failed'],
    [(request, response) => response.writeHead(200, json).end(JSON.stringify(request.headers)), 502, 'upstream_failed'],
    [(_request, response) => response.writeHead(404, json).end('{"error":"none"}'), 404, undefined],
  ]
  for (const [made, status, code] of answers) {
    answer = made
    const response = await call('acme/prices/ACME')
    const text = await response.text()
    expect([response.status, JSON.parse(text).code]).toEqual([status, code])
    expect(text).not.toContain('sk-acme')
    expect(text).not.toContain('stack')
  }
  expect(await balance()).toBe(before)
})

const balance = async () =>
  (
    await server.db.pool.query(
      'select c.balance::int as n from credit_accounts c join accounts a on a.id = c.account_id where a.public_id = $1',
      [account.accountId],
    )
  ).rows[0].n

test('every server takes over what is published, rolled back, paused, resumed and removed', async () => {
  const on = (...expected: [number, number]) =>
    expect
      .poll(async () => [await statusOf('shape/search?q=x'), await statusOf('shape/search?q=x', second)])
      .toEqual(expected)
  await add('shape', {}, true)
  expect(await statusOf('shape/search?q=x')).toBe(404)
  await publishVersion(server.db.kysely, 'shape')
  await on(200, 200)
  expect(await add('shape', { operations: { search: { publish: false } } })).toBe(2)
  await on(404, 404)
  expect(await rollBack(server.db.kysely, 'shape')).toBe(1)
  await on(200, 200)
  await pause(server.db.kysely, 'shape')
  await on(404, 404)
  await resume(server.db.kysely, 'shape')
  await on(200, 200)
  await expect(rollBack(server.db.kysely, 'shape')).rejects.toThrow('shape has no version before 1.')
  await expect(publishVersion(server.db.kysely, 'shape', 9)).rejects.toThrow('shape has no version 9; it has 2, 1.')
  await removeUpstream(server.db.kysely, 'shape')
  await on(404, 404)
  await expect(pause(server.db.kysely, 'shape')).rejects.toThrow('There is no upstream shape.')
})

test('a call under way ends on its version', async () => {
  let finish: () => void = () => {}
  answer = (_request, response) => {
    finish = () => response.writeHead(200, json).end('{"price":2}')
  }
  await add('slow')
  await expect.poll(() => server.deps.tools.current().get('slow_get_price')).toBeTruthy()
  const waiting = call('slow/prices/ACME')
  await expect.poll(() => upstream.seen.length).toBe(1)
  await removeUpstream(server.db.kysely, 'slow')
  await expect.poll(() => server.deps.tools.current().get('slow_get_price')).toBe(undefined)
  finish()
  const response = await waiting
  expect([response.status, charged(response), await response.json()]).toEqual([200, '1', { price: 2 }])
})

test('a version that a server cannot open changes nothing there', async () => {
  await add('sealed')
  await expect.poll(() => statusOf('sealed/search?q=x')).toBe(200)
  await add('sealed', { auth: { bearer: 'ACME_KEY_THAT_IS_NOT_SET' }, operations: { search: { publish: false } } })
  await add('after')
  await expect.poll(() => statusOf('after/search?q=x')).toBe(200)
  expect(await statusOf('sealed/search?q=x')).toBe(200)
})

test('the demo key and accounts without the plan are refused', async () => {
  await add('gated', { defaults: { credits: 1, plans: ['pro'] } })
  await expect.poll(() => server.deps.tools.current().get('gated_search')).toBeTruthy()
  upstream.seen.length = 0
  for (const [key, code] of [
    ['demo', 'forbidden'],
    [account.key, 'not_entitled'],
  ] as const) {
    const response = await call('gated/search?q=x', {}, server, key)
    expect([response.status, (await response.json()).code]).toEqual([403, code])
  }
  expect(upstream.seen).toEqual([])
})

test('other methods are published when they are named, and get their body', async () => {
  await add('trade', { defaults: { credits: 2, publish: 'named' }, operations: { placeOrder: {} } })
  answer = (_request, response) => response.writeHead(201, json).end('{"id":1}')
  await expect.poll(() => server.deps.tools.current().get('trade_place_order')).toBeTruthy()
  const order = {
    method: 'POST',
    headers: { ...json, 'idempotency-key': 'once-1' },
    body: '{"symbol":"ACME","count":2}',
  }
  const response = await call('trade/orders', order)
  expect([response.status, charged(response), await response.json()]).toEqual([201, '2', { id: 1 }])
  expect(upstream.seen.at(-1)).toMatchObject({ method: 'POST', body: '{"symbol":"ACME","count":2}' })
  const own = upstream.seen.at(-1)!.headers['idempotency-key']
  expect(own).toMatch(/^[0-9a-f]{64}$/)
  const other = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1_000_000)
  expect((await call('trade/orders', order, server, other.key)).status).toBe(201)
  expect(upstream.seen).toHaveLength(2)
  expect(upstream.seen.at(-1)!.headers['idempotency-key']).not.toBe(own)
})

test('answers that do not fit their description are told to the operator, and to no customer', async () => {
  answer = (_request, response) => response.writeHead(200, json).end('{"prize":"private"}')
  await add('drift')
  await expect.poll(() => server.deps.tools.current().get('drift_get_price')).toBeTruthy()
  const response = await call('drift/prices/ACME')
  expect([response.status, await response.json()]).toEqual([200, { prize: 'private' }])
  const noted = async () => (await upstreamLines(server.db)).find((line) => line.includes('did not fit')) ?? ''
  await expect
    .poll(noted)
    .toContain(
      "  getPrice: an answer did not fit its description (#/required: must have required property 'price'), 1 times",
    )
  expect(await noted()).not.toContain('private')
})

test('what cannot be published is refused before anything is stored', async () => {
  const refused: [string, object, string][] = [
    ['bars', {}, '/v1/bars belongs to Finmeter itself'],
    ['none', { defaults: {} }, 'Nothing can be published.'],
    ['none', { operations: { getPrise: {} } }, 'The description has no operation getPrise. Is it getPrice?'],
    ['none', { operations: { getPrice: { name: 'get_bars' } } }, 'Two tools are named get_bars.'],
    ['none', { private_hosts: [], base: 'https://127.0.0.1' }, '127.0.0.1 is in a private network'],
    ['none', { auth: { bearer: 'KEYS_SECRET' } }, 'KEYS_SECRET is a setting of Finmeter itself'],
  ]
  process.env.KEYS_SECRET ??= 'ab'.repeat(32)
  for (const [id, more, message] of refused) await expect(prepare(id, more)).rejects.toThrow(message)
  expect((await upstreamLines(server.db)).join()).not.toContain('none')
})
