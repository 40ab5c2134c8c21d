import type { FastifyRequest } from 'fastify'
import type { OAuthScope } from '#contract/oauth-scopes.ts'
import type { UserContext } from '../context.ts'
import type { Deps } from '../deps.ts'
import { resolveWorkspace } from '../features/account/resolve-workspace.ts'
import { verifyAccountToken } from '../features/oauth/verify-account-token.ts'
import { isAccessToken } from '../features/oauth/verify-token.ts'
import { openView } from '../features/support-view/open-view.ts'
import { isViewToken } from '../features/support-view/view-token.ts'
import { AppError } from './errors.ts'

const BEARER = /^bearer +([^\s]+)$/i
const contexts = new WeakMap<FastifyRequest, UserContext>()

/**
 * A Fastify hook that lets only signed-in users through. It runs before any of the body is read, and for
 * changes again after it (envelope.ts). A user's first request creates their profile, Personal account and credit account. `X-Workspace-Id` selects another of their accounts.
 * A route with a `scope` also lets programs through that a person has given a token with it, for the workspace of that token.
 * An operator who views a customer reads some routes (open-view.ts). Throws unauthorized, forbidden for a token without the scope, or not_found for a workspace that is missing or belongs to
 * someone else.
 */
export function createSessionGuard(deps: Deps, scope?: OAuthScope): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const token = bearerToken(request)
    const given = request.headers['x-workspace-id']
    const wanted = Array.isArray(given) ? given[0] : given
    if (isAccessToken(token)) {
      contexts.set(request, await programContext(deps, request, token, scope, wanted))
      return
    }
    if (isViewToken(token)) {
      const asked = { method: request.method, url: request.routeOptions.url ?? '', workspace: wanted }
      const actor = await openView(deps, token, asked)
      contexts.set(request, { deps, actor, requestId: request.id, ip: request.ip })
      return
    }
    const claims = await deps.accessTokens.verify(token)
    const workspace = await resolveWorkspace(deps.db.kysely, claims, wanted)
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

async function programContext(
  deps: Deps,
  { id, ip }: FastifyRequest,
  token: string,
  scope: OAuthScope | undefined,
  wanted: string | undefined,
): Promise<UserContext> {
  const { grantId, workspaceId, ...grantee } = await verifyAccountToken(deps, token, scope)
  if (wanted !== undefined && wanted !== workspaceId)
    throw new AppError('not_found', 'This token is for another workspace.')
  return {
    deps,
    actor: { kind: 'user', ...grantee, sessionId: grantId, isProgram: true },
    requestId: id,
    ip,
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
