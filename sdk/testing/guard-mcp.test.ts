import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { afterAll, afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { startDoorServer } from '#server/features/meter-door/testing/door-server.ts'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'
import { COST, type PriceToolsOptions, priceTools } from '../typescript/src/guard/price-tools.ts'

const endings: (() => unknown)[] = []
const server = await closeAfterTests(startDoorServer())
afterAll(async () => {
  for (const end of endings) await end()
})
afterEach(async () => {
  expect(await server.invariants()).toEqual([])
})

const prices = {
  price: { operation: 'acme_price' },
  search: { operation: 'acme_search', units: 100 },
}
const text = (line: string) => ({ content: [{ type: 'text' as const, text: line }] })

/** The same tools on a server of either SDK. */
function addTools(mcp: Pick<McpServer, 'registerTool'>): void {
  mcp.registerTool('price', { inputSchema: z.object({ symbol: z.string() }) }, ({ symbol }) => text(`${symbol} 42`))
  mcp.registerTool('search', { inputSchema: z.object({ rows: z.number() }) }, ({ rows }) =>
    rows < 0 ? { ...text('no'), isError: true } : { ...text(`${rows} rows`), _meta: { [COST]: { units: rows } } },
  )
  mcp.registerTool('free', { inputSchema: z.object({}) }, () => text('free'))
}

const sdks: Record<string, (options: PriceToolsOptions) => Promise<string>> = {
  /** @modelcontextprotocol/sdk, version 1. */
  async old(options) {
    const http = createServer(async (request, response) => {
      const mcp = priceTools(new OldServer({ name: 'acme', version: '1' }), prices, options)
      addTools(mcp as unknown as McpServer)
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
      await mcp.connect(transport as Parameters<typeof mcp.connect>[0])
      await transport.handleRequest(request, response)
    })
    return listen(http)
  },
  /** @modelcontextprotocol/server, version 2. */
  async present(options) {
    const handler = createMcpHandler(() => {
      const mcp = priceTools(new McpServer({ name: 'acme', version: '1' }), prices, options)
      addTools(mcp)
      return mcp
    })
    const http = createServer(async (incoming, outgoing) => {
      const body = await new Response(incoming as unknown as ReadableStream).text()
      const headers = incoming.headers as Record<string, string>
      const hasBody = incoming.method === 'POST'
      const request = new Request(`http://localhost${incoming.url}`, {
        method: incoming.method!,
        headers,
        ...(hasBody && { body }),
      })
      const answer = await handler.fetch(request)
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
    return listen(http)
  },
}

async function listen(http: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  endings.push(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}

test.each(Object.keys(sdks))('%s: calls of priced tools are charged, others are free', async (name) => {
  const key = await server.key({ credits: 50 })
  const url = await sdks[name]!({ url: server.url, serviceKey: server.serviceKeys.acme })
  const connect = async (value?: string) => {
    const client = new Client({ name: 'test', version: '1' })
    const headers: Record<string, string> = value ? { authorization: `Bearer ${value}` } : {}
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    endings.unshift(() => client.close())
    return client
  }
  const client = await connect(key.value)
  const price = await client.callTool({ name: 'price', arguments: { symbol: 'A' } })
  expect(price).toMatchObject({
    content: [{ text: 'A 42' }],
    _meta: {
      'finmeter/credits-charged': 2,
      'finmeter/credits-remaining': 48,
      'finmeter/receipt': expect.stringMatching(/^rcpt_/),
    },
  })
  const search = await client.callTool({ name: 'search', arguments: { rows: 11 } })
  expect(search._meta).toMatchObject({ 'finmeter/credits-charged': 6, 'finmeter/credits-remaining': 42 })
  expect(search._meta).not.toHaveProperty('finmeter/cost')
  expect((await client.callTool({ name: 'search', arguments: { rows: -1 } })).isError).toBe(true)
  expect(await client.callTool({ name: 'free', arguments: {} })).toEqual(text('free'))
  expect(await server.spending(key.accountId)).toEqual({ rows: 3, failedRows: 1, credits: 8 })

  const poor = await connect((await server.key()).value)
  const refused = await poor.callTool({ name: 'price', arguments: { symbol: 'A' } })
  expect(refused).toMatchObject({ isError: true, _meta: { 'finmeter/error': 'insufficient_credits' } })
  const stranger = await connect()
  expect(await stranger.callTool({ name: 'price', arguments: { symbol: 'A' } })).toMatchObject({
    isError: true,
    _meta: { 'finmeter/error': 'key_missing' },
  })
  expect(await stranger.callTool({ name: 'free', arguments: {} })).toEqual(text('free'))
})
