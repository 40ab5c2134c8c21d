import { afterAll, beforeAll, expect, test } from 'vitest'
import { CallRecord } from '../../http/call-record.ts'
import type { Caller } from '../metering/meter.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { createFastPath } from './fast-path.ts'
import type { McpReply, McpRequest } from './message.ts'
import { productProfile } from './profile.ts'
import { createSdkPath, type SdkPath } from './sdk-path.ts'
import { createToolSets, type ToolSet } from './tool-sets.ts'

const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'

let server: ToolServer
let caller: Caller
let empty: Caller
let fast: ReturnType<typeof createFastPath>
let sdk: SdkPath['serve']
let all: ToolSet
beforeAll(async () => {
  server = await startToolServer()
  const callerOf = async (credits: number): Promise<Caller> => {
    const key = await server.key({ credits })
    return { accountId: key.accountId, bucket: 0, keyId: key.id, rateLimitPerMinute: null }
  }
  caller = await callerOf(10_000)
  empty = await callerOf(0)
  fast = createFastPath(server.deps)
  sdk = createSdkPath(server.deps, productProfile).serve
  all = createToolSets(server.deps.tools.current())(undefined)
})
afterAll(() => server?.close())

type Headers = McpRequest['headers']
interface Sample {
  message: unknown
  headers: Headers
}

const request = ({ message, headers }: Sample): McpRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(message) ?? '',
  presented: { apiKeyHeader: undefined, urlKey: undefined, authorization: undefined },
  record: new CallRecord('r'),
})

const rpc = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
})
const old = (message: unknown, version?: string): Sample => ({
  message,
  headers: version ? { 'mcp-protocol-version': version } : {},
})

function modern(
  method: string,
  params: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
  headers: Headers = {},
  id: unknown = 1,
): Sample {
  const envelope = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: { name: 'corpus', version: '1', title: 'Corpus' },
    [`${META}clientCapabilities`]: { elicitation: {}, roots: { listChanged: true } },
  }
  const name = typeof params.name === 'string' && { 'mcp-name': params.name }
  return {
    message: rpc(method, { ...params, _meta: { ...envelope, ...meta } }, id),
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...name, ...headers },
  }
}

/** Receipts change with every call and credits go down; everything else must be equal byte for byte. */
const steady = ({ status, headers, body }: McpReply) => {
  const { 'x-receipt-id': _, 'x-credits-remaining': __, ...rest } = headers
  return {
    status,
    headers: rest,
    body: String(body)
      .replace(/("finmeter\/receipt-id":)"[^"]+"/, '$1"R"')
      .replace(/("finmeter\/credits-remaining":)\d+/, '$10'),
  }
}

const calls: Record<string, Record<string, unknown>> = {
  'a free call': { name: 'add', arguments: { a: 1, b: 2.5 } },
  'no arguments': { name: 'add' },
  'text that needs escaping': { name: 'echo', arguments: { text: '"\\\n\u2028é€😀\u0000</script>' } },
  'a priced table': { name: 'test_rows', arguments: { symbol: 'A', rows: 3 } },
  'a table by the defaults of MCP': { name: 'test_rows', arguments: { symbol: 'A' } },
  'an empty table': { name: 'test_rows', arguments: { symbol: 'A', rows: 0 } },
  'an unknown symbol': { name: 'test_rows', arguments: { symbol: 'NOPE' } },
  'an unknown argument': { name: 'add', arguments: { a: 1, b: 2, c: 3 } },
  'wrong types': { name: 'add', arguments: { a: '1', b: null } },
  'a broken tool': { name: 'test_failing', arguments: { mode: 'throw' } },
}

const clean: Record<string, Sample> = {
  'ping of an old revision': old(rpc('ping'), '2025-06-18'),
  'list, old': old(rpc('tools/list'), '2025-11-25'),
  'list with params, old': old(rpc('tools/list', {})),
  'list, modern': modern('tools/list'),
  'text id': modern('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, {}, {}, 'id "é" \\'),
  'negative id': old(rpc('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, -7)),
  'progress token': old(rpc('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, _meta: { progressToken: 5 } })),
  'progress token, modern': modern('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, { progressToken: 'p' }),
  "another vendor's meta": old(
    rpc('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, _meta: { 'claudecode/toolUseId': 'toolu_1' } }),
  ),
  'faulty idempotency key': old(
    rpc('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, _meta: { 'finmeter/idempotency-key': 'a b' } }),
  ),
  'media type with charset': { ...old(rpc('ping')), headers: { 'content-type': 'application/json; charset=utf-8' } },
  ...Object.fromEntries(
    Object.entries(calls).map(([name, params]) => [`${name}, old`, old(rpc('tools/call', params), '2025-03-26')]),
  ),
  ...Object.fromEntries(
    Object.entries(calls).map(([name, params]) => [`${name}, modern`, modern('tools/call', params)]),
  ),
  ...Object.fromEntries(
    ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map((version) => [
      `version ${version}`,
      old(rpc('tools/call', calls['a free call']), version),
    ]),
  ),
}

test.each(Object.entries(clean))('both paths write the same: %s', async (_name, sample) => {
  for (const who of [caller, empty]) {
    const quick = await fast(request(sample), sample.message, who, all)
    expect(quick).not.toBeNull()
    expect(steady(quick!)).toEqual(steady(await sdk(request(sample), sample.message, who, all)))
  }
})

test('both paths repeat a charged call under its idempotency key with the same receipt', async () => {
  for (const sample of [
    modern('tools/call', calls['a priced table'], { 'finmeter/idempotency-key': 'k1' }),
    { ...old(rpc('tools/call', calls['a priced table'])), headers: { 'idempotency-key': 'k1' } },
  ]) {
    await fast(request(sample), sample.message, caller, all)
    const [one, two] = [
      await fast(request(sample), sample.message, caller, all),
      await sdk(request(sample), sample.message, caller, all),
    ]
    expect(one).toEqual(two)
    expect(one?.body).toContain('"finmeter/credits-charged":0')
    expect(one?.body).toContain('"finmeter/replayed":true')
  }
})

const call = { name: 'add', arguments: { a: 1, b: 2 } }
const unusual: Record<string, Sample> = {
  initialize: old(
    rpc('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
  ),
  discover: modern('server/discover'),
  notification: old({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  batch: old([rpc('ping'), rpc('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, 2)]),
  'ping, modern': modern('ping'),
  'unknown method': old(rpc('resources/list')),
  'unknown tool': old(rpc('tools/call', { name: 'nope' })),
  'a tool that is not on MCP': old(rpc('tools/call', { name: 'test_posted', arguments: { numbers: [1] } })),
  'fractional id': old(rpc('ping', undefined, 1.5)),
  'no id': old({ jsonrpc: '2.0', method: 'ping' }),
  'id null': old(rpc('ping', undefined, null)),
  'jsonrpc 1.0': old({ ...rpc('ping'), jsonrpc: '1.0' }),
  'extra field': old({ ...rpc('ping'), extra: 1 }),
  'params as a list': old({ ...rpc('tools/list'), params: [] }),
  'arguments as a list': old(rpc('tools/call', { name: 'add', arguments: [1, 2] })),
  'name is no text': old(rpc('tools/call', { name: 7 })),
  task: old(rpc('tools/call', { ...call, task: { ttl: 5 } })),
  'a cursor': old(rpc('tools/list', { cursor: 'x' })),
  'unknown version': old(rpc('tools/call', call), '1999-01-01'),
  'modern header without envelope': old(rpc('tools/call', call), MODERN),
  'name header disagrees': modern('tools/call', call, {}, { 'mcp-name': 'echo' }),
  'name header missing': modern('tools/call', call, {}, { 'mcp-name': undefined }),
  'method header disagrees': modern('tools/call', call, {}, { 'mcp-method': 'tools/list' }),
  'version header disagrees': modern('tools/call', call, {}, { 'mcp-protocol-version': '2025-11-25' }),
  'version header missing': modern('tools/call', call, {}, { 'mcp-protocol-version': undefined }),
  'capabilities of a wrong shape': modern('tools/call', call, { [`${META}clientCapabilities`]: { elicitation: 5 } }),
  'no capabilities': modern('tools/call', call, { [`${META}clientCapabilities`]: undefined }),
  'client without a version': modern('tools/call', call, { [`${META}clientInfo`]: { name: 'x' } }),
  'log level': modern('tools/call', call, { [`${META}logLevel`]: 'debug' }),
  'faulty progress token': old(rpc('tools/call', { ...call, _meta: { progressToken: {} } })),
  'meta is a list': old(rpc('tools/call', { ...call, _meta: [] })),
  text: old('ping'),
  null: old(null),
  'another media type': { ...old(rpc('ping')), headers: { 'content-type': 'text/plain' } },
}

test.each(Object.entries(unusual))('is left to the SDK, which answers: %s', async (_name, sample) => {
  expect(fast(request(sample), sample.message, caller, all)).toBeNull()
  const { status, body } = await sdk(request(sample), sample.message, caller, all)
  expect([200, 202, 400, 404, 415]).toContain(status)
  if (status !== 202)
    expect(JSON.parse(String(body))).toMatchObject(
      Array.isArray(sample.message) ? [{ jsonrpc: '2.0' }, { jsonrpc: '2.0' }] : { jsonrpc: '2.0' },
    )
})
