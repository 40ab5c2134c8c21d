import { timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { success } from '#contract/envelope.ts'
import type { OperatorRoute } from '#contract/operator/route.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { OperatorContext } from './context.ts'
import { csrfTokenOf } from './cookie.ts'
import { FRESH_MINUTES, findSession } from './find-session.ts'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
interface Call<R extends OperatorRoute> {
  ctx: OperatorContext
  input: { params: Parsed<R['params']>; query: Parsed<R['query']>; body: Parsed<R['body']> }
  reply: FastifyReply
}
type Handler<R extends OperatorRoute> = (call: Call<R>) => Promise<z.input<R['data']>> | z.input<R['data']>

const contexts = new WeakMap<FastifyRequest, OperatorContext>()

/**
 * Serves a route of the console. Without a session it is a path that does not exist. A session of another role is forbidden.
 * Changes need the session's CSRF token and a second factor; a `fresh` route one that was proved in the last ten minutes, also to read.
 */
export function serveOperator<R extends OperatorRoute>(
  app: FastifyInstance,
  deps: Deps,
  route: R,
  handler: Handler<R>,
): void {
  const guard = async (request: FastifyRequest, reply: FastifyReply) => {
    const ctx = await findSession(deps, request)
    if (!ctx) return reply.callNotFound()
    reply.header('cache-control', 'private, no-store')
    await admit(ctx, route, request)
    contexts.set(request, ctx)
  }
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: guard,
    // Again after the body, which a client may hold back: the role may have gone meanwhile.
    ...(route.method !== 'GET' && { preValidation: guard }),
    schema: {
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      ...(route.body && { body: z.preprocess((body) => body ?? {}, route.body) }),
      response: { [route.status]: success(route.data) },
    },
    handler: async (request, reply) => {
      const { params, query, body } = request
      const input = { params, query, body } as Call<R>['input']
      const ctx = { ...contexts.get(request)!, input: inputOf(route, params, body) }
      const data = await handler({ ctx, input, reply })
      reply.code(route.status)
      // A file: its handler has named the type.
      return data instanceof Readable ? data : { success: true, data }
    },
  })
}

/** A repeated request is the same form if only its reason was written differently. Throws invalid_parameter. */
function inputOf({ path }: OperatorRoute, params: unknown, body: unknown): string {
  const { act_id: _, reason: __, ...given } = (body ?? {}) as Record<string, unknown>
  const input = JSON.stringify([path, params ?? null, given])
  // Half of a character pair, which no column can store, is the only thing that is written so.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(input))
    throw new AppError('invalid_parameter', 'The request contains half of a character. Type the text again.')
  return input
}

async function admit({ deps, operator, session }: OperatorContext, route: OperatorRoute, request: FastifyRequest) {
  await deps.limits.count('operatorActs', { person: `operator:${operator.id}` })
  if (!route.roles.includes(operator.role))
    throw new AppError('forbidden', `This needs the role ${route.roles.join(' or ')}. Your role is ${operator.role}.`)
  if (route.method !== 'GET') admitChange(session, route, request)
  if (route.fresh && session.factorCountsFrom)
    throw new AppError(
      'forbidden',
      `Your second factor is new: it confirms this from ${session.factorCountsFrom.toISOString().slice(0, 16)} UTC. If it cannot wait, run on the server: npm run admin -- operator trust-factor ${operator.email}`,
    )
  if (route.fresh && (session.secondFactor === 'stale' || session.secondFactor === 'read_only'))
    throw new AppError(
      'second_factor_required',
      `Confirm your second factor: the last time was more than ${FRESH_MINUTES} minutes ago.`,
    )
}

function admitChange(session: OperatorContext['session'], route: OperatorRoute, request: FastifyRequest) {
  const given = Buffer.from(String(request.headers['x-csrf-token'] ?? ''))
  const expected = Buffer.from(csrfTokenOf(session.secret))
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new AppError('forbidden', 'This request has no valid session token. Reload the page and try again.')
  const leaves = route.method === 'DELETE' && route.path === '/operator/api/session'
  if (session.secondFactor === 'read_only' && !leaves)
    throw new AppError(
      'second_factor_required',
      'This session is read-only. Add two-factor authentication to your account, then open the console again.',
    )
}
