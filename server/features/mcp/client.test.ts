import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer()
})
afterAll(() => server?.close())

type Mode = 'auto' | 'legacy'
const modes: Mode[] = ['auto', 'legacy']

async function connect(mode: Mode, path: string, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}${path}`), { requestInit: { headers } }))
  return client
}

test.each(modes)(
  'the official client (%s) lists and calls tools with the key in the URL and in headers',
  async (mode) => {
    const key = await server.key({ credits: 100 })
    const ways: [string, Record<string, string>][] = [
      [`/mcp?apikey=${key.value}`, {}],
      ['/mcp', { 'x-api-key': key.value }],
      ['/mcp', { authorization: `Bearer ${key.value}` }],
    ]
    for (const [path, headers] of ways) {
      const client = await connect(mode, path, headers)
      expect(client.getServerVersion()?.name).toBe('finmeter')
      expect(client.getInstructions()).toContain('search_symbols')
      const { tools } = await client.listTools()
      expect(tools.map((tool) => tool.name)).toEqual([
        'test_rows',
        'test_per_rows',
        'test_failing',
        'add',
        'echo',
        'timestamp',
      ])
      expect(tools.find(({ name }) => name === 'add')).toMatchObject({
        title: 'Add two numbers',
        annotations: { readOnlyHint: true },
        inputSchema: { type: 'object', required: ['a', 'b'], additionalProperties: false },
      })
      expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
        structuredContent: { result: 5 },
        content: [{ type: 'text', text: '{"result":5}' }],
      })
      await client.close()
    }
    expect(await server.spending(key.accountId)).toEqual({ rows: 3, failedRows: 0, credits: 0 })
  },
)

test.each(modes)('each result has the price, the remaining credits and the receipt (%s)', async (mode) => {
  const key = await server.key({ credits: 10 })
  const client = await connect(mode, '/mcp', { 'x-api-key': key.value })
  const result = await client.callTool({ name: 'test_rows', arguments: { symbol: 'A' } })
  expect(result._meta).toMatchObject({
    'finmeter/credits-charged': 3,
    'finmeter/credits-remaining': 7,
    'finmeter/receipt-id': expect.any(String),
  })
  expect(result.structuredContent).toEqual({
    columns: ['symbol', 'n', 'note', 'live'],
    rows: [['A', 1, 'plain', false]],
    meta: { row_count: 1, warnings: [] },
    next_cursor: null,
  })
  await client.close()
})

test('each revision with a handshake is answered in its own version', async () => {
  const key = await server.key()
  for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const answer = await fetch(`${server.url}/mcp?apikey=${key.value}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    })
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(await answer.json()).toMatchObject({ id: 1, result: { protocolVersion, serverInfo: { name: 'finmeter' } } })
  }
})

test("100 keys calling at once never get each other's answers", async () => {
  const keys = await Promise.all(Array.from({ length: 100 }, (_, index) => server.key({ credits: 1000 + index })))
  const left = await Promise.all(
    keys.flatMap((key, index) =>
      modes.map(async (mode) => {
        const client = await connect(mode, '/mcp', { 'x-api-key': key.value })
        const result = await client.callTool({ name: 'echo', arguments: { text: key.value } })
        await client.close()
        expect(result.structuredContent).toEqual({ text: key.value })
        return Number(result._meta?.['finmeter/credits-remaining']) - 1000 - index
      }),
    ),
  )
  expect(left).toEqual(Array(200).fill(0))
})
