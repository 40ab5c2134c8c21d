import { ProtocolError, ProtocolErrorCode, Server, type ServerNotifier } from '@modelcontextprotocol/server'
import type { Deps } from '../../deps.ts'
import type { CallRecord } from '../../http/call-record.ts'
import type { Caller } from '../metering/meter.ts'
import { type CallResult, type ClientCall, IDEMPOTENCY_META, PAYMENT_META } from './call-tool.ts'
import { handleKnowledge } from './knowledge-handlers.ts'
import type { McpRequest, ReplyHeaders } from './message.ts'
import type { Profile } from './profile.ts'
import { instructionsOf, LIST_CACHE, PRIVATE_CACHE, serverInfo } from './server-identity.ts'
import type { ToolSet } from './tool-sets.ts'

/** The parts of one request that its server object needs. */
export interface Exchange {
  caller: Caller
  record: CallRecord
  toolSet: ToolSet
  headerKey: unknown
  /** Headers that calls add to the reply. */
  headers: ReplyHeaders
  /** Only of a client for which disconnecting means to cancel. */
  onGone?: McpRequest['onGone']
  /** Notifies open subscriptions of changes. */
  notify: ServerNotifier
  /** Calls a tool, as the endpoint does that was chosen. */
  call: (call: ClientCall) => Promise<CallResult>
  /** What is sold at the endpoint besides calls of tools, by its name in the list. */
  sold?: Record<string, (call: Omit<ClientCall, 'entry'>) => Promise<CallResult>> | undefined
}

const cacheHints = {
  'tools/list': LIST_CACHE,
  'server/discover': LIST_CACHE,
  'resources/list': PRIVATE_CACHE,
  'resources/templates/list': LIST_CACHE,
  'prompts/list': LIST_CACHE,
  'resources/read': PRIVATE_CACHE,
}

/** A server object for one request, never shared: answers of one client cannot reach another through it. */
export function createServer(deps: Deps, profile: Profile, exchange: Exchange): Server {
  const shop = deps.shop.current()
  const server = new Server(serverInfo(deps.config, shop), {
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      ...profile.capabilities,
    },
    instructions: instructionsOf(shop, deps.knowledge.instructions()),
    cacheHints,
    // There is no channel back to a client of an old revision: each request is answered alone.
    inputRequired: { legacyShim: false },
    ...(profile.verifyState && { requestState: { verify: profile.verifyState } }),
  })
  // The registry's schemas are JSON Schema objects; the SDK's type requires their root to be spelled out.
  server.setRequestHandler('tools/list', () => ({ tools: [...exchange.toolSet.tools] as never }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (!exchange.toolSet.has(params.name)) {
      exchange.record.call('unknown').result = 'refused'
      throw unknownTool(exchange.toolSet, params.name)
    }
    const special = profile.tools.find((tool) => tool.definition.name === params.name)
    if (special) return special.run(params.arguments ?? {}, context, exchange.notify)
    const progressToken = params._meta?.progressToken
    const asked: Omit<ClientCall, 'entry'> = {
      caller: exchange.caller,
      args: params.arguments,
      metaKey: params._meta?.[IDEMPOTENCY_META],
      headerKey: exchange.headerKey,
      payment: params._meta?.[PAYMENT_META],
      record: exchange.record.call(params.name),
      onGone: exchange.onGone,
      ...(progressToken !== undefined && {
        progress: (news) =>
          // A client that has left hears nothing more.
          void context.mcpReq
            .notify({ method: 'notifications/progress', params: { progressToken, ...news } })
            .catch(() => {}),
      }),
    }
    const sell = exchange.sold?.[params.name]
    const result = await (sell ? sell(asked) : exchange.call({ ...asked, entry: exchange.toolSet.get(params.name)! }))
    Object.assign(exchange.headers, result.headers)
    return toSdkResult(result)
  })
  handleKnowledge(server, deps, profile, exchange)
  profile.prepare(server)
  return server
}

const toSdkResult = ({ isError, text, content, structured, terms, meta }: CallResult) => ({
  _meta: meta,
  content: (content ?? [{ type: 'text', text }]) as { type: 'text'; text: string }[],
  ...(!isError && structured !== undefined && { structuredContent: structured as Record<string, unknown> }),
  ...(terms && { structuredContent: terms }),
  ...(isError && { isError }),
})

function unknownTool({ tools }: ToolSet, name: string): ProtocolError {
  const known = tools.map((tool) => tool.name).join(', ')
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 60)}. Known tools: ${known}`)
}
