import { createHash } from 'node:crypto'
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { z } from 'zod'
import type { ProviderConfig } from '../../../config/config.ts'
import { AuthError, OAuthError } from '../errors.ts'
import {
  authorizationUrl,
  type ExternalIdentity,
  type GivenIdToken,
  newSecrets,
  type Provider,
  ProviderError,
  plainEmail,
  requestOptions,
} from './provider.ts'

const DISCOVERY_MS = 3_600_000
const SCOPES = ['openid', 'email', 'profile']

const idToken = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z.string().optional(),
  email_verified: z.unknown().optional(),
  name: z.string().optional(),
  picture: z.string().optional(),
  hd: z.string().optional(),
  at_hash: z.string().optional(),
  nonce: z.string().optional(),
})

interface Discovered {
  server: oauth.AuthorizationServer
  keys: ReturnType<typeof createRemoteJWKSet>
  until: number
}

/** Google, or a compatible OpenID provider, found at its issuer URL. The ID token identifies the user. */
export function createGoogle(config: ProviderConfig): Provider {
  const options = requestOptions(config)
  const client: oauth.Client = { client_id: config.clientId }
  let discovered: Promise<Discovered> | null = null

  const discover = async (): Promise<Discovered> => {
    const known = await discovered?.catch(() => null)
    if (known && known.until > Date.now()) return known
    discovered = discoverAt(config.url, options)
    return discovered
  }

  return {
    name: 'google',
    async authorizationUrl(request) {
      const { server } = await discover()
      const secrets = newSecrets()
      const url = await authorizationUrl(server.authorization_endpoint!, config.clientId, SCOPES, request, secrets)
      url.searchParams.set('nonce', secrets.nonce)
      return { url, secrets }
    },
    async identify({ parameters, state, redirectUri, secrets }) {
      const { server, keys } = await discover()
      try {
        const validated = oauth.validateAuthResponse(server, client, parameters, state)
        const authentication = oauth.ClientSecretPost(config.clientSecret)
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          validated,
          redirectUri,
          secrets.codeVerifier,
          options,
        )
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: secrets.nonce,
          requireIdToken: true,
        })
        const { payload } = await jwtVerify(tokens.id_token!, keys, {
          issuer: server.issuer,
          audience: config.clientId,
          algorithms: ['RS256', 'ES256'],
        })
        const claims = idToken.parse(payload)
        if (claims.at_hash && claims.at_hash !== halfHash(tokens.access_token))
          throw new Error('at_hash does not match the access token')
        return toIdentity(claims, { accessToken: tokens.access_token, refreshToken: tokens.refresh_token })
      } catch (cause) {
        throw new ProviderError('exchange', 'Google did not accept the code or its answer does not hold', { cause })
      }
    },
    async readIdToken(given) {
      const { server, keys } = await discover().catch((cause) => {
        throw new AuthError(
          503,
          'unexpected_failure',
          'The provider google cannot be reached. Try again in a moment.',
          { cause },
        )
      })
      const claims = await readClaims(given, server.issuer, config.clientId, keys)
      return toIdentity(claims, { accessToken: given.accessToken ?? '' })
    },
  }
}

/** Checks signature, issuer, audience, time, nonce and at_hash. Throws OAuthError in the words of the protocol. */
async function readClaims(
  { idToken: token, nonce, accessToken }: GivenIdToken,
  issuer: string,
  clientId: string,
  keys: Discovered['keys'],
): Promise<z.output<typeof idToken>> {
  const { payload } = await jwtVerify(token, keys, { issuer, algorithms: ['RS256', 'ES256'] }).catch(
    (cause: unknown) => {
      if (!(cause instanceof errors.JOSEError || cause instanceof TypeError)) throw cause
      throw new OAuthError('invalid request', 'Bad ID token')
    },
  )
  if (!payload.sub) throw new OAuthError('invalid request', 'Missing sub claim in id_token')
  const audiences = [payload.aud ?? []].flat()
  if (!audiences.includes(clientId))
    throw new OAuthError('invalid request', `Unacceptable audience in id_token: [${audiences.join(' ').slice(0, 200)}]`)
  const parsed = idToken.safeParse(payload)
  if (!parsed.success) throw new OAuthError('invalid request', 'Bad ID token')
  const claims = parsed.data
  if (Boolean(claims.nonce) !== Boolean(nonce))
    throw new OAuthError('invalid request', 'Passed nonce and nonce in id_token should either both exist or not.')
  if (nonce && claims.nonce !== createHash('sha256').update(nonce).digest('hex'))
    throw new OAuthError('invalid nonce', 'Nonces mismatch')
  if (accessToken && claims.at_hash && claims.at_hash !== halfHash(accessToken))
    throw new OAuthError('invalid request', 'Bad ID token')
  return claims
}

async function discoverAt(issuer: string, options: ReturnType<typeof requestOptions>): Promise<Discovered> {
  try {
    const url = new URL(issuer)
    const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options))
    if (!server.authorization_endpoint || !server.token_endpoint || !server.jwks_uri)
      throw new Error('the discovery document lacks an endpoint')
    const keys = createRemoteJWKSet(new URL(server.jwks_uri), {
      [customFetch]: (address, init) => options[oauth.customFetch](address, { ...init, redirect: 'error' }),
    })
    return { server, keys, until: Date.now() + DISCOVERY_MS }
  } catch (cause) {
    throw new ProviderError('unreachable', `No usable discovery document at ${issuer}`, { cause })
  }
}

function toIdentity(claims: z.output<typeof idToken>, tokens: ExternalIdentity['tokens']): ExternalIdentity {
  const email = plainEmail(claims.email)
  const emailVerified = email !== null && claims.email_verified === true
  const { name, picture } = claims
  const metadata = {
    iss: claims.iss,
    sub: claims.sub,
    provider_id: claims.sub,
    ...(name && { name, full_name: name }),
    ...(picture && { picture, avatar_url: picture }),
    ...(email && { email }),
    email_verified: emailVerified,
    phone_verified: false,
    ...(claims.hd && { custom_claims: { hd: claims.hd } }),
  }
  return { provider: 'google', providerId: claims.sub, email, emailVerified, metadata, tokens }
}

/** at_hash of OpenID Connect Core 3.1.3.6 for the 256-bit algorithms. */
const halfHash = (token: string): string =>
  createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')
