import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { call, startSession, type TestSession } from '../../testing/session.ts'
import { addVersion } from './add-version.ts'
import { prepareVersion } from './prepare-version.ts'
import { parseManifest } from './read-manifest.ts'
import { acmeDocument } from './testing/acme-document.ts'
import { type Loopback, startLoopback } from './testing/loopback.ts'
import { whenServed } from './testing/when-served.ts'

// What an account, its plan and its keys mean for the operations of an upstream.
let server: TestServer
let upstream: Loopback
let person: TestSession
let key: string

beforeAll(async () => {
  upstream = await startLoopback((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":1.5,"items":["A","B","C"]}'),
  )
  server = await startTestServer()
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    defaults: { publish: 'named' },
    operations: {
      getPrice: { credits: 2, plans: ['price_1AbC'] },
      search: { credits: { rows: '/items', per: 2, credits: 1, most: 10 } },
      placeOrder: { credits: 3 },
    },
  })
  const prepared = await prepareVersion(manifest, acmeDocument, {}, server.deps.tools)
  await whenServed(server, () => addVersion(server.db.kysely, prepared, false))
  await server.db.pool.query(
    `insert into plans (price_id, product_id, name, description, price_cents, currency, interval, active, features, metadata, type, credits, rate_limit_per_minute, position)
     values ('price_1AbC', 'prod_1AbC', 'Insiders', '', 0, 'usd', 'month', true, '{}', '{}', 'free', 10, 100, 9)`,
  )
})
afterAll(async () => {
  upstream?.close()
  await server?.close()
})
beforeEach(async () => {
  upstream.seen.length = 0
  person = await startSession(server)
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  key = (await createKey()).unkey
})

const createKey = async (controls: object = {}): Promise<{ unkey: string }> =>
  (await person.call('POST', '/api/keys', { body: { name: 'Mine', ...controls } })).body.data.apiKey
const get = (path: string, own = key, headers: Record<string, string> = {}) =>
  call(server, 'GET', `/v1/acme/${path}`, { headers: { 'x-api-key': own, ...headers } })
const putOnPlan = (price: string) =>
  server.db.pool.query(
    `update subscriptions set price_id = $2 where account_id in (select account_id from api_keys where start = left($1, 8))`,
    [key, price],
  )
const order = (own = key) =>
  call(server, 'POST', '/v1/acme/orders', { headers: { 'x-api-key': own }, body: { symbol: 'ACME' } })
const receipts = async () => (await person.call('GET', '/api/usage/receipts')).body.data.receipts
async function callOverMcp(name: string, args: Record<string, unknown>, own = key) {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${own}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
  try {
    return await client.callTool({ name, arguments: args })
  } finally {
    await client.close()
  }
}

test('an operation of a plan is refused to other accounts over REST and MCP, for 0 credits', async () => {
  const refused = await get('prices/ACME')
  expect([refused.status, refused.body.code]).toEqual([403, 'not_entitled'])
  expect(refused.body.detail).toBe('This operation is part of the plans: price_1AbC.')
  const overMcp = await callOverMcp('acme_get_price', { symbol: 'ACME' })
  expect(overMcp).toMatchObject({ isError: true })
  expect(JSON.stringify(overMcp)).toContain('not_entitled')
  expect(upstream.seen).toEqual([])
  expect((await receipts()).reduce((sum: number, { credits }: { credits: number }) => sum + credits, 0)).toBe(0)
})

test('a plan is named by its price, also with capitals', async () => {
  await putOnPlan('price_1AbC')
  const answer = await get('prices/ACME')
  expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '2'])
  expect(JSON.stringify(await callOverMcp('acme_get_price', { symbol: 'ACME' }))).toContain('1.5')
})

test('who has lost the plan still gets what was answered and charged under an idempotency key', async () => {
  await putOnPlan('price_1AbC')
  const again = { 'idempotency-key': 'lost-1' }
  expect((await get('prices/ACME', key, again)).headers.get('x-credits-charged')).toBe('2')
  await server.db.pool.query(`update subscriptions set status = 'canceled' where price_id = 'price_1AbC'`)
  // A server may take a moment to hear of it, and asks for the other price until then.
  await expect.poll(async () => (await get('prices/OTHER')).status).toBe(403)
  const asked = upstream.seen.length
  const kept = await get('prices/ACME', key, again)
  expect([kept.status, kept.headers.get('x-credits-charged'), upstream.seen.length]).toEqual([200, '0', asked])
})

test('the scopes of a key apply to operations as to any other tool', async () => {
  const [mcp, rest, read] = [
    await createKey({ scopes: ['mcp'] }),
    await createKey({ scopes: ['rest'] }),
    await createKey({ scopes: ['read'] }),
  ]
  for (const { status, body } of [await get('search?q=a', mcp.unkey), await order(mcp.unkey), await order(read.unkey)])
    expect([status, body.code]).toEqual([403, 'forbidden'])
  for (const { unkey } of [rest, read])
    await expect(callOverMcp('acme_search', { q: 'a' }, unkey)).rejects.toThrow('not allowed to use')
  expect(upstream.seen).toEqual([])
  expect((await get('search?q=a', read.unkey)).status).toBe(200)
  expect((await order(rest.unkey)).status).toBe(200)
  expect(await callOverMcp('acme_search', { q: 'a' }, mcp.unkey)).not.toHaveProperty('isError', true)
})

test('usage and receipts name the operation by its tool, over REST and MCP', async () => {
  const first = await order()
  await callOverMcp('acme_search', { q: 'a' })
  expect((await receipts()).map(({ tool, credits }: Record<string, unknown>) => [tool, credits])).toEqual([
    ['acme_search', 2],
    ['acme_place_order', 3],
  ])
  const { receipt } = (await person.call('GET', `/api/usage/receipts/${first.headers.get('x-receipt-id')}`)).body.data
  expect(receipt).toMatchObject({ tool: 'acme_place_order', credits: 3, status: 'success' })
  const usage = await call(server, 'GET', '/v1/usage', { headers: { 'x-api-key': key } })
  expect(usage.text).toContain('acme_place_order')
  expect(usage.text).toContain('acme_search')
})

test('dry_run answers the highest price and asks the upstream nothing', async () => {
  const answer = await get('search?q=a&dry_run=true')
  expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '0'])
  expect(answer.body.data).toEqual({
    credits: null,
    most_credits: 10,
    price: '1 credit per 2 rows, rounded up, 10 credits at most',
  })
  expect(upstream.seen).toEqual([])
})

test('the OpenAPI document has the operations with their prices', async () => {
  const { paths } = (await call(server, 'GET', '/openapi.json')).body
  expect(paths['/v1/acme/search'].get).toMatchObject({
    operationId: 'acme_search',
    description: expect.stringContaining('Price: 1 credit per 2 rows, rounded up, 10 credits at most.'),
    'x-credits': { kind: 'rows', at: '/items', per: 2, credits: 1, most: 10 },
  })
  expect(paths['/v1/acme/orders'].post.description).toContain('Price: 3 credits per call.')
  expect(paths['/v1/acme/orders'].post.responses['404']).toBe(undefined)
})
