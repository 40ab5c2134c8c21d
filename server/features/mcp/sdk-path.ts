import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../metering/meter.ts'
import { callTool, isLive } from './call-tool.ts'
import { JSON_HEADERS, type McpReply, type McpRequest } from './message.ts'
import type { Profile } from './profile.ts'
import { createServer, type Exchange } from './sdk-server.ts'
import { createSubscriptionLimit } from './subscription-limit.ts'
import type { ToolSet } from './tool-sets.ts'
import { whenEnded } from './when-ended.ts'

/** Only these headers reach the SDK: never a credential. */
const FORWARDED = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
const EVENT_STREAM = 'text/event-stream'

export interface SdkPath {
  serve: (request: McpRequest, message: unknown, caller: Caller, toolSet: ToolSet) => Promise<McpReply>
  /** Tells the clients that listen, also of prompts and resources, which come from the same registry. */
  toolsChanged: () => void
  /** Ends open subscription streams. */
  close: () => Promise<void>
}

/**
 * Serves everything that the fast path does not (handshakes, discovery, notifications, batches, malformed messages)
 * with the SDK: a new server object per request, for 2026-07-28 and the four handshake revisions. The answer is JSON
 * unless messages come before the result. `message` is the parsed body; undefined if it was not JSON.
 */
export function createSdkPath(deps: Deps, profile: Profile): SdkPath {
  const modern = createMcpHandler((context) => createServer(deps, profile, exchangeOf(context)), {
    legacy: 'reject',
    onerror: (error) => deps.log.debug({ error: error.message }, 'mcp request refused'),
  })
  const streaming = new Set(profile.tools.filter((tool) => tool.streams).map((tool) => tool.definition.name))
  const subscriptions = createSubscriptionLimit()

  return {
    async serve(request, message, caller, toolSet) {
      const subscribes = methodOf(message) === 'subscriptions/listen'
      const refusal = subscribes ? subscriptions.refuse(caller, message) : null
      if (refusal) return refusal
      const exchange: Exchange = {
        caller,
        record: request.record,
        toolSet,
        headerKey: request.headers['idempotency-key'],
        headers: {},
        notify: modern.notify,
        call:
          request.pays && deps.payments
            ? (call) => deps.payments!.callTool(deps, request, call)
            : (call) => callTool(deps, { ...call, purchase: request.purchase }),
        sold: request.pays ? deps.payments?.sold(deps, request) : undefined,
      }
      const web = toWebRequest(request)
      const streams = streaming.has(toolOf(message)) || asksForProgress(message, toolSet)
      const response = (await isLegacyRequest(web, message))
        ? await serveLegacy(createServer(deps, profile, exchange), web, message, streams)
        : await modern.fetch(web, {
            parsedBody: message,
            authInfo: authInfo({ ...exchange, onGone: request.onGone }),
          })
      const reply = await toReply(response, exchange)
      return subscribes ? subscriptions.count(caller, reply) : reply
    },
    toolsChanged() {
      modern.notify.toolsChanged()
      modern.notify.promptsChanged()
      modern.notify.resourcesChanged()
    },
    close: () => modern.close(),
  }
}

async function toReply(response: Response, exchange: Exchange): Promise<McpReply> {
  const contentType = response.headers.get('content-type')
  const streams = contentType?.startsWith(EVENT_STREAM) && response.body !== null
  return {
    status: response.status,
    headers: {
      ...JSON_HEADERS,
      ...(contentType !== null && { 'content-type': contentType }),
      // A stream may last for hours, and keeping its connection alive afterwards would delay a shutdown.
      ...(streams && { 'x-accel-buffering': 'no', connection: 'close' }),
      ...exchange.headers,
    },
    body: streams ? response.body! : await response.text(),
  }
}

/** The stock stateless server of old revisions always answers with an event stream; this one only when it must. */
async function serveLegacy(server: Server, web: Request, message: unknown, streams: boolean): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams })
  await server.connect(transport)
  const response = await transport.handleRequest(web, { parsedBody: message })
  if (!streams || !response.body) {
    await server.close()
    return response
  }
  const body = whenEnded(response.body, () => void server.close())
  return new Response(body, { status: response.status, headers: response.headers })
}

function toWebRequest(request: McpRequest): Request {
  // Clients that do not accept both types still get JSON.
  const headers = new Headers({ accept: `application/json, ${EVENT_STREAM}` })
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

type Fields = Record<string, unknown> | null | undefined
const methodOf = (message: unknown): unknown => (message as Fields)?.method
const toolOf = (message: unknown): string =>
  methodOf(message) === 'tools/call' ? String(((message as Fields)?.params as Fields)?.name) : ''

function asksForProgress(message: unknown, toolSet: ToolSet): boolean {
  const entry = toolSet.get(toolOf(message))
  return entry !== undefined && isLive(entry) && progressTokenOf(message) !== undefined
}
const progressTokenOf = (message: unknown): unknown =>
  (((message as Fields)?.params as Fields)?._meta as Fields)?.progressToken
