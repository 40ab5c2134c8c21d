import type { FastifyRequest } from 'fastify'
import { errors, type JWTPayload } from 'jose'
import { sql } from 'kysely'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { type AssuranceRow, assuranceOf, requireAssurance } from '../factors/assurance.ts'
import { provedRecently } from '../factors/recent-proof.ts'
import { isUuid } from '../request-input.ts'
import type { ParseOptions } from '../tokens/access-claims.ts'

const BEARER = /^bearer +([^\s]+)$/i

export interface CurrentUser {
  userId: string
  sessionId: string
  aal: 'aal1' | 'aal2'
  isAnonymous: boolean
  /** Whether the user has a verified second factor. */
  enrolled: boolean
  /** Whether this session gave it in the last ten minutes. */
  recent: boolean
}

/**
 * The caller, by an access token whose user and session still exist. `expiredUpToSeconds` also accepts
 * tokens that expired that recently. Throws insufficient_aal if the session does not meet the route's requirement
 * (factors/assurance.ts; `assurance`: what this request requires instead).
 */
export async function currentUser(
  deps: AuthDeps,
  request: FastifyRequest,
  options: { expiredUpToSeconds?: number; assurance?: AssuranceRow } = {},
): Promise<CurrentUser> {
  const { sub, session_id } = await bearerClaims(deps, request, options)
  if (!sub) throw badJwt(403, 'invalid claim: missing sub claim')
  if (!isUuid(sub)) throw badJwt(400, 'invalid claim: sub claim must be a UUID')
  const row = await deps.db.kysely
    .selectFrom('auth.users as u')
    .leftJoin('auth.sessions as s', (join) =>
      join
        .onRef('s.user_id', '=', 'u.id')
        .on('s.id', '=', isUuid(session_id as string) ? (session_id as string) : null),
    )
    .select([
      's.id as sessionId',
      's.aal',
      'u.is_anonymous',
      sql<boolean>`exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified')`.as(
        'enrolled',
      ),
      provedRecently.as('recent'),
      sql<boolean>`coalesce(u.banned_until > app_now(), false)`.as('banned'),
    ])
    .where('u.id', '=', sub)
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (row.banned) throw new AuthError(403, 'user_banned', 'User is banned')
  if (!row.sessionId)
    throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  await deps.limits.count('auth.person', { person: sub })
  const user: CurrentUser = {
    userId: sub,
    sessionId: row.sessionId,
    aal: row.aal as 'aal1' | 'aal2',
    isAnonymous: row.is_anonymous,
    enrolled: row.enrolled,
    recent: row.recent,
  }
  requireAssurance(options.assurance ?? assuranceOf(request), user)
  return user
}

/** The claims of the request's token, for a user or a service. Throws no_authorization or bad_jwt. */
export async function bearerClaims(
  deps: AuthDeps,
  request: FastifyRequest,
  options: ParseOptions = {},
): Promise<JWTPayload> {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
  if (!token) throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  return parse(deps, token, options)
}

async function parse(deps: AuthDeps, token: string, options: ParseOptions): Promise<JWTPayload> {
  try {
    return await deps.accessTokens.parse(token, options)
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error
    throw badJwt(403, `invalid JWT: unable to parse or verify signature, ${reason(error)}`)
  }
}

function reason(error: Error): string {
  if (error instanceof errors.JWTExpired) return 'token has invalid claims: token is expired'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'token signature is invalid: signature is invalid'
  if (error instanceof errors.JWKSNoMatchingKey) return 'token is unverifiable: no key of this kid and algorithm'
  if (error instanceof errors.JWTClaimValidationFailed) return 'token has invalid claims'
  return 'token is malformed'
}

const badJwt = (status: number, message: string): AuthError => new AuthError(status, 'bad_jwt', message)
