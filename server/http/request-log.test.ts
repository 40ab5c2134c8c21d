import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { basicTools } from '../features/tools/basic/basic-tools.ts'
import { defineTool } from '../features/tools/define-tool.ts'
import { testTools } from '../features/tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../features/tools/testing/tool-server.ts'
import type { TestKey } from '../testing/factories.ts'

const SLOW_MS = 200
const seenByTool: (string | null)[] = []
const napping = defineTool({
  name: 'nap',
  title: 'Nap',
  description: 'Answers late.',
  kind: 'value',
  input: z.strictObject({}),
  output: z.strictObject({ ok: z.boolean() }),
  credits: { kind: 'fixed', credits: 1 },
  rest: { method: 'GET', path: '/v1/test/nap' },
  run: async (_input, { traceparent }) => {
    seenByTool.push(traceparent)
    await sleep(SLOW_MS)
    return { ok: true }
  },
})

const logged: string[] = []
let server: ToolServer
let key: TestKey
beforeAll(async () => {
  const tools = [...basicTools, ...testTools, napping]
  server = await startToolServer(tools, { SLOW_CALL_MS: String(SLOW_MS) }, logged)
  key = await server.key({ credits: 1000 })
})
afterAll(() => server?.close())
beforeEach(() => logged.splice(0))

const lines = () => logged.map((line) => JSON.parse(line) as Record<string, unknown>)
const lineOf = async (requestId: string) => {
  await expect.poll(() => lines().some((line) => line.requestId === requestId)).toBe(true)
  return lines().find((line) => line.requestId === requestId)!
}
const rest = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers: { 'x-api-key': key.value, ...headers } })
const mcp = (message: unknown, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'x-api-key': key.value, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  })
const toolCall = (name: string, args: object = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

test('the line of a call has its request, receipt, account, key, tool and trace, over REST and MCP', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  const known = { accountId: key.accountId, keyId: key.id, result: 'success', status: 200, traceId }
  const answer = await rest('/v1/test/rows/AAPL?note=private', { ...headers, 'x-request-id': 'rest-1' })
  const line = await lineOf('rest-1')
  expect(line).toMatchObject({
    ...known,
    method: 'GET',
    route: '/v1/test/rows/{symbol}',
    tool: 'test_rows',
    receipt: answer.headers.get('x-receipt-id'),
    ms: expect.any(Number),
  })
  // A busy machine makes any call slow.
  if ((line.ms as number) < SLOW_MS) expect(line).toMatchObject({ level: 30, msg: 'request' })
  const called = await mcp(toolCall('add', { a: 1, b: 2 }), { ...headers, 'x-request-id': 'mcp-1' })
  expect(await lineOf('mcp-1')).toMatchObject({
    ...known,
    method: 'POST',
    route: '/mcp',
    tool: 'add',
    receipt: called.headers.get('x-receipt-id'),
  })
  expect(logged.join('')).not.toMatch(new RegExp(`${key.value}|private|AAPL`))
})

test('a tool can continue the trace in its own requests, as the response names it', async () => {
  seenByTool.splice(0)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { headers } = await rest('/v1/test/nap', { traceparent })
  await rest('/v1/test/nap')
  expect(seenByTool).toEqual([headers.get('traceparent'), null])
  expect(seenByTool[0]).toContain('0af7651916cd43dd8448eb211c80319c')
})

test('the lines of refused and failed calls say so', async () => {
  await rest('/v1/test/rows/NOPE', { 'x-request-id': 'refused' })
  await rest('/v1/test/failing?mode=throw', { 'x-request-id': 'failed' })
  await fetch(`${server.url}/v1/test/rows/A`, { headers: { 'x-api-key': 'fm_wrong', 'x-request-id': 'stranger' } })
  await mcp(toolCall('no_such_tool'), { 'x-request-id': 'unknown' })
  expect(await lineOf('refused')).toMatchObject({ result: 'refused', status: 404, accountId: key.accountId })
  expect(await lineOf('failed')).toMatchObject({ result: 'failed', status: 500 })
  expect(await lineOf('stranger')).not.toHaveProperty('accountId')
  expect(await lineOf('unknown')).toMatchObject({ result: 'refused', tool: 'unknown' })
  expect(logged.join('')).not.toContain('no_such_tool')
})

test('a replayed call has the receipt of the first one', async () => {
  const once = { 'idempotency-key': 'one' }
  const first = await rest('/v1/test/rows/A', once)
  await rest('/v1/test/rows/A', { ...once, 'x-request-id': 'again' })
  expect(await lineOf('again')).toMatchObject({ result: 'replayed', receipt: first.headers.get('x-receipt-id') })
})

test('a slow call is a warning that says where its time went, over REST and MCP', async () => {
  await rest('/v1/test/nap', { 'x-request-id': 'slow-rest' })
  await mcp(toolCall('nap'), { 'x-request-id': 'slow-mcp' })
  for (const id of ['slow-rest', 'slow-mcp']) {
    const line = await lineOf(id)
    expect(line).toMatchObject({ level: 40, msg: 'slow call', tool: 'nap', receipt: expect.stringMatching(/^rcpt_/) })
    const { ms, verifyMs, admitMs, toolMs, commitMs } = line as Record<string, number>
    expect(toolMs).toBeGreaterThanOrEqual(SLOW_MS - 1)
    // Each figure is rounded.
    expect(verifyMs! + admitMs! + toolMs! + commitMs!).toBeLessThanOrEqual(ms! + 3)
  }
})

test('each call of a batch has its own line and receipt', async () => {
  const batch = [toolCall('test_rows', { symbol: 'A' }, 1), toolCall('test_rows', { symbol: 'B' }, 2)]
  const answer = await mcp(batch, { 'x-request-id': 'batch', 'mcp-protocol-version': '2025-03-26' })
  const receipts = ((await answer.json()) as { result: { _meta: Record<string, string> } }[]).map(
    ({ result }) => result._meta['finmeter/receipt-id'],
  )
  expect(new Set(receipts).size).toBe(2)
  await lineOf('batch')
  const found = lines().filter(({ requestId }) => requestId === 'batch')
  expect(found.map(({ receipt }) => receipt).sort()).toEqual(receipts.sort())
})

test('SLOW_CALL_MS=0 turns the warning off', async () => {
  const own: string[] = []
  const quiet = await startToolServer([napping], { SLOW_CALL_MS: '0' }, own)
  const { value } = await quiet.key({ credits: 10 })
  await fetch(`${quiet.url}/v1/test/nap`, { headers: { 'x-api-key': value, 'x-request-id': 'nap' } })
  await quiet.close()
  expect(own.map((line) => JSON.parse(line)).find(({ requestId }) => requestId === 'nap')).toMatchObject({ level: 30 })
})
