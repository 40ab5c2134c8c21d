import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { errorHeaders } from '../../../http/problem.ts'
import type { Caller } from '../../metering/meter.ts'
import { challenge, verifyCaller } from './credentials.ts'
import { createFastLane } from './fast-lane.ts'
import { createGuard } from './guard.ts'
import { helpPage } from './help-page.ts'
import { httpError, type McpReply, type McpRequest } from './message.ts'
import { productProfile } from './profile.ts'
import { createSdkLane } from './sdk-lane.ts'
import { testProfile } from './test-profile/profile.ts'
import { createToolSets } from './tool-sets.ts'

/** Either answers one request and never throws. */
export interface McpDispatcher {
  /** A request from outside: Host, Origin and credentials are checked. */
  handle: (request: McpRequest) => Promise<McpReply>
  /** A request of our own for a caller who is known already; credentials in it are not looked at. */
  handleAs: (caller: Caller, request: McpRequest) => Promise<McpReply>
  /** Ends open streams. */
  close: () => Promise<void>
}

/**
 * The MCP endpoint: stateless, one POST a message, for protocol 2026-07-28 and the revisions with a handshake back to
 * 2024-11-05. Every POST needs a key.
 */
export function createMcpDispatcher(deps: Deps): McpDispatcher {
  const { MCP_TEST_PROFILE } = deps.config
  const profile = MCP_TEST_PROFILE === 'off' ? productProfile : testProfile(deps.secrets)
  const guard = createGuard(deps.config)
  const help = helpPage(deps.config.PUBLIC_URL)
  const toolSetOf = createToolSets([...deps.tools.mcpTools, ...profile.tools.map((tool) => tool.definition)])
  const fastLane = MCP_TEST_PROFILE === 'sdk' ? () => null : createFastLane(deps)
  const sdkLane = createSdkLane(deps, profile)

  const answer = async (caller: Caller, request: McpRequest): Promise<McpReply> => {
    const toolSet = toolSetOf(request.tools)
    const message = parse(request.body)
    return (
      (await fastLane(request, message, caller, toolSet)) ?? (await sdkLane.serve(request, message, caller, toolSet))
    )
  }

  return {
    async handle(request) {
      const refusal = guard(request.headers)
      if (refusal) return refusal
      if (request.method !== 'POST') return withoutMessage(request, help)
      try {
        const verifying = verifyCaller(deps, request.presented)
        return await answer(verifying instanceof Promise ? await verifying : verifying, request)
      } catch (error) {
        const reply = toHttpError(error, deps)
        return reply.status === 401 ? challenge(deps.config, request.presented, reply) : reply
      }
    },
    handleAs: (caller, request) => answer(caller, request).catch((error) => toHttpError(error, deps)),
    close: () => sdkLane.close(),
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
