import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { refuseDeepJson } from '../../http/json-depth.ts'
import { errorHeaders } from '../../http/problem.ts'
import { callObserver } from '../../http/request-log.ts'
import { chooseKey, demoCaller } from '../keys/credentials.ts'
import type { Caller } from '../metering/meter.ts'
import { perShop } from '../shop/serve-shop.ts'
import { perSnapshot } from '../tools/registry.ts'
import { challenge, verifyCaller } from './credentials.ts'
import { createFastPath } from './fast-path.ts'
import { createGuard } from './guard.ts'
import { helpPage } from './help-page.ts'
import { httpError, type McpReply, type McpRequest } from './message.ts'
import { createMirrorCheck } from './mirrored-inputs.ts'
import { productProfile } from './profile.ts'
import { createSdkPath } from './sdk-path.ts'
import { createToolSets } from './tool-sets.ts'
import { whenEnded } from './when-ended.ts'

/** Either method answers one request and never throws. */
export interface McpDispatcher {
  /** A request from outside: Host, Origin and credentials are checked. */
  handle: (request: McpRequest) => Promise<McpReply>
  /** A request of our own for a known caller; its credentials are ignored. */
  handleAs: (caller: Caller, request: McpRequest) => Promise<McpReply>
  /** Ends open streams. */
  close: () => Promise<void>
}

/**
 * The MCP endpoint: stateless, one POST per message, for protocol 2026-07-28 and the handshake revisions back to
 * 2024-11-05. Every POST needs a key.
 */
export async function createMcpDispatcher(deps: Deps): Promise<McpDispatcher> {
  const { MCP_TEST_PROFILE } = deps.config
  const profile =
    MCP_TEST_PROFILE === 'off' ? productProfile : (await import('./test-profile/profile.ts')).testProfile(deps.secrets)
  const guard = createGuard(deps.config)
  const help = perShop((shop) => helpPage(deps.config.PUBLIC_URL, shop))
  const own = profile.tools.map((tool) => tool.definition)
  const listsOf = perSnapshot((tools) => ({
    toolSetOf: createToolSets(tools, own),
    paidSetOf: deps.payments && createToolSets({ get: tools.get, mcpTools: deps.payments.list(tools) }, own),
    refuseMirrors: createMirrorCheck([...tools.mcpTools, ...own]),
  }))
  const fastPath = MCP_TEST_PROFILE === 'sdk' ? () => null : createFastPath(deps)
  const sdkPath = createSdkPath(deps, profile)
  const observeCalls = callObserver(deps)
  const endNotices = deps.tools.onChange(() => sdkPath.toolsChanged())

  const answer = async (caller: Caller, request: McpRequest): Promise<McpReply> => {
    const { toolSetOf, paidSetOf, refuseMirrors } = listsOf(deps.tools.current())
    const pays = request.pays === true && paidSetOf !== null
    const toolSet = (pays ? paidSetOf : toolSetOf)(request.tools)
    const message = parse(request.body)
    return (
      refuseMirrors(request, message) ??
      (pays ? null : await fastPath(request, message, caller, toolSet)) ??
      (await sdkPath.serve(request, message, caller, toolSet))
    )
  }

  return {
    async handle(request) {
      const refusal = guard(request.headers)
      if (refusal) return refusal
      if (request.method !== 'POST') return withoutMessage(request, help(deps.shop.current()))
      try {
        request.record.verifyingAtMs = performance.now()
        const verifying =
          request.pays && deps.payments && chooseKey(request.presented) === undefined
            ? guest(deps, request.presented.address ?? '')
            : verifyCaller(deps, request.presented)
        const caller = verifying instanceof Promise ? await verifying : verifying
        request.record.verified(caller)
        return await answer(caller, request)
      } catch (error) {
        const reply = toHttpError(error, deps)
        return reply.status === 401 ? challenge(deps.config, request.presented, reply) : reply
      }
    },
    async handleAs(caller, request) {
      request.record.verified(caller)
      const reply = await answer(caller, request).catch((error) => toHttpError(error, deps))
      const { status, body } = reply
      const observed = () => observeCalls(request.record, { method: 'POST', route: '/mcp', status })
      if (typeof body !== 'string') return { ...reply, body: whenEnded(body, observed) }
      observed()
      return reply
    },
    close() {
      endNotices()
      return sdkPath.close()
    },
  }
}

/** A caller whose calls are paid one by one. Throws rate_limited. */
async function guest({ limits }: Deps, address: string): Promise<Caller> {
  await limits.count('agentRequests', { address })
  return demoCaller(address)
}

/** Browsers preflight with OPTIONS and navigate with GET. There is no stream to GET and no session to DELETE. */
function withoutMessage({ method, headers }: McpRequest, help: McpReply): McpReply {
  if (method === 'GET' && headers.accept?.includes('text/html')) return help
  return httpError(405, 'Method not allowed. Send JSON-RPC messages by POST.', 'method_not_allowed', { allow: 'POST' })
}

function toHttpError(error: unknown, deps: Deps): McpReply {
  if (error instanceof AppError) return httpError(error.status, error.message, error.code, errorHeaders(error))
  deps.log.error({ error: error instanceof Error ? error.stack : String(error) }, 'mcp request failed')
  return httpError(500, 'Something went wrong on our side.', 'internal_error')
}

/** Undefined for what is no JSON: the SDK says so. Throws bad_json for more than 100 levels. */
function parse(text: string): unknown {
  refuseDeepJson(text)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
