import { createRemoteJWKSet, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type AccessClaims, type AccessTokens, AUDIENCE, readClaims, refuse } from './access-claims.ts'

interface Hosted {
  AUTH_URL: string
  AUTH_ANON_KEY?: string | undefined
  AUTH_JWKS_URL?: string | undefined
}

const TIMEOUT_MS = 4_000
const hostedUser = z.object({ id: z.uuid() })

/**
 * Checks the access tokens of another service that speaks the same protocol: by its published keys, or, where it signs
 * with a shared secret (HS256, which nobody else can check), by asking it for the user. It signs; we never do.
 */
export function hostedTokens({ AUTH_URL, AUTH_ANON_KEY = '', AUTH_JWKS_URL }: Hosted): AccessTokens {
  const issuer = `${AUTH_URL}/auth/v1`
  const keys = createRemoteJWKSet(new URL(AUTH_JWKS_URL ?? `${issuer}/.well-known/jwks.json`), {
    timeoutDuration: TIMEOUT_MS,
    headers: { apikey: AUTH_ANON_KEY },
  })
  const elsewhere = () => {
    throw new Error(`Sign-in is done by ${AUTH_URL}.`)
  }
  return {
    async verify(token) {
      if (algorithmOf(token) === 'HS256') return askForUser(issuer, AUTH_ANON_KEY, token)
      const options = { issuer, audience: AUDIENCE, algorithms: ['ES256', 'RS256'] }
      const { payload } = await jwtVerify(token, keys, options).catch((error: unknown) => {
        if (isOutage(error)) throw new AppError('upstream_failed', OUTAGE, {}, { cause: error })
        return refuse(error)
      })
      return readClaims(payload)
    },
    parse: elsewhere,
    sign: elsewhere,
    signServiceKey: elsewhere,
    jwks: elsewhere,
  }
}

const OUTAGE = 'The sign-in service does not answer. Try again in a moment.'

/** The keys could not be fetched: nothing is known about the token. */
const isOutage = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout ||
  error instanceof TypeError ||
  (error as { code?: string }).code === 'ERR_JOSE_GENERIC'

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg
  } catch {
    throw new AppError('unauthorized')
  }
}

/** The service vouches for the signature by answering; the claims are then the token's own. */
async function askForUser(issuer: string, apikey: string, token: string): Promise<AccessClaims> {
  const response = await fetch(`${issuer}/user`, {
    headers: { apikey, authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
  }).catch((cause: unknown) => {
    throw new AppError('upstream_failed', OUTAGE, {}, { cause })
  })
  if (response.status >= 500) throw new AppError('upstream_failed', OUTAGE)
  const user = hostedUser.safeParse(await response.json().catch(() => null))
  const claims = readClaims(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null') ?? {})
  if (!response.ok || user.data?.id !== claims.sub) throw new AppError('unauthorized')
  return claims
}
