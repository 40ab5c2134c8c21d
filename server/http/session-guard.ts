import type { FastifyRequest } from 'fastify'
import type { UserContext } from '../context.ts'
import type { Deps } from '../deps.ts'
import { resolveWorkspace } from '../features/account/resolve-workspace.ts'
import { AppError } from './errors.ts'

const BEARER = /^bearer +([^\s]+)$/i
const contexts = new WeakMap<FastifyRequest, UserContext>()

/**
 * A Fastify hook that lets only signed-in users through. It runs before any of the body is read, and for
 * changes again after it (envelope.ts). A user's first request creates their profile, Personal account and credit account. `X-Workspace-Id` selects another of their accounts.
 * Throws unauthorized, or not_found for a workspace that is missing or belongs to someone else.
 */
export function createSessionGuard(deps: Deps): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const claims = await deps.accessTokens.verify(bearerToken(request))
    const wanted = request.headers['x-workspace-id']
    const workspace = await resolveWorkspace(deps.db.kysely, claims, Array.isArray(wanted) ? wanted[0] : wanted)
    contexts.set(request, {
      deps,
      actor: {
        kind: 'user',
        userId: claims.sub,
        email: claims.email,
        sessionId: claims.sessionId,
        accountId: workspace.accountId,
        bucket: workspace.bucket,
        role: workspace.role,
      },
      requestId: request.id,
      ip: request.ip,
    })
  }
}

/** The bearer token of a request. Throws unauthorized if there is none. */
export function bearerToken(request: FastifyRequest): string {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
  if (!token) throw new AppError('unauthorized')
  return token
}

/** The context that the guard created. Throws on a route without a guard, which must never respond. */
export function userContext(request: FastifyRequest): UserContext {
  const context = contexts.get(request)
  if (!context) throw new Error(`The route ${request.routeOptions.url} has no session guard.`)
  return context
}
