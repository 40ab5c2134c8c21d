import { errors, type JSONWebKeySet, type JWTPayload } from 'jose'
import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'

export const AUDIENCE = 'authenticated'

/** How the user authenticated, newest first in a token. `timestamp` in seconds. */
export interface AuthenticationMethod {
  method: string
  timestamp: number
}

/** The claims of a valid access token of a signed-in user. */
export interface AccessClaims {
  sub: string
  sessionId: string
  email: string
  phone: string
  role: string
  aal: 'aal1' | 'aal2'
  amr: AuthenticationMethod[]
  appMetadata: Record<string, unknown>
  userMetadata: Record<string, unknown>
  isAnonymous: boolean
  /** Seconds since the epoch. */
  exp: number
}

export interface SignedToken {
  token: string
  /** Seconds since the epoch. */
  expiresAt: number
}

export interface ParseOptions {
  expiredUpToSeconds?: number
  serviceKey?: boolean
}

export interface AccessTokens {
  /**
   * The claims of a signed-in user's token, for product routes. Throws AppError unauthorized for every bad token and
   * for one whose session has ended (with another auth service, only once the token expires), and
   * second_factor_required for a session that has yet to give one, unless `anyLevel`.
   */
  verify: (token: string, options?: { anyLevel?: boolean }) => Promise<AccessClaims>
  /**
   * The payload of any token that we signed and that is in time, for the auth service itself. `serviceKey`: with the role
   * service_role also one of another issuer, made by the operator with a key of AUTH_JWT_KEYS. Throws a jose error.
   */
  parse: (token: string, options?: ParseOptions) => Promise<JWTPayload>
  sign: (claims: Omit<AccessClaims, 'exp'>, issuedAtSeconds?: number, atMostSeconds?: number) => Promise<SignedToken>
  /** A key for an operator's own programs: a token with the role service_role, without a user and without expiry. */
  signServiceKey: () => Promise<string>
  /** The public keys; never a private or symmetric part. */
  jwks: () => Promise<JSONWebKeySet>
}

const payload = z.object({
  sub: z.uuid(),
  session_id: z.uuid(),
  role: z.literal(AUDIENCE),
  email: z.string().default(''),
  phone: z.string().default(''),
  aal: z.enum(['aal1', 'aal2']).default('aal1'),
  amr: z.array(z.object({ method: z.string(), timestamp: z.number() })).default([]),
  app_metadata: z.record(z.string(), z.unknown()).default({}),
  user_metadata: z.record(z.string(), z.unknown()).default({}),
  is_anonymous: z.boolean().default(false),
  exp: z.number(),
})

/** The claims of a verified payload. Throws AppError unauthorized if it is not a signed-in user's. */
export function readClaims(raw: JWTPayload): AccessClaims {
  const parsed = payload.safeParse(raw)
  if (!parsed.success) throw new AppError('unauthorized')
  const { session_id, app_metadata, user_metadata, is_anonymous, ...claims } = parsed.data
  return {
    ...claims,
    sessionId: session_id,
    appMetadata: app_metadata,
    userMetadata: user_metadata,
    isAnonymous: is_anonymous,
  }
}

/** Turns every token error into AppError unauthorized; other errors are rethrown. */
export function refuse(error: unknown): never {
  if (error instanceof errors.JOSEError || error instanceof TypeError)
    throw new AppError('unauthorized', undefined, {}, { cause: error })
  throw error
}
