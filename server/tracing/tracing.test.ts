import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { insertAccount, insertKey, type TestKey } from '#server/testing/factories.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { startServerProcess } from '#server/testing/process.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER_SPAN = '00f067aa0ba902b7'

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number }
}
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
}
interface Received {
  path: string
  headers: Record<string, string | string[] | undefined>
  body: { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[] }
}

/** A collector that speaks OTLP over HTTP with JSON. */
let collector: Server
let received: Received[]
let database: TestDatabase
let key: TestKey
beforeAll(async () => {
  database = await createTestDatabase()
  key = await insertKey(database.db, await insertAccount(database.db, 'Traced'))
  collector = createServer(async (request, response) => {
    received.push({ path: request.url!, headers: request.headers, body: (await json(request)) as Received['body'] })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  collector.close()
  await database.drop()
})

let stop: () => Promise<{ code: number | null; output: string }>
beforeEach(() => {
  received = []
})
afterEach(() => stop())

/** The product as a process of its own, which reads the standard variables. Resolves with its address. */
async function start(env: NodeJS.ProcessEnv): Promise<string> {
  const port = await freePort()
  const server = startServerProcess({
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: database.url,
    KEYS_SECRET: 'ab'.repeat(32),
    FINMETER_DATA_DIR: join(tmpdir(), 'finmeter-tests-own-nothing'),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    ...env,
  })
  stop = async () => {
    await server.stop()
    return server.ended
  }
  await server.ready
  return `http://localhost:${port}`
}

/** The spans that arrived once the server has stopped, which sends the remaining ones. */
async function spans(): Promise<Span[]> {
  await stop()
  const all = received.flatMap(({ body }) =>
    body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  )
  // The sandbox delivers the events of the catalog when it has time.
  return all.filter(({ name }) => name !== 'POST /webhooks/stripe')
}
const attributesOf = ({ attributes }: { attributes: Attribute[] }) =>
  Object.fromEntries(attributes.map(({ key: name, value }) => [name, Object.values(value)[0]]))

const rest = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/market/calendar`, { headers: { 'x-api-key': key.value, ...headers } })
const sampled = { traceparent: `00-${TRACE}-${CALLER_SPAN}-01`, tracestate: 'vendor=1' }

test('a call is one span of the caller’s trace, with a span for each stage, over REST and MCP', async () => {
  const url = await start({ OTEL_SERVICE_NAME: 'prices', OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one' })
  const answer = await fetch(`${url}/v1/series?q=oil`, {
    headers: { 'x-api-key': key.value, 'x-request-id': 'one', ...sampled },
  })
  expect(answer.status).toBe(200)
  const answeredSpan = new RegExp(`^00-${TRACE}-([0-9a-f]{16})-01$`).exec(answer.headers.get('traceparent')!)![1]
  const called = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.value}`, 'content-type': 'application/json', ...sampled },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'add', arguments: { a: 1, b: 2 } },
    }),
  })
  expect(called.status).toBe(200)
  const all = await spans()

  const root = all.find(({ name }) => name === 'GET /v1/series')!
  expect(root).toMatchObject({
    traceId: TRACE,
    parentSpanId: CALLER_SPAN,
    spanId: answeredSpan,
    kind: 2,
    traceState: 'vendor=1',
  })
  expect(attributesOf(root)).toMatchObject({
    'http.request.method': 'GET',
    'http.route': '/v1/series',
    'finmeter.request_id': 'one',
    'finmeter.receipt_id': answer.headers.get('x-receipt-id'),
    'finmeter.result': 'success',
  })
  expect(Number(attributesOf(root)['finmeter.key_id'])).toBe(key.id)
  const stages = all.filter(({ parentSpanId }) => parentSpanId === root.spanId)
  expect(stages.map(({ name }) => name)).toEqual(['verify', 'admit', 'tool', 'commit'])
  const inside = ({ startTimeUnixNano: from, endTimeUnixNano: to }: Span): boolean =>
    BigInt(from) >= BigInt(root.startTimeUnixNano) &&
    BigInt(from) <= BigInt(to) &&
    BigInt(to) <= BigInt(root.endTimeUnixNano)
  expect(stages.filter((stage) => !inside(stage))).toEqual([])

  const overMcp = all.find(({ name }) => name === 'POST /mcp')!
  expect(attributesOf(overMcp)).toMatchObject({ 'finmeter.tool': 'add' })
  expect(all.filter(({ parentSpanId }) => parentSpanId === overMcp.spanId)).toHaveLength(4)

  expect(received[0]!.path).toBe('/v1/traces')
  expect(received[0]!.headers['x-tenant']).toBe('one')
  expect(attributesOf(received[0]!.body.resourceSpans[0]!.resource)['service.name']).toBe('prices')
  expect(JSON.stringify(received)).not.toMatch(new RegExp(`${key.value}|oil`))
})

test('requests of pages and of the framework are spans, too; without a caller’s trace, it is ours', async () => {
  const url = await start({})
  const { headers } = await fetch(`${url}/healthz`)
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(headers.get('traceparent')!)!
  expect(await spans()).toMatchObject([{ name: 'GET /healthz', traceId, spanId }])
  expect(attributesOf(received[0]!.body.resourceSpans[0]!.resource)['service.name']).toBe('finmeter')
})

test('by default, a caller that does not sample its trace gets no spans', async () => {
  const url = await start({})
  const { headers } = await rest(url, { traceparent: `00-${TRACE}-${CALLER_SPAN}-00` })
  expect(headers.get('traceparent')).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
  expect(await spans()).toEqual([])
})

test('OTEL_TRACES_SAMPLER decides which requests get spans', async () => {
  const url = await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })
  await rest(url, sampled)
  expect(await spans()).toEqual([])
})

test('a collector that is gone delays neither a call nor the stop, and the log says so', async () => {
  const url = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const { code, output } = await stop()
  expect([code, output]).toEqual([0, expect.stringContaining('the last spans did not reach their collector')])
})
