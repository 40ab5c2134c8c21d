import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { errorHeaders } from '../../../http/problem.ts'
import { verifyPresented } from '../credentials.ts'
import { createFastLane } from './fast-lane.ts'
import { createGuard } from './guard.ts'
import { helpPage } from './help-page.ts'
import { httpError, type McpReply, type McpRequest } from './message.ts'
import { createSdkLane } from './sdk-lane.ts'

export type McpDispatcher = (request: McpRequest) => Promise<McpReply>

/**
 * The MCP endpoint: stateless, one POST a message, JSON answers, for protocol 2026-07-28 and the revisions with a
 * handshake back to 2024-11-05. Every POST needs a key. Never throws.
 */
export function createMcpDispatcher(deps: Deps): McpDispatcher {
  const guard = createGuard(deps.config)
  const help = helpPage(deps.config.PUBLIC_URL)
  const fastLane = createFastLane(deps)
  const sdkLane = createSdkLane(deps)

  return async (request) => {
    const refusal = guard(request.headers)
    if (refusal) return refusal
    if (request.method !== 'POST') return withoutMessage(request, help)
    try {
      const verifying = verifyPresented(deps.keys, request.presented, 'mcp')
      const { accountId, keyId, rateLimitPerMinute } = verifying instanceof Promise ? await verifying : verifying
      const caller = { accountId, keyId, rateLimitPerMinute }
      const message = parse(request.body)
      return (await fastLane(request, message, caller)) ?? (await sdkLane(request, message, caller))
    } catch (error) {
      return toHttpError(error, deps)
    }
  }
}

/** Browsers preflight with OPTIONS and open with GET; there is no stream to GET and no session to DELETE. */
function withoutMessage({ method, headers }: McpRequest, help: McpReply): McpReply {
  if (method === 'GET' && headers.accept?.includes('text/html')) return help
  return httpError(405, 'Method not allowed. Send JSON-RPC messages by POST.', 'method_not_allowed', { allow: 'POST' })
}

function toHttpError(error: unknown, deps: Deps): McpReply {
  if (error instanceof AppError) return httpError(error.status, error.message, error.code, errorHeaders(error))
  deps.log.error({ error: error instanceof Error ? error.stack : String(error) }, 'mcp request failed')
  return httpError(500, 'Something went wrong on our side.', 'internal_error')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
