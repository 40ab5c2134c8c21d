import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../metering/meter.ts'
import { type CallResult, callTool, IDEMPOTENCY_META } from './call-tool.ts'
import { JSON_HEADERS, type McpReply, type McpRequest, type ReplyHeaders } from './message.ts'
import { instructions, LIST_CACHE, serverInfo } from './server-identity.ts'

/** What one request brings to its own server object. */
interface Exchange {
  caller: Caller
  headerKey: unknown
  /** Headers that calls add to the reply. */
  headers: ReplyHeaders
}

/** Only these reach the SDK: never a credential. */
const FORWARDED = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

/**
 * Everything that the fast lane leaves alone (handshakes, discovery, notifications, batches, faulty messages) is the
 * SDK's business: a fresh server object for each request, for 2026-07-28 and for the four revisions with a handshake,
 * always answered as JSON. `message` is the parsed body; undefined if it was not JSON.
 */
export function createSdkLane(
  deps: Deps,
): (request: McpRequest, message: unknown, caller: Caller) => Promise<McpReply> {
  const modern = createMcpHandler((context) => createServer(deps, exchangeOf(context)), {
    legacy: 'reject',
    onerror: (error) => deps.log.debug({ error: error.message }, 'mcp request refused'),
  })
  return async (request, message, caller) => {
    const exchange: Exchange = { caller, headerKey: request.headers['idempotency-key'], headers: {} }
    const web = toWebRequest(request)
    const options = { parsedBody: message, authInfo: authInfo(exchange) }
    const legacy = await isLegacyRequest(web, message)
    const response = legacy
      ? await serveLegacy(createServer(deps, exchange), web, message)
      : await modern.fetch(web, options)
    const contentType = response.headers.get('content-type')
    return {
      status: response.status,
      headers: { ...JSON_HEADERS, ...(contentType !== null && { 'content-type': contentType }), ...exchange.headers },
      body: await response.text(),
    }
  }
}

/** The stock stateless serving of old revisions answers as an event stream; this one answers as JSON. */
async function serveLegacy(server: Server, web: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(web, { parsedBody: message })
  } finally {
    await server.close()
  }
}

function toWebRequest(request: McpRequest): Request {
  // Clients that forget to accept both types get JSON all the same.
  const headers = new Headers({ accept: 'application/json, text/event-stream' })
  for (const name of FORWARDED) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return new Request('http://mcp.invalid/mcp', { method: 'POST', headers, body: request.body })
}

const authInfo = (exchange: Exchange): AuthInfo => ({
  token: '',
  clientId: String(exchange.caller.keyId),
  scopes: [],
  extra: { exchange },
})

function exchangeOf(context: McpRequestContext): Exchange {
  return context.authInfo?.extra?.exchange as Exchange
}

function createServer(deps: Deps, exchange: Exchange): Server {
  const server = new Server(serverInfo, {
    capabilities: { tools: {} },
    instructions,
    cacheHints: { 'tools/list': LIST_CACHE, 'server/discover': LIST_CACHE },
  })
  // The registry's schemas are JSON Schema objects; the SDK's type wants their root spelled out.
  server.setRequestHandler('tools/list', () => ({ tools: [...deps.tools.mcpTools] as never }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const entry = deps.tools.get(params.name)
    if (!entry || entry.tool.mcp === false) throw unknownTool(deps, params.name)
    const result = await callTool(
      deps,
      exchange.caller,
      entry,
      params.arguments,
      params._meta?.[IDEMPOTENCY_META],
      exchange.headerKey,
    )
    Object.assign(exchange.headers, result.headers)
    return toSdkResult(result)
  })
  return server
}

const toSdkResult = ({ isError, text, structured, meta }: CallResult) => ({
  _meta: meta,
  content: [{ type: 'text' as const, text }],
  ...(isError ? { isError } : { structuredContent: structured as Record<string, unknown> }),
})

function unknownTool(deps: Deps, name: string): ProtocolError {
  const known = deps.tools.mcpTools.map((tool) => tool.name)
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${name.slice(0, 60)}. Known tools: ${known.join(', ')}`,
  )
}
