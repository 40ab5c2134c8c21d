import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Approval, type Client, query, registerAuthorization, verifierMatches } from './authorization.ts'
import { avatarUrl } from './avatar.ts'
import { createGoogleKeys } from './google-keys.ts'
import type { Person } from './people.ts'
import { createShortLived } from './short-lived.ts'

const CODE_MS = 600_000
const TOKEN_SECONDS = 3599

export interface GoogleOptions {
  issuer: string
  client: Client
  /** How long a signing key is used. */
  keyLifetimeMs: number
}

/** Google's OpenID Connect as it is on the wire, for sample people. */
export async function registerGoogle(
  scope: FastifyInstance,
  { issuer, client, keyLifetimeMs }: GoogleOptions,
): Promise<void> {
  const keys = createGoogleKeys(keyLifetimeMs)
  const codes = createShortLived<Approval>(CODE_MS)
  const accessTokens = createShortLived<Approval>(TOKEN_SECONDS * 1000)
  const refreshTokens = createShortLived<Approval>(Number.MAX_SAFE_INTEGER / 2)
  const consented = new Set<string>()

  registerAuthorization(scope, {
    provider: 'google',
    label: 'Google',
    authorizePath: '/o/oauth2/v2/auth',
    client,
    challengeMethods: ['S256', 'plain'],
    onWrongRedirectUri: 'page',
    approve: (approval) => ({
      iss: issuer,
      code: codes.add(approval, '4/0A'),
      scope: grantedScope(approval),
      authuser: '0',
      prompt: 'consent',
    }),
    refuse: (error) => ({ error, iss: issuer }),
  })

  scope.get('/.well-known/openid-configuration', async () => ({
    issuer,
    authorization_endpoint: `${issuer}/o/oauth2/v2/auth`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/v1/userinfo`,
    jwks_uri: `${issuer}/oauth2/v3/certs`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    claims_supported: ['aud', 'email', 'email_verified', 'exp', 'iat', 'iss', 'name', 'picture', 'sub'],
    code_challenge_methods_supported: ['plain', 'S256'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    authorization_response_iss_parameter_supported: true,
  }))

  scope.get('/oauth2/v3/certs', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send({ keys: await keys.published() }),
  )

  scope.post('/token', async (request, reply) => {
    const form = new URLSearchParams(String(request.body ?? ''))
    if (!isClient(request, form, client)) return refuse(reply, 401, 'invalid_client', 'Unauthorized')
    if (form.get('grant_type') === 'refresh_token') {
      const approval = refreshTokens.get(form.get('refresh_token') ?? '')
      return approval ? answer(approval, false) : refuse(reply, 400, 'invalid_grant', 'Bad Request')
    }
    if (form.get('grant_type') !== 'authorization_code')
      return refuse(reply, 400, 'unsupported_grant_type', 'Invalid grant_type')
    const approval = codes.take(form.get('code') ?? '')
    if (!approval) return refuse(reply, 400, 'invalid_grant', 'Malformed auth code.')
    if (form.get('redirect_uri') !== approval.request.redirectUri)
      return refuse(reply, 400, 'redirect_uri_mismatch', 'Bad Request')
    if (!verifierMatches(approval.request, form.get('code_verifier')))
      return refuse(reply, 400, 'invalid_grant', 'Invalid code verifier.')
    return answer(approval, true)
  })

  async function answer(approval: Approval, first: boolean): Promise<Record<string, unknown>> {
    const accessToken = accessTokens.add(approval, 'ya29.a0')
    const { person, request } = approval
    const firstOffline = first && request.offline && (request.reconsent || !consented.has(person.id))
    if (firstOffline) consented.add(person.id)
    return {
      access_token: accessToken,
      expires_in: TOKEN_SECONDS,
      ...(firstOffline && { refresh_token: refreshTokens.add(approval, '1//0') }),
      scope: grantedScope(approval),
      token_type: 'Bearer',
      ...(request.scopes.includes('openid') && { id_token: await idToken(approval, accessToken) }),
    }
  }

  function idToken({ person, request }: Approval, accessToken: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    return keys.sign({
      iss: issuer,
      azp: client.id,
      aud: client.id,
      sub: person.google.sub,
      ...claimsOf(person, request.scopes),
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
      ...(request.nonce !== null && { nonce: request.nonce }),
      iat: now,
      exp: now + 3600,
    })
  }

  function claimsOf(person: Person, scopes: string[]): Record<string, unknown> {
    const { email, emailVerified } = person.google
    const [given, ...family] = person.name.split(' ')
    return {
      ...(scopes.includes('email') && email !== null && { email, email_verified: emailVerified }),
      ...(scopes.includes('profile') && {
        name: person.name,
        picture: avatarUrl(issuer, person.name),
        given_name: given,
        family_name: family.join(' ') || undefined,
      }),
    }
  }

  /** The current endpoint, and the older one with other field names. */
  scope.get('/v1/userinfo', async (request, reply) =>
    userinfo(request, reply, ({ person, request: { scopes } }) => ({
      sub: person.google.sub,
      ...claimsOf(person, scopes),
    })),
  )
  scope.get('/userinfo/v2/me', async (request, reply) =>
    userinfo(request, reply, ({ person, request: { scopes } }) => {
      const { email_verified, ...claims } = claimsOf(person, scopes)
      return {
        id: person.google.sub,
        ...claims,
        ...(email_verified !== undefined && { verified_email: email_verified }),
      }
    }),
  )

  function userinfo(
    request: FastifyRequest,
    reply: FastifyReply,
    form: (approval: Approval) => Record<string, unknown>,
  ): unknown {
    const token = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? query(request).get('access_token')
    const approval = accessTokens.get(token ?? '')
    if (approval) return form(approval)
    reply.header('www-authenticate', 'Bearer realm="https://accounts.google.com/", error="invalid_token"')
    return refuse(reply, 401, 'invalid_request', 'Invalid Credentials')
  }
}

const grantedScope = ({ request }: Approval): string => request.scopes.join(' ')

function refuse(reply: FastifyReply, status: number, error: string, error_description: string): FastifyReply {
  return reply.code(status).send({ error, error_description })
}

function isClient(request: FastifyRequest, form: URLSearchParams, client: Client): boolean {
  const basic = /^basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const [id, secret] = basic
    ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
    : [form.get('client_id'), form.get('client_secret')]
  return id === client.id && secret === client.secret
}
