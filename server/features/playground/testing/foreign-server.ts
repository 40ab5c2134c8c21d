import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ForeignServer {
  /** Its MCP endpoint. */
  url: string
  /** The tools that it lists; a test may change them. */
  tools: Record<string, unknown>[]
  close: () => Promise<void>
}

/** A local MCP server of an older revision, standing in for a third party's. `answers` maps methods to results. */
export async function startForeignServer(
  answers: Record<string, (params: never) => unknown> = {},
): Promise<ForeignServer> {
  const foreign: ForeignServer = { url: '', tools: [], close: async () => {} }
  const results: Record<string, (params: never) => unknown> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      serverInfo: { name: 'foreign', version: '1' },
    }),
    'tools/list': () => ({ tools: foreign.tools }),
    ...answers,
  }
  const http = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { id, method, params } = JSON.parse(text || '{}')
      if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end()
      const answer = results[method]
      const outcome = answer ? { result: answer(params as never) } : { error: { code: -32601, message: 'No' } }
      return response
        .writeHead(200, { 'content-type': 'application/json', 'x-served-by': 'foreign', 'set-cookie': 'a=b' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
    })
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  foreign.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  foreign.close = () =>
    new Promise((done) => {
      http.close(() => done())
      http.closeAllConnections()
    })
  return foreign
}
