import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestKey } from '../../testing/factories.ts'
import { json, operation } from '../tools/testing/body-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
let key: TestKey
const filter = { $ref: '#/properties/filter' }
const branches = ['a', 'b'].map((name) => ({
  type: 'object',
  properties: { not: filter, [name]: { type: 'string' } },
}))
beforeAll(async () => {
  server = await startToolServer()
  key = await server.key({ credits: 1000 })
  const properties = {
    filter: { oneOf: branches },
    list: { allOf: Array.from({ length: 20 }, (_, at) => ({ items: { minimum: -at } })) },
  }
  await server.deps.tools.replace('upstreams', [
    operation('query', () => json({ ok: true }), { method: 'POST', properties }),
    operation('order', () => json({ ok: true }), {
      method: 'POST',
      properties: {
        lines: { type: 'array', items: { additionalProperties: { type: 'string' } } },
        venue: { enum: Array.from({ length: 1_000 }, (_, at) => `xnas-${at}-${'x'.repeat(300)}`) },
      },
    }),
  ])
})
afterAll(() => server?.close())

const nested = (levels: number): string => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const post = (path: string, body: string, as = key) =>
  fetch(`${server.url}${path}`, { method: 'POST', headers: { ...headers, 'x-api-key': as.value }, body })
const overRest = (input: string, as = key) => post('/v1/acme/query', input, as)
const overMcp = (input: string) =>
  post('/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acme_query","arguments":${input}}}`)
/** The thread's processor time of a call. */
async function timed(call: () => Promise<Response>): Promise<[Response, number]> {
  const before = process.threadCpuUsage()
  const response = await call()
  const { user, system } = process.threadCpuUsage(before)
  return [response, (user + system) / 1_000]
}

test.each([20, 95])('overlapping branches at depth %i are refused quickly, over REST and MCP', async (levels) => {
  const input = `{"filter":${nested(levels)}}`
  const [rest, restMs] = await timed(() => overRest(input))
  expect([rest.status, await rest.json()]).toMatchObject([
    400,
    { code: 'invalid_parameter', param: expect.stringMatching(/^filter\.not/) },
  ])
  const [mcp, mcpMs] = await timed(() => overMcp(input))
  const { result } = await mcp.json()
  expect(result).toMatchObject({ isError: true, _meta: { 'finmeter/error': 'invalid_parameter' } })
  expect(Math.max(restMs, mcpMs)).toBeLessThan(1_000)
})

test('more than 100 levels are refused before the input is looked at', async () => {
  const problem = 'The JSON is nested more than 100 levels deep. Send fewer levels.'
  const input = `{"filter":${nested(30_000)}}`
  const rest = await overRest(input)
  expect([rest.status, await rest.json()]).toMatchObject([400, { code: 'bad_json', detail: problem }])
  const mcp = await overMcp(input)
  expect([mcp.status, await mcp.json()]).toMatchObject([
    400,
    { error: { message: problem, data: { code: 'bad_json' } } },
  ])
})

test('an input that takes too many steps is refused with a way forward', async () => {
  const response = await overRest(JSON.stringify({ list: Array(20_000).fill(1) }))
  expect([response.status, await response.json()]).toMatchObject([
    400,
    {
      code: 'invalid_parameter',
      detail:
        'The input takes more than 100,000 steps to check. Send fewer entries or fewer levels, or split the call.',
    },
  ])
})

test.each([
  ['a name', { lines: [{ ['n'.repeat(200_000)]: 1 }] }],
  ['a list of allowed values', { venue: 'xnas' }],
  ['an unknown name', { ['n'.repeat(200_000)]: 1 }],
])('an error that repeats %s has an end, over REST and MCP', async (_what, input) => {
  const rest = await post('/v1/acme/order', JSON.stringify(input))
  const problem = await rest.text()
  expect([rest.status, problem.length < 10_000, JSON.parse(problem).detail.length < 4_100]).toEqual([400, true, true])
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'acme_order', arguments: input } }
  const mcp = await (await post('/mcp', JSON.stringify(call))).text()
  expect([mcp.includes('"finmeter/error":"invalid_parameter"'), mcp.length < 10_000]).toEqual([true, true])
})

test.each([
  ['a tool', { method: 'tools/call', params: { name: 'n'.repeat(200_000), arguments: {} } }],
  ['a method', { method: 'n'.repeat(200_000) }],
  ['a prompt', { method: 'prompts/get', params: { name: 'n'.repeat(200_000) } }],
  ['a resource', { method: 'resources/read', params: { uri: `a:${'n'.repeat(200_000)}` } }],
  ['a field', { method: 'tools/call', params: { name: { ['n'.repeat(200_000)]: 1 } } }],
])('neither does an error of MCP repeat %s that is too long', async (_what, message) => {
  const text = await (await post('/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }))).text()
  expect([text.includes('"error"') || text.includes('"isError":true'), text.length < 10_000]).toEqual([true, true])
})

test('refused inputs count against the rate limit', async () => {
  const limited = await server.key({ credits: 1000, rateLimit: 2 })
  const statuses = []
  for (let call = 0; call < 3; call++) statuses.push((await overRest('{"unknown":1}', limited)).status)
  expect(statuses).toEqual([400, 400, 429])
})
