import type { FastifyInstance, FastifyRequest, onSendAsyncHookHandler } from 'fastify'
import { z } from 'zod'
import type { Deprecation } from '#contract/deprecation.ts'
import { success } from '#contract/envelope.ts'
import type { Route, RouteInput } from '#contract/route.ts'
import type { RequestContext, UserContext } from '../context.ts'
import type { Deps } from '../deps.ts'
import { deprecationHeaders } from './deprecation.ts'
import { createSessionGuard, userContext } from './session-guard.ts'

type ContextOf<R extends Route> = R['auth'] extends 'session' ? UserContext : Omit<RequestContext, 'actor'>
type Handler<R extends Route> = (call: {
  ctx: ContextOf<R>
  input: RouteInput<R>
  request: FastifyRequest
}) => Promise<z.input<R['data']>> | z.input<R['data']>

/** Who may cache a response. Responses about an account may contain keys and balances. */
const PRIVATE = 'private, no-store'
const PUBLIC = 'public, max-age=60'

/**
 * Serves a route of the contract: session guard, parsed input, and `{success: true, data}`, serialized by the route's own
 * schema, so that fields outside the contract never leave the server.
 */
export function serve<R extends Route>(app: FastifyInstance, deps: Deps, route: R, handler: Handler<R>): void {
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(route.auth === 'session' && guards(deps, route)),
    ...(route.deprecated && { onSend: retiring(deps, route.deprecated) }),
    schema: {
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      // No body and an empty one mean the same, so that a missing field is named instead of the missing body.
      ...(route.body && { body: z.preprocess((body) => body ?? {}, route.body) }),
      response: { [route.status]: success(route.data) },
    },
    handler: async (request, reply) => {
      const data = await handler({ ctx: contextOf(route, deps, request), input: inputOf<R>(request), request })
      reply
        .code(route.status)
        .header('cache-control', route.auth === 'public' && route.method === 'GET' ? PUBLIC : PRIVATE)
      return { success: true, data }
    },
  })
}

/**
 * The guard runs before the body is read, so that strangers cannot send one, and again after it: a client may hold its
 * body back for as long as a request may take, and its access may end meanwhile.
 */
function guards(deps: Deps, { method, scope }: Route) {
  const guard = createSessionGuard(deps, scope)
  return method === 'GET' ? { onRequest: guard } : { onRequest: guard, preValidation: guard }
}

/** On every answer, refusals too. */
function retiring({ config }: Deps, deprecated: Deprecation): onSendAsyncHookHandler {
  const headers = deprecationHeaders(deprecated, config.PUBLIC_URL)
  return async (_request, reply, payload) => {
    reply.headers(headers)
    return payload
  }
}

function contextOf<R extends Route>(route: R, deps: Deps, request: FastifyRequest): ContextOf<R> {
  const context = route.auth === 'session' ? userContext(request) : { deps, requestId: request.id, ip: request.ip }
  return context as ContextOf<R>
}

/** The parts that the schemas of the same route have parsed before the handler runs. */
const inputOf = <R extends Route>({ params, query, body }: FastifyRequest): RouteInput<R> =>
  ({ params, query, body }) as RouteInput<R>
