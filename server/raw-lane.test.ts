import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMcpDispatcher } from './features/mcp/dispatcher.ts'
import { startToolServer, type ToolServer } from './features/tools/testing/tool-server.ts'
import type { Exchange } from './http/exchange.ts'
import { nodeExchange, rawServer } from './http/raw-server.ts'
import { answerHeaders } from './http/security-headers.ts'
import { createRawLane } from './raw-lane.ts'

let server: ToolServer
/** The lane on bytes, the lane on requests parsed by Node, and no lane. */
let quick: Server
let noded: Server
let framework: Server
/** Whether the lane took the last request. */
let taken: boolean
/** Requests that Node's parser saw on `quick`. */
let parsed = 0
beforeAll(async () => {
  server = await startToolServer()
  const lane = createRawLane(server.deps, await createMcpDispatcher(server.deps))
  const watched = (exchange: Exchange): boolean => {
    taken = lane(exchange)
    return taken
  }
  const constant = answerHeaders(server.deps.config)
  const constantList = Object.entries(constant).flat()
  const route = (request: IncomingMessage, response: ServerResponse) => server.app.routing(request, response)
  const options = { keepAliveTimeout: 5_000, requestTimeout: 30_000, connectionTimeout: 0 }
  quick = await listen(rawServer({ lane: watched, isOpen: () => true, constant })(route, options))
  quick.on('request', () => parsed++)
  noded = await listen(
    createServer((request, response) => {
      if (!watched(nodeExchange(request, response, constantList))) route(request, response)
    }),
  )
  framework = await listen(createServer(route))
})
afterAll(async () => {
  for (const one of [quick, noded, framework]) one?.close()
  await server?.close()
})

async function listen(made: Server): Promise<Server> {
  await new Promise<void>((done) => made.listen(0, '127.0.0.1', done))
  return made
}

interface Sample {
  /** First line and headers; `KEY` stands for a key. */
  head: string
  body?: string
  credits?: number
  rateLimit?: number
  /** How often it is sent; the last answer counts. */
  times?: number
}

/** All bytes of the answer, as the socket brings them. */
async function bytes(
  to: Server,
  { head, body = '', credits = 100, rateLimit = 0, times = 1 }: Sample,
): Promise<string> {
  const key = await server.key({ credits, rateLimit })
  let answer = ''
  for (let i = 0; i < times; i++) {
    const socket = connect((to.address() as AddressInfo).port, '127.0.0.1')
    const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
    socket.write(`${head.replace('KEY', key.value)}\r\nHost: 127.0.0.1\r\nConnection: close\r\n${length}\r\n${body}`)
    answer = await text(socket)
  }
  return answer
}

/** Values that change with every request are masked; everything else must be equal, in the same order. */
const steady = (answer: string): string =>
  answer
    .replace(/\r\nDate: [^\r]+/, '\r\nDate: D')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/rcpt_[\w-]{35}/g, 'RECEIPT')
    .replaceAll(/;t=\d+/g, ';t=T')
    .replaceAll(/(Try again in |[Rr]etry[-_]after"?: ?)\d+/g, '$1T')

const get = (path: string, more = ''): Sample => ({ head: `GET ${path} HTTP/1.1\r\nX-API-Key: KEY${more}` })
const call = (params: object, more = ''): Sample => ({
  head: `POST /mcp HTTP/1.1\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json${more}`,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
})

const hot: Record<string, Sample> = {
  'a parameter of 501 characters': get(`/v1/test/rows/${'A'.repeat(501)}`),
  'a table': get('/v1/test/rows/AAPL?rows=2&scale=2,1.5&live=true'),
  'a table with a cursor': get('/v1/test/rows/AAPL'),
  'a table of 5,000 rows': get('/v1/test/rows/AAPL?rows=5000'),
  'text that is not ASCII': get('/v1/test/rows/A?note=%E2%82%AC+%F0%9F%98%80%0A%22'),
  'latin-1 text': get('/v1/test/rows/A?note=%C3%A9'),
  'no rows': get('/v1/test/rows/A?rows=0'),
  'empty pairs in the query': get('/v1/test/rows/A?&rows=2&&'),
  'a question mark alone': get('/v1/test/rows/A?'),
  columns: get('/v1/test/rows/A?layout=columns'),
  csv: get('/v1/test/rows/A?format=csv'),
  'ndjson, by Accept': get('/v1/test/rows/A', '\r\nAccept: application/x-ndjson'),
  'rate limit headers': { ...get('/v1/test/rows/A'), rateLimit: 120 },
  'a key in the URL': { head: 'GET /v1/test/rows/A?%61pikey=KEY&rows=1 HTTP/1.1' },
  'an Idempotency-Key, repeated': { ...get('/v1/test/rows/A', '\r\nIdempotency-Key: one'), times: 2 },
  'an unknown symbol': get('/v1/test/rows/NOPE'),
  'an unknown parameter': get('/v1/test/rows/A?foo=1'),
  'a parameter twice': get('/v1/test/rows/A?rows=1&rows=2'),
  'a faulty Idempotency-Key': get('/v1/test/rows/A', '\r\nIdempotency-Key: a b'),
  'no credits': { ...get('/v1/test/rows/A'), credits: 2 },
  'no credits, known': { ...get('/v1/test/rows/A'), credits: 0, times: 2 },
  'rate limited': { ...get('/v1/test/rows/A'), rateLimit: 1, times: 2 },
  'no key': { head: 'GET /v1/test/rows/A HTTP/1.1' },
  'a wrong key': { head: 'GET /v1/test/rows/A HTTP/1.1\r\nX-API-Key: fm_nothing' },
  'a broken tool': get('/v1/test/failing?mode=throw'),
  'a slow tool': get('/v1/test/failing?mode=slow'),
  'mcp: a free call': call({ name: 'add', arguments: { a: 1, b: 2.5 } }),
  'mcp: text that is not ASCII': call({ name: 'echo', arguments: { text: '"\\\n\u2028é€😀\u0000' } }),
  'mcp: a table': { ...call({ name: 'test_rows', arguments: { symbol: 'A', rows: 3 } }), rateLimit: 120 },
  'mcp: an error': call({ name: 'test_rows', arguments: { symbol: 'NOPE' } }),
  'mcp: no credits': { ...call({ name: 'test_rows', arguments: { symbol: 'A' } }), credits: 0 },
  'mcp: an unknown tool': call({ name: 'nope' }),
  'mcp: not JSON': { ...call({}), body: '{"jsonrpc":' },
  'mcp: a page of this machine': call({ name: 'add' }, '\r\nOrigin: http://localhost:5173'),
  'mcp: a page of another origin': call({ name: 'add' }, '\r\nOrigin: https://evil.example'),
  'mcp: another host': call({ name: 'add' }, '\r\nX-Forwarded-Host: evil.example'),
  'mcp: a wrong key': {
    ...call({ name: 'add' }),
    head: 'POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nX-API-Key: x',
  },
  'mcp: a key in the URL': {
    ...call({ name: 'add' }),
    head: 'POST /mcp?apikey=KEY HTTP/1.1\r\nContent-Type: application/json',
  },
}

describe.each(Object.entries(hot))('the lane sends the same bytes as the framework: %s', (_name, sample) => {
  let expected: string
  beforeAll(async () => {
    expected = steady(await bytes(framework, sample))
  })

  test.each([
    ['as bytes', () => quick],
    ['as Node has read it', () => noded],
  ] as const)('%s', async (way, to) => {
    parsed = 0
    const answer = await bytes(to(), sample)
    expect(taken).toBe(true)
    expect(parsed).toBe(0)
    expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect([way, steady(answer)]).toEqual([way, expected])
  })
})

const unusual: Record<string, Sample> = {
  'an encoded path': get('/v1/test/rows/EUR%2FUSD'),
  'a path that nothing serves': get('/v1/nothing'),
  'an empty parameter': get('/v1/test/rows/'),
  'two slashes': get('/v1//test/rows/A'),
  'another method': { head: 'DELETE /v1/test/rows/A HTTP/1.1\r\nX-API-Key: KEY' },
  HEAD: { head: 'HEAD /v1/test/rows/A HTTP/1.1\r\nX-API-Key: KEY' },
  'a GET with a body': { ...get('/v1/test/rows/A', '\r\nContent-Type: application/json'), body: '{}' },
  'a POST of the Data API': {
    head: 'POST /v1/test/sum HTTP/1.1\r\nX-API-Key: KEY\r\nContent-Type: application/json',
    body: '{"numbers":[1,2]}',
  },
  'mcp: a query that stays': {
    ...call({ name: 'add' }),
    head: 'POST /mcp?x=1 HTTP/1.1\r\nContent-Type: application/json',
  },
  'mcp: a large body': { ...call({ name: 'echo', arguments: { text: 'x'.repeat(300_000) } }) },
  'mcp: GET': get('/mcp'),
  'mcp: no media type': { ...call({ name: 'add' }), head: 'POST /mcp HTTP/1.1\r\nX-API-Key: KEY' },
  health: get('/healthz'),
}

test.each(Object.entries(unusual))('the lane leaves to the framework: %s', async (_name, sample) => {
  const expected = steady(await bytes(framework, sample))
  for (const to of [quick, noded]) {
    taken = false
    const answer = await bytes(to, sample)
    expect(taken).toBe(false)
    expect(steady(answer)).toBe(expected)
  }
})

test('the lane counts and charges as the framework does', async () => {
  const key = await server.key({ credits: 10 })
  const sent = await fetch(`http://127.0.0.1:${(quick.address() as AddressInfo).port}/v1/test/rows/A`, {
    headers: { 'x-api-key': key.value },
  })
  expect(taken).toBe(true)
  expect(sent.headers.get('x-credits-remaining')).toBe('7')
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 3 })
})

test('the server that listens sends hot requests through the lane, others to the framework', async () => {
  const key = await server.key({ credits: 10 })
  let framed = 0
  const count = () => framed++
  subscribe('tracing:fastify.request.handler:start', count)
  try {
    const ask = (path: string) => fetch(`${server.url}${path}`, { headers: { 'x-api-key': key.value } })
    expect((await ask('/v1/test/rows/A')).status).toBe(200)
    expect(framed).toBe(0)
    expect((await ask('/healthz')).status).toBe(200)
    expect(framed).toBe(1)
  } finally {
    unsubscribe('tracing:fastify.request.handler:start', count)
  }
})
