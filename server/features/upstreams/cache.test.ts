import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'
import { addVersion } from './add-version.ts'
import { createAnswerCache } from './cache/answer-cache.ts'
import { prepareVersion } from './prepare-version.ts'
import { parseManifest } from './read-manifest.ts'
import { acmeDocument } from './testing/acme-document.ts'
import { type Loopback, startLoopback } from './testing/loopback.ts'

let server: TestServer
let upstream: Loopback
let account: { accountId: string; key: string }
let other: { accountId: string; key: string }
let answer: Parameters<typeof startLoopback>[0]
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  upstream = await startLoopback((request, response) => answer(request, response))
  server = await startTestServer()
})
afterAll(async () => {
  upstream?.close()
  await server?.close()
})
beforeEach(async () => {
  upstream.seen.length = 0
  // Each answer can be told from those before it.
  answer = (_request, response) => response.writeHead(200, json).end(`{"price":${upstream.seen.length}}`)
  account = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1_000)
  other = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1_000)
})

/** With a second parameter in the query of `search`. */
const document = JSON.stringify(JSON.parse(acmeDocument), (name, value) =>
  name === 'parameters' && value[0].name === 'q'
    ? [...value, { name: 'limit', in: 'query', schema: { type: 'integer' } }]
    : value,
)
const manifest = (id: string, more: object) =>
  parseManifest({
    id,
    kind: 'openapi',
    document: 'acme.json',
    base: `${upstream.url}/v2`,
    private_hosts: ['127.0.0.1'],
    ...more,
  })
const prepare = (id: string, more: object) =>
  prepareVersion(manifest(id, more), document, process.env, server.deps.tools)
/** Publishes, and waits until this server serves it. */
async function publish(id: string, more: object): Promise<void> {
  const name = `${id}_get_price`
  const before = server.deps.tools.current().get(name)
  await addVersion(server.db.kysely, await prepare(id, more), false)
  await expect
    .poll(() => {
      const now = server.deps.tools.current().get(name)
      return now !== undefined && now !== before
    })
    .toBe(true)
}
const get = async (path: string, { key } = account, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}/v1/${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } })
  return {
    status: response.status,
    body: await response.text(),
    age: response.headers.get('age'),
    charged: response.headers.get('x-credits-charged'),
    receipt: response.headers.get('x-receipt-id'),
  }
}
const asked = () => upstream.seen.length
const balance = async ({ accountId } = account) =>
  (
    await server.db.pool.query(
      'select c.balance::int as n from credit_accounts c join accounts a on a.id = c.account_id where a.public_id = $1',
      [accountId],
    )
  ).rows[0].n

test('an answer from the cache is the same, says its age, and is charged in full with a receipt of its own', async () => {
  await publish('plain', { defaults: { credits: 3, cache_seconds: 600 } })
  const first = await get('plain/prices/ACME')
  expect(first).toMatchObject({ status: 200, body: '{"price":1}', age: null, charged: '3' })
  const second = await get('plain/prices/ACME')
  expect(second).toMatchObject({ status: 200, body: '{"price":1}', charged: '3' })
  expect(second.age).toMatch(/^\d+$/)
  expect(second.receipt).toMatch(/\w{10}/)
  expect(second.receipt).not.toBe(first.receipt)
  expect(asked()).toBe(1)
  expect(await balance()).toBe(994)
})

test('without cache_seconds, every call asks', async () => {
  await publish('fresh', { defaults: { credits: 1 } })
  await get('fresh/prices/ACME')
  expect(await get('fresh/prices/ACME')).toMatchObject({ body: '{"price":2}', age: null })
  await publish('mostly', {
    defaults: { credits: 1, cache_seconds: 600 },
    operations: { getPrice: { cache_seconds: 0 }, search: {} },
  })
  await get('mostly/prices/ACME')
  expect(await get('mostly/prices/ACME')).toMatchObject({ body: '{"price":4}', age: null })
})

test('accounts share answers only where the manifest says so', async () => {
  await publish('own', { defaults: { credits: 1, cache_seconds: 600 } })
  expect((await get('own/prices/ACME')).body).toBe('{"price":1}')
  expect((await get('own/prices/ACME', other)).body).toBe('{"price":2}')
  expect((await get('own/prices/ACME')).body).toBe('{"price":1}')
  await publish('all', { defaults: { credits: 1, cache_seconds: 600, cache: 'shared' } })
  expect((await get('all/prices/ACME')).body).toBe('{"price":3}')
  expect(await get('all/prices/ACME', other)).toMatchObject({ body: '{"price":3}', charged: '1' })
  expect(asked()).toBe(3)
  // Plans are still checked.
  await publish('all', { defaults: { credits: 1, cache_seconds: 600, cache: 'shared', plans: ['pro'] } })
  expect((await get('all/prices/ACME', other)).status).toBe(403)
})

test('publishing empties the cache', async () => {
  const terms = { defaults: { credits: 1, cache_seconds: 600 } }
  await publish('again', terms)
  expect((await get('again/prices/ACME')).body).toBe('{"price":1}')
  await publish('again', terms)
  expect(await get('again/prices/ACME')).toMatchObject({ body: '{"price":2}', age: null })
})

test('inputs share an answer only if the upstream could not tell them apart', async () => {
  await publish('inputs', { defaults: { credits: 1, cache_seconds: 600 } })
  const paths = [
    'inputs/prices/ACME?days=5',
    'inputs/prices/ACME',
    'inputs/prices/acme',
    'inputs/prices/ACME?days=6',
    'inputs/search?q=a%20b',
    'inputs/search?q=a%2520b',
    'inputs/search?q=a%26limit%3D2',
    'inputs/search?q=a&limit=2',
  ]
  const bodies = []
  for (const path of paths) bodies.push((await get(path)).body)
  expect(new Set(bodies).size).toBe(paths.length)
  expect(asked()).toBe(paths.length)
  // Two spellings of one input, and the same inputs in another order, also over MCP.
  expect((await get('inputs/search?limit=2&q=a')).body).toBe('{"price":8}')
  expect((await get('inputs/search?q=a+b')).body).toBe('{"price":5}')
  expect((await get('inputs/prices/%41CME?days=5')).body).toBe('{"price":1}')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${account.key}` } },
    }),
  )
  for (const given of [
    { symbol: 'ACME', days: 5 },
    { days: 5, symbol: 'ACME' },
  ]) {
    const result = await client.callTool({ name: 'inputs_get_price', arguments: given })
    expect(result.structuredContent).toEqual({ price: 1 })
    expect(result._meta).toMatchObject({ 'finmeter/age': expect.any(Number), 'finmeter/credits-charged': 1 })
    expect(result._meta?.['finmeter/receipt-id']).toMatch(/\w{10}/)
  }
  await client.close()
  expect(asked()).toBe(paths.length)
})

test('an answer is asked for again when it is too old', async () => {
  await publish('short', { defaults: { credits: 1, cache_seconds: 1 } })
  expect((await get('short/prices/ACME')).body).toBe('{"price":1}')
  await expect.poll(async () => (await get('short/prices/ACME')).body).toBe('{"price":2}')
})

test('only successful answers that are charged are kept', async () => {
  await publish('errors', {
    defaults: { credits: 1, cache_seconds: 600, charge: ['200', '206', '404'] },
    operations: { search: { credits: { unit: { pointer: '/n' }, per: 1, credits: 1, most: 9 } } },
  })
  const answers: [Parameters<typeof startLoopback>[0], number][] = [
    [(_request, response) => response.writeHead(500).end(), 502],
    [(_request, response) => response.writeHead(200, json).end('{"price":'), 502],
    [
      (request, response) =>
        response.writeHead(200, { ...json, 'content-length': '99' }).write('{}', () => request.socket.destroy()),
      502,
    ],
    [(_request, response) => response.writeHead(400, json).end('{}'), 400],
    [(_request, response) => response.writeHead(404, json).end('{}'), 404],
    [(_request, response) => response.writeHead(206, json).end('{}'), 206],
    [(_request, response) => response.writeHead(203, json).end('{}'), 203],
  ]
  for (const [made, status] of answers) {
    answer = made
    expect(await get('errors/prices/ACME')).toMatchObject({ status, age: null })
  }
  // Its price cannot be read.
  answer = (_request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('busy')
  expect((await get('errors/search?q=x')).status).toBe(502)
  answer = (_request, response) => response.writeHead(200, json).end('{"n":2}')
  expect(await get('errors/search?q=x')).toMatchObject({ status: 200, charged: '2', age: null })
  expect(await get('errors/prices/ACME')).toMatchObject({ status: 200, body: '{"n":2}', age: null })
  const before = asked()
  expect((await get('errors/prices/ACME')).age).not.toBeNull()
  expect(asked()).toBe(before)
})

test('a lower price is charged exactly, in receipts and usage as well', async () => {
  await publish('less', {
    defaults: { credits: 5, cache_seconds: 600, cached: 2 },
    operations: { search: { credits: { rows: '/items', per: 1, credits: 1, most: 10 } }, getPrice: {} },
  })
  expect((await get('less/prices/ACME')).charged).toBe('5')
  const second = await get('less/prices/ACME')
  expect(second.charged).toBe('2')
  // Held at 10, settled by the rows that are kept, at most 2.
  for (const [items, full, cached] of [
    [[1, 2, 3], '3', '2'],
    [[1], '1', '1'],
    [[], '0', '0'],
  ] as const) {
    answer = (_request, response) => response.writeHead(200, json).end(JSON.stringify({ items }))
    const path = `less/search?q=${items.length}`
    expect((await get(path)).charged).toBe(full)
    expect(await get(path)).toMatchObject({ charged: cached, body: JSON.stringify({ items }) })
  }
  expect(await balance()).toBe(1_000 - 5 - 2 - 3 - 2 - 1 - 1)
  const { rows } = await server.db.pool.query(
    `select e.from_credits::int as credits, e.success from usage_events e join accounts a on a.id = e.account_id
     where a.public_id = $1 order by e.at, e.n`,
    [account.accountId],
  )
  expect(rows).toEqual([5, 2, 3, 2, 1, 1, 0, 0].map((credits) => ({ credits, success: true })))
  const estimate = await get('less/prices/ACME?dry_run=true')
  expect(JSON.parse(estimate.body).data).toMatchObject({
    credits: 5,
    price: '5 credits per call; from the cache 2 credits',
  })
})

test('a retry with an idempotency key costs nothing, also of an answer from the cache', async () => {
  await publish('keyed', { defaults: { credits: 5, cache_seconds: 600, cached: 2 } })
  await get('keyed/prices/ACME')
  const headers = { 'idempotency-key': 'once-1' }
  const first = await get('keyed/prices/ACME', account, headers)
  expect(first).toMatchObject({ charged: '2', body: '{"price":1}' })
  const retry = await get('keyed/prices/ACME', account, headers)
  expect(retry).toMatchObject({ charged: '0', receipt: first.receipt, body: '{"price":1}' })
  expect(await balance()).toBe(993)
})

test('what cannot be cached is refused before it is stored', async () => {
  const refused: [object, string][] = [
    [
      { defaults: { credits: 1 }, operations: { placeOrder: { cache_seconds: 60 } } },
      'operations.placeOrder.cache_seconds: only GET operations are cached, and this one is POST.',
    ],
    [
      { operations: { getPrice: { credits: 1, stream: true, cache_seconds: 60 } } },
      'operations.getPrice.cache_seconds: streams are not cached',
    ],
    [
      { operations: { getPrice: { credits: 1, cache: 'shared' } } },
      'operations.getPrice.cache: nothing is cached without cache_seconds',
    ],
    [
      { operations: { getPrice: { credits: 1, cache_seconds: 60, cached: 2 } } },
      'operations.getPrice.cached: a cached answer must not cost more than the price, 1',
    ],
    [
      { defaults: { credits: { kib: 1, most: 4 }, cache_seconds: 60, cached: 5 } },
      'defaults.cached: a cached answer must not cost more than the price, 4',
    ],
    [
      { defaults: { credits: 1, cache_seconds: 60, cached: 0.5 } },
      'defaults.cached: expected price or a number of credits',
    ],
    [{ defaults: { credits: 1, cache_seconds: 0 } }, 'defaults.cache_seconds'],
    [{ defaults: { credits: 1, cache_seconds: 86_401 } }, 'defaults.cache_seconds'],
  ]
  for (const [more, problem] of refused)
    await expect((async () => prepare('none', more))(), problem).rejects.toThrow(problem)
  const mcp = { id: 'none', kind: 'mcp', base: 'https://mcp.acme.example/mcp' }
  expect(() => parseManifest({ ...mcp, defaults: { credits: 1, cache_seconds: 60 } })).toThrow(
    'defaults.cache_seconds: results of MCP servers are not cached',
  )
  // Defaults are for the operations that can be cached.
  const { tools } = await prepare('none', {
    defaults: { credits: 1, cache_seconds: 60, cached: 'price' },
    operations: { placeOrder: {}, search: { stream: true } },
  })
  expect(tools.map(({ name, cache }) => [name, cache])).toEqual([
    ['none_get_price', { seconds: 60, shared: false }],
    ['none_search', undefined],
    ['none_place_order', undefined],
  ])
})

test('an entry ends exactly when its time is over', () => {
  let nowMs = 5_000
  const cache = createAnswerCache({ now: () => nowMs })
  const kept = { status: 200, headers: {}, body: Buffer.from('x') }
  cache.keep('a', kept, { seconds: 60, askedAtMs: 5_000 })
  nowMs = 64_999
  expect(cache.find('a')).toEqual({ answer: kept, ageS: 59 })
  nowMs = 65_000
  expect(cache.find('a')).toBeUndefined()
  expect(cache.bytes).toBe(0)
})

test('the cache stays within its bytes, and the entries used last stay', () => {
  const cache = createAnswerCache({ mostBytes: 100_000, now: () => 0 })
  const terms = { seconds: 60, askedAtMs: 0 }
  const of = (bytes: number) => ({ status: 200, headers: {}, body: Buffer.alloc(bytes) })
  cache.keep('first', of(8_000), terms)
  for (let n = 0; n < 50; n++) {
    cache.keep(`k${n}`, of(8_000), terms)
    expect(cache.bytes).toBeLessThanOrEqual(100_000)
    expect(cache.find('first')?.answer.body.length).toBe(8_000)
  }
  expect(cache.find('k0')).toBeUndefined()
  expect(cache.find('k49')).toBeDefined()
  // Too large for its share, and no reason to drop others.
  cache.keep('large', of(50_000), terms)
  expect(cache.find('large')).toBeUndefined()
  expect(cache.find('k49')).toBeDefined()
  // Replaced, not added.
  const { bytes } = cache
  cache.keep('k49', of(8_000), terms)
  expect(cache.bytes).toBe(bytes)
  // Small ones count as well, and a piece of a large buffer is copied.
  for (let n = 0; n < 500; n++) cache.keep(`s${n}`, { ...of(0), body: Buffer.alloc(65_536).subarray(0, 1) }, terms)
  expect(cache.bytes).toBeLessThanOrEqual(100_000)
  expect(cache.find('s0')).toBeUndefined()
  expect(cache.find('s499')?.answer.body.buffer.byteLength).toBe(1)
})

test('a new opening of an upstream forgets its answers and no others', () => {
  const cache = createAnswerCache()
  const terms = { seconds: 60, askedAtMs: cache.now() }
  const kept = { status: 200, headers: {}, body: Buffer.from('x') }
  const [a, ab] = [cache.open('a'), cache.open('a-b')]
  cache.keep(`${a}1`, kept, terms)
  cache.keep(`${ab}1`, kept, terms)
  expect(cache.open('a')).not.toBe(a)
  expect(cache.find(`${a}1`)).toBeUndefined()
  expect(cache.find(`${ab}1`)).toBeDefined()
})
