import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import {
  createMcpHandler,
  Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Offered, ToolDefinition } from '../mcp/offered.ts'
import { type Loopback, startLoopback } from './loopback.ts'

type Args = Record<string, unknown>

export interface McpLoopback extends Loopback {
  /** What it says of its tools now. */
  tools: ToolDefinition[]
  /** What a call answers; `session` is the server's id for the client. */
  answer: (name: string, args: Args, session: string, context: ServerContext) => unknown
  /** What it says of its prompts and resources now, and answers for them. */
  offered: Pick<Offered, 'prompts' | 'resources'>
  prompt: (name: string, args: Record<string, string>) => unknown
  read: (uri: string) => unknown
  /** Answers instead of MCP, while it is set; false: this message is MCP's. */
  instead: ((response: ServerResponse, body: string) => unknown) | null
  /** The sessions that are open. */
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>
}

/** A real MCP server on loopback. `modern`: of protocol 2026-07-28, without sessions; otherwise with them, and answering by events. */
export async function startMcpLoopback(tools: ToolDefinition[], modern = false): Promise<McpLoopback> {
  const sessions: McpLoopback['sessions'] = new Map()
  const create = (session: () => string): Server => {
    const server = new Server(
      { name: 'acme-mcp', title: 'Acme tools', version: '1' },
      { capabilities: { tools: {}, prompts: {}, resources: {} } },
    )
    server.setRequestHandler('tools/list', () => ({ tools: loopback.tools as never }))
    server.setRequestHandler(
      'tools/call',
      ({ params }, context) => loopback.answer(params.name, params.arguments ?? {}, session(), context) as never,
    )
    server.setRequestHandler('prompts/list', () => ({ prompts: loopback.offered.prompts as never }))
    server.setRequestHandler(
      'prompts/get',
      ({ params }) => loopback.prompt(params.name, params.arguments ?? {}) as never,
    )
    server.setRequestHandler('resources/list', () => ({
      resources: loopback.offered.resources.filter(({ uri }) => uri) as never,
    }))
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: loopback.offered.resources.filter(({ uriTemplate }) => uriTemplate) as never,
    }))
    server.setRequestHandler('resources/read', ({ params: { uri } }) => loopback.read(uri) as never)
    return server
  }
  const handler = createMcpHandler(() => create(() => ''), { legacy: 'reject' })
  const bySession = async (request: Request): Promise<Response> => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await create(() => transport.sessionId!).connect(transport)
    return transport.handleRequest(request)
  }
  const plain = await startLoopback(async (request, response) => {
    const { method, headers, body } = loopback.seen.at(-1)!
    if (loopback.instead && loopback.instead(response, body) !== false) return
    const left = new AbortController()
    response.on('close', () => left.abort())
    const asked = new Request(`${loopback.url}${request.url}`, {
      method,
      signal: left.signal,
      headers: headers as Record<string, string>,
      ...(body && { body }),
    })
    const answered = await (modern ? handler.fetch(asked) : bySession(asked))
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    if (!answered.body) return response.end()
    await pipeline(Readable.fromWeb(answered.body as ReadableStream), response).catch(() => {})
  })
  const loopback: McpLoopback = Object.assign(plain, {
    tools,
    answer: () => ({ content: [] }) as unknown,
    offered: { prompts: [], resources: [] } as McpLoopback['offered'],
    prompt: () => ({ messages: [] }) as unknown,
    read: () => ({ contents: [] }) as unknown,
    instead: null,
    sessions,
  })
  return loopback
}

export const priceTool: ToolDefinition = {
  name: 'get-price',
  title: 'Last price',
  description: 'The last price of a symbol.',
  inputSchema: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
  annotations: { readOnlyHint: true },
}
