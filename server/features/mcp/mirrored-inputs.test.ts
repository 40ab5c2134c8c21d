import { expect, test } from 'vitest'
import { createMirrorCheck } from './mirrored-inputs.ts'

const tool = {
  name: 'report',
  title: 'Report',
  description: 'Two mirrored inputs and one that is not.',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      year: { type: 'integer', 'x-mcp-header': 'Year' },
      note: { type: 'string' },
    },
  },
  annotations: {},
}
const check = createMirrorCheck([tool])

function refusal(args: unknown, headers: Record<string, string>, revision = '2026-07-28'): unknown {
  const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'report', arguments: args } }
  const request = {
    method: 'POST',
    headers: { 'mcp-protocol-version': revision, ...headers },
    body: JSON.stringify(message),
    presented: { apiKeyHeader: undefined, urlKey: undefined, authorization: undefined, ip: '127.0.0.1' },
  }
  const reply = check(request as never, message)
  return reply && { status: reply.status, ...JSON.parse(String(reply.body)) }
}

test.each([
  ['an equal text', { region: 'us-east' }, { 'mcp-param-region': 'us-east' }],
  ['a text that a header cannot hold', { region: 'Zürich' }, { 'mcp-param-region': '=?base64?WsO8cmljaA==?=' }],
  ['an equal number in another notation', { year: 2026 }, { 'mcp-param-year': '2026.0' }],
  ['a header without its argument', { note: 'x' }, { 'mcp-param-region': 'us-east' }],
  ['null, which has no header', { region: null }, {}],
])('%s passes', (_name, args, headers) => {
  expect(refusal(args, headers)).toBeNull()
})

test.each([
  [{ region: 'us-east' }, {}, 'The argument region must also be sent as the header Mcp-Param-Region.'],
  [
    { region: 'us-east' },
    { 'mcp-param-region': 'eu-west' },
    'The header Mcp-Param-Region and the argument region have different values.',
  ],
  [
    { year: 2026 },
    { 'mcp-param-year': '2025' },
    'The header Mcp-Param-Year and the argument year have different values.',
  ],
  [
    { region: 'Hello' },
    { 'mcp-param-region': '=?base64?SGVsbG8?=' },
    'The header Mcp-Param-Region is not valid Base64 between =?base64? and ?=.',
  ],
])('%j with %j is refused', (args, headers, message) => {
  expect(refusal(args, headers)).toEqual({ status: 400, jsonrpc: '2.0', error: { code: -32020, message }, id: 7 })
})

test('clients of older revisions do not know these headers', () => {
  expect(refusal({ region: 'us-east' }, {}, '2025-11-25')).toBeNull()
})
