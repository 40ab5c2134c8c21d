import { once } from 'node:events'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { CallRecord } from '../../http/call-record.ts'
import type { TestKey } from '../../testing/factories.ts'
import { answerRows } from '../data-api/answer-rows.ts'
import { getBars } from '../market-data/tools/get-bars.ts'
import { basicTools } from '../tools/basic/basic-tools.ts'
import { defineTool } from '../tools/define-tool.ts'
import { testTools } from '../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { createMcpDispatcher, type McpDispatcher } from './dispatcher.ts'

const LIMIT = 256
let waiting: (() => void)[] = []
/** Keeps running until the test releases it. */
const gateTool = defineTool({
  name: 'test_gate',
  title: 'Gate',
  description: 'Waits until it is let through.',
  input: z.strictObject({}),
  output: z.object({ through: z.boolean() }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  // All of them wait for the last one to begin.
  timeoutMs: 120_000,
  rest: { method: 'GET', path: '/v1/test/gate' },
  run: () => new Promise<{ through: boolean }>((done) => waiting.push(() => done({ through: true }))),
})

let server: ToolServer
let mcp: McpDispatcher
beforeAll(async () => {
  server = await startToolServer([...basicTools, ...testTools, getBars, gateTool])
  mcp = await createMcpDispatcher(server.deps)
})
afterAll(async () => {
  await mcp?.close()
  await server?.close()
})

async function call(key: TestKey, name: string, args: object = {}) {
  const { body } = await mcp.handle({
    method: 'POST',
    headers: { host: 'localhost', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    presented: { apiKeyHeader: key.value, urlKey: undefined, authorization: undefined },
    record: new CallRecord('r'),
  })
  return JSON.parse(body as string).result
}

test('a key has at most 256 calls in progress; one that finishes makes room, and other keys are unaffected', async () => {
  const [one, two] = [await server.key(), await server.key()]
  const underWay = Array.from({ length: LIMIT }, () => call(one, 'test_gate'))
  await expect.poll(() => waiting.length).toBe(LIMIT)
  const refused = await call(one, 'add', { a: 1, b: 2 })
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: 'Too many calls of this key at the same time: at most 256. Wait until one ends.' }],
    _meta: { 'finmeter/error': 'rate_limited', 'finmeter/credits-charged': 0, 'finmeter/retry-after': 5 },
  })
  expect((await call(two, 'add', { a: 1, b: 2 })).structuredContent).toEqual({ result: 3 })
  waiting.shift()!()
  await Promise.race(underWay)
  expect((await call(one, 'add', { a: 1, b: 2 })).structuredContent).toEqual({ result: 3 })
  for (const go of waiting) go()
  waiting = []
  for (const result of await Promise.all(underWay)) expect(result.structuredContent).toEqual({ through: true })
})

test('calls over REST count with those over MCP, and the refusal says when to try again', async () => {
  const [one, two] = [await server.key({ credits: 10 }), await server.key({ credits: 10 })]
  const rest = (key: TestKey, path: string) => fetch(server.url + path, { headers: { 'x-api-key': key.value } })
  const underWay = Array.from({ length: LIMIT - 2 }, () => call(one, 'test_gate'))
  const overRest = [rest(one, '/v1/test/gate'), rest(one, '/v1/test/gate')]
  await expect.poll(() => waiting.length).toBe(LIMIT)
  const refused = await rest(one, '/v1/test/rows/A')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(await refused.json()).toMatchObject({
    status: 429,
    code: 'rate_limited',
    detail: 'Too many calls of this key at the same time: at most 256. Wait until one ends.',
  })
  expect((await rest(two, '/v1/test/rows/A')).status).toBe(200)
  for (const go of waiting) go()
  waiting = []
  await Promise.all([...underWay, ...overRest])
  expect((await rest(one, '/v1/test/rows/A')).status).toBe(200)
})

test('a streamed response counts until its last row is sent, or its client is gone', async () => {
  const key = await server.key({ credits: 1_000_000 })
  const bars = answerRows(server.deps, server.deps.tools.current().get('get_bars')!)
  const { status, body } = await bars({
    record: new CallRecord('r'),
    presented: { apiKeyHeader: key.value, urlKey: undefined, authorization: undefined },
    params: { symbol: 'BTC/USD' },
    query: 'range=max&interval=1m&limit=500000&format=csv',
    headers: {},
    isGone: () => false,
  })
  expect([status, body]).toEqual([200, expect.any(Readable)])
  const underWay = Array.from({ length: LIMIT - 1 }, () => call(key, 'test_gate'))
  await expect.poll(() => waiting.length).toBe(LIMIT - 1)
  expect((await call(key, 'add', { a: 1, b: 2 }))._meta['finmeter/error']).toBe('rate_limited')
  const closed = once(body as Readable, 'close')
  ;(body as Readable).destroy()
  await closed
  expect((await call(key, 'add', { a: 1, b: 2 })).structuredContent).toEqual({ result: 3 })
  for (const go of waiting) go()
  waiting = []
  await Promise.all(underWay)
})
