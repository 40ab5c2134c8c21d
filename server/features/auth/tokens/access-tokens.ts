import { errors, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { type AccessClaims, type AccessTokens, AUDIENCE, readClaims, refuse } from './access-claims.ts'
import { hostedTokens } from './hosted-tokens.ts'
import { configuredKeys, storedKeys } from './signing-keys.ts'

/** Life of an access token. Services that only check signatures learn after this time that a session was ended. */
export const ACCESS_TOKEN_SECONDS = 3600
interface AccessTokenParts {
  config: Pick<Config, 'PUBLIC_URL' | 'AUTH_JWT_KEYS'> &
    Partial<Pick<Config, 'AUTH_URL' | 'AUTH_ANON_KEY' | 'AUTH_JWKS_URL'>>
  db: Database
  secrets: Secrets
  log: Logger
}

/**
 * Signs and checks access tokens (JWT; ES256, or RS256 or HS256 with configured keys). Keys come from AUTH_JWT_KEYS, else from the
 * database. With AUTH_URL another service signs, and its published keys check. Throws when the configured keys cannot be
 * used.
 */
export async function createAccessTokens({ config, db, secrets }: AccessTokenParts): Promise<AccessTokens> {
  if (config.AUTH_URL) return hostedTokens({ ...config, AUTH_URL: config.AUTH_URL })
  const ring = config.AUTH_JWT_KEYS ? await configuredKeys(config.AUTH_JWT_KEYS) : await storedKeys(db, secrets)
  const issuer = `${config.PUBLIC_URL}/auth/v1`

  // The algorithm belongs to the key: a header that names another one never reaches a signature check.
  const keyOf = async ({ kid, alg }: { kid?: string; alg?: string }): Promise<CryptoKey> => {
    const key = kid ? await ring.find(kid) : undefined
    if (!key || key.alg !== alg) throw new errors.JWKSNoMatchingKey()
    return key.verifyingKey
  }

  return {
    async verify(token, { anyLevel = false } = {}) {
      const { payload: raw } = await jwtVerify(token, keyOf, { issuer, audience: AUDIENCE }).catch(refuse)
      const claims = readClaims(raw)
      const { live, hasFactor } = await standing(db, claims)
      if (!live) throw new AppError('unauthorized')
      if (!anyLevel && claims.aal === 'aal1' && hasFactor) throw new AppError('second_factor_required')
      return claims
    },
    async parse(token, { expiredUpToSeconds = 0, serviceKey = false } = {}) {
      const { payload: raw } = await jwtVerify(token, keyOf, { clockTolerance: expiredUpToSeconds })
      const made = serviceKey && config.AUTH_JWT_KEYS !== undefined && raw.role === 'service_role'
      if (raw.iss !== undefined && raw.iss !== issuer && !made)
        throw new errors.JWTClaimValidationFailed('token has invalid issuer', raw, 'iss')
      return raw
    },
    async sign(
      { sub, sessionId, appMetadata, userMetadata, isAnonymous, ...claims },
      issuedAt = Math.floor(Date.now() / 1000),
      atMostSeconds = ACCESS_TOKEN_SECONDS,
    ) {
      const key = await ring.signer()
      // Clients treat a lifetime of zero seconds as no session.
      const expiresAt = issuedAt + Math.max(1, Math.min(ACCESS_TOKEN_SECONDS, atMostSeconds))
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
        .sign(key.signingKey)
      return { token, expiresAt }
    },
    async signServiceKey() {
      const key = await ring.signer()
      return new SignJWT({ role: 'service_role' })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setIssuedAt()
        .sign(key.signingKey)
    },
    jwks: async () => ({
      keys: (await ring.all()).flatMap(({ publicJwk }) => publicJwk ?? []) as JSONWebKeySet['keys'],
    }),
  }
}

/** What the token cannot know: whether its session has ended or its user was banned since, and their factors. */
async function standing(
  { kysely }: Database,
  { sub, sessionId }: AccessClaims,
): Promise<{ live: boolean; hasFactor: boolean }> {
  const { rows } = await sql<{ live: boolean; hasFactor: boolean }>`
    select exists (
        select from auth.sessions s join auth.users u on u.id = s.user_id
        where s.id = ${sessionId} and u.id = ${sub} and u.deleted_at is null
          and (u.banned_until is null or u.banned_until <= app_now())) as live,
      exists (select from auth.mfa_factors where user_id = ${sub} and status = 'verified') as "hasFactor"`.execute(
    kysely,
  )
  return rows[0]!
}
