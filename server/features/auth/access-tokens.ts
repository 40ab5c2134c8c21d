import { errors, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import type { Secrets } from '../../secrets.ts'
import { configuredKeys, storedKeys } from './signing-keys.ts'

/** Life of an access token. Revocation of a session reaches services that only check signatures after this time. */
export const ACCESS_TOKEN_SECONDS = 3600
const AUDIENCE = 'authenticated'

/** A proof that the person gave, newest first in a token. `timestamp` in seconds. */
export interface AuthenticationMethod {
  method: string
  timestamp: number
}

/** What a valid access token of a signed-in person says. */
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

export interface AccessTokens {
  /** The claims of a signed-in person's token, for product routes. Throws AppError unauthorized for every bad token. */
  verify: (token: string) => Promise<AccessClaims>
  /** The payload of any token that we signed and that is in time, for the auth service itself. Throws a jose error. */
  parse: (token: string, options?: { expiredUpToSeconds?: number }) => Promise<JWTPayload>
  sign: (claims: Omit<AccessClaims, 'exp'>, issuedAtSeconds?: number) => Promise<SignedToken>
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

interface AccessTokenParts {
  config: Pick<Config, 'PUBLIC_URL' | 'AUTH_JWT_KEYS'>
  db: Database
  secrets: Secrets
  log: Logger
}

/**
 * Signs and checks access tokens (JWT; ES256, or RS256 with configured keys). Keys come from AUTH_JWT_KEYS, else from the
 * database. Throws when the configured keys cannot be used.
 */
export async function createAccessTokens({ config, db, secrets }: AccessTokenParts): Promise<AccessTokens> {
  const ring = config.AUTH_JWT_KEYS ? await configuredKeys(config.AUTH_JWT_KEYS) : await storedKeys(db, secrets)
  const issuer = `${config.PUBLIC_URL}/auth/v1`

  // The algorithm belongs to the key: a header that names another one never reaches a signature check.
  const keyOf = async ({ kid, alg }: { kid?: string; alg?: string }): Promise<CryptoKey> => {
    const key = kid ? await ring.find(kid) : undefined
    if (!key || key.alg !== alg) throw new errors.JWKSNoMatchingKey()
    return key.publicKey
  }

  return {
    async verify(token) {
      const { payload: raw } = await jwtVerify(token, keyOf, {
        issuer,
        audience: AUDIENCE,
      }).catch(refuse)
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
    },
    async parse(token, { expiredUpToSeconds = 0 } = {}) {
      const { payload: raw } = await jwtVerify(token, keyOf, { clockTolerance: expiredUpToSeconds })
      if (raw.iss !== undefined && raw.iss !== issuer)
        throw new errors.JWTClaimValidationFailed('token has invalid issuer', raw, 'iss')
      return raw
    },
    async sign(
      { sub, sessionId, appMetadata, userMetadata, isAnonymous, ...claims },
      issuedAt = Math.floor(Date.now() / 1000),
    ) {
      const key = await ring.signer()
      const expiresAt = issuedAt + ACCESS_TOKEN_SECONDS
      const token = await new SignJWT({
        ...claims,
        app_metadata: appMetadata,
        user_metadata: userMetadata,
        is_anonymous: isAnonymous,
        session_id: sessionId,
      })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(sub)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key.privateKey)
      return { token, expiresAt }
    },
    jwks: async () => ({ keys: (await ring.all()).map((key) => key.publicJwk) as JSONWebKeySet['keys'] }),
  }
}

function refuse(error: unknown): never {
  if (error instanceof errors.JOSEError || error instanceof TypeError)
    throw new AppError('unauthorized', undefined, {}, { cause: error })
  throw error
}
