import type { FastifyRequest } from 'fastify'
import type { AdminActor } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { isUuid } from '../request-input.ts'
import { bearerClaims, currentUser } from '../sessions/current-user.ts'

const ADMIN_ROLES = ['service_role', 'supabase_admin']
const admins = new WeakMap<FastifyRequest, AdminActor>()

/**
 * Accepts service keys, and users with an admin role while they and their session exist. A `sub` that is no UUID names none
 * of our users: such a token is a service key, made by the operator with our key. Throws not_admin.
 */
export async function requireAdmin(deps: AuthDeps, request: FastifyRequest): Promise<void> {
  const { role, sub } = await bearerClaims(deps, request, { serviceKey: true })
  if (!ADMIN_ROLES.includes(String(role))) throw new AuthError(403, 'not_admin', 'User not allowed')
  admins.set(request, isUuid(sub) ? `user:${(await currentUser(deps, request)).userId}` : 'system:service_key')
}

/** The caller as the audit log names them. Throws if the route forgot `requireAdmin`. */
export function adminOf(request: FastifyRequest): AdminActor {
  const admin = admins.get(request)
  if (!admin) throw new Error(`The route ${request.routeOptions.url} asks for no admin.`)
  return admin
}

/** The id of a path. Throws 404 validation_failed if it is not a UUID. */
export function pathId(text: string, name: string): string {
  if (!isUuid(text)) throw new AuthError(404, 'validation_failed', `${name} must be an UUID`)
  return text
}

export const noSuchUser = (): AuthError => new AuthError(404, 'user_not_found', 'User not found')
