import { createHash } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  CALLBACK,
  CLIENT,
  callbackOf,
  type IdentityServer,
  INSECURE,
  SECRET,
  startIdentityServer,
} from './testing/identity-server.ts'

let server: IdentityServer
let as: oauth.AuthorizationServer

beforeAll(async () => {
  server = await startIdentityServer()
  const issuer = new URL(server.google)
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, INSECURE))
})
afterAll(() => server?.close())

const SCOPE = 'openid email profile'

/** A complete sign-in with oauth4webapi, a certified client library. */
async function signIn(email: string, parameters: Record<string, string> = {}) {
  const verifier = oauth.generateRandomCodeVerifier()
  const challenge = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }
  const callback = await callbackOf(as.authorization_endpoint!, email, {
    scope: SCOPE,
    nonce: 'the-nonce',
    ...challenge,
    ...parameters,
  })
  const validated = oauth.validateAuthResponse(as, CLIENT, callback, 'the-state')
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    CLIENT,
    oauth.ClientSecretPost(SECRET),
    validated,
    CALLBACK,
    verifier,
    INSECURE,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, CLIENT, response, {
    expectedNonce: 'the-nonce',
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(as, response, INSECURE)
  return { tokens, claims: oauth.getValidatedIdTokenClaims(tokens)!, callback }
}

const token = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${server.google}/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({
      client_id: CLIENT.client_id,
      client_secret: SECRET,
      grant_type: 'authorization_code',
      redirect_uri: CALLBACK,
      ...fields,
    }),
  })

const codeFor = async (parameters: Record<string, string> = {}) =>
  (
    await callbackOf(`${server.google}/o/oauth2/v2/auth`, 'ada.moreau@example.com', { scope: SCOPE, ...parameters })
  ).searchParams.get('code') ?? ''

describe('Google with oauth4webapi', () => {
  it('signs a person in with a valid ID token', async () => {
    const { tokens, claims, callback } = await signIn('eli@example.com')
    expect(claims).toMatchObject({
      iss: server.google,
      azp: CLIENT.client_id,
      aud: CLIENT.client_id,
      sub: '100000000000000000002',
      email: 'eli@example.com',
      email_verified: true,
      name: 'Eli Sato',
      given_name: 'Eli',
      family_name: 'Sato',
      nonce: 'the-nonce',
      at_hash: createHash('sha256').update(tokens.access_token).digest().subarray(0, 16).toString('base64url'),
    })
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3599, scope: SCOPE })
    expect(Object.fromEntries(callback.searchParams)).toMatchObject({
      iss: server.google,
      scope: SCOPE,
      authuser: '0',
      state: 'the-state',
    })
  })

  it('serves both userinfo endpoints', async () => {
    const { tokens, claims } = await signIn('bo@example.com')
    const user = await oauth.processUserInfoResponse(
      as,
      CLIENT,
      claims.sub,
      await oauth.userInfoRequest(as, CLIENT, tokens.access_token, INSECURE),
    )
    expect(user).toMatchObject({ sub: claims.sub, email: 'bo@example.com', email_verified: false })
    const older = await (
      await fetch(`${server.google}/userinfo/v2/me`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
    ).json()
    expect(older).toMatchObject({ id: claims.sub, email: 'bo@example.com', verified_email: false })
    expect(older).not.toHaveProperty('email_verified')
    expect((await fetch(`${server.google}/v1/userinfo`, { headers: { authorization: 'Bearer x' } })).status).toBe(401)
  })

  it('issues a refresh token only at the first offline consent, and accepts it', async () => {
    const first = await signIn('offline@example.com', { access_type: 'offline' })
    expect(first.tokens.refresh_token).toMatch(/^1\/\//)
    expect((await signIn('offline@example.com', { access_type: 'offline' })).tokens.refresh_token).toBeUndefined()
    expect((await signIn('online@example.com')).tokens.refresh_token).toBeUndefined()
    const again = await oauth.refreshTokenGrantRequest(
      as,
      CLIENT,
      oauth.ClientSecretPost(SECRET),
      first.tokens.refresh_token!,
      INSECURE,
    )
    expect((await again.json()).access_token).toMatch(/^ya29\./)
  })

  it('rotates its signing key and still publishes the previous one', async () => {
    const rotating = await startIdentityServer({ googleKeyLifetimeMs: 60_000 })
    const kids = async () =>
      (await (await fetch(`${rotating.google}/oauth2/v3/certs`)).json()).keys.map(({ kid }: { kid: string }) => kid)
    const before = await kids()
    expect(before).toHaveLength(1)
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] })
    const after = await kids()
    vi.useRealTimers()
    expect(after).toHaveLength(2)
    expect(after[1]).toBe(before[0])
    await rotating.close()
  })

  it('sends no email without the scope, or for a person without one', async () => {
    const code = await codeFor({ scope: 'openid' })
    const { id_token } = await (await token({ code })).json()
    const { payload } = await jwtVerify(id_token, createRemoteJWKSet(new URL(as.jwks_uri!)))
    expect(payload).not.toHaveProperty('email')
    expect(payload).not.toHaveProperty('email_verified')
  })
})

describe('Google refuses', () => {
  it('a used code, with 400 invalid_grant', async () => {
    const code = await codeFor()
    expect((await token({ code })).status).toBe(200)
    const again = await token({ code })
    expect([again.status, (await again.json()).error]).toEqual([400, 'invalid_grant'])
  })

  it('a code after ten minutes', async () => {
    const code = await codeFor()
    vi.useFakeTimers({ now: Date.now() + 601_000, toFake: ['Date'] })
    const late = await token({ code })
    vi.useRealTimers()
    expect([late.status, (await late.json()).error]).toEqual([400, 'invalid_grant'])
  })

  it.each([
    [{ client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ client_id: 'other' }, 401, 'invalid_client'],
    [{ redirect_uri: 'http://localhost:1/other' }, 400, 'redirect_uri_mismatch'],
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'invalid_grant'],
    [{ code: 'x' }, 400, 'invalid_grant'],
  ])('%j with %i %s', async (fields, status, error) => {
    const response = await token({ code: await codeFor(), ...(fields as Record<string, string>) })
    expect([response.status, (await response.json()).error]).toEqual([status, error])
  })

  it('a missing or wrong PKCE verifier', async () => {
    const challenge = {
      code_challenge: await oauth.calculatePKCECodeChallenge('v'.repeat(43)),
      code_challenge_method: 'S256',
    }
    expect((await token({ code: await codeFor(challenge) })).status).toBe(400)
    expect((await token({ code: await codeFor(challenge), code_verifier: 'w'.repeat(43) })).status).toBe(400)
    expect((await token({ code: await codeFor(challenge), code_verifier: 'v'.repeat(43) })).status).toBe(200)
  })

  it('accepts client credentials by HTTP Basic', async () => {
    const authorization = `Basic ${Buffer.from(`${CLIENT.client_id}:${SECRET}`).toString('base64')}`
    const response = await token({ code: await codeFor(), client_id: '', client_secret: '' }, { authorization })
    expect(response.status).toBe(200)
  })

  it('an unregistered redirect_uri, on an error page', async () => {
    const response = await fetch(
      `${server.google}/o/oauth2/v2/auth?client_id=${CLIENT.client_id}&response_type=code&redirect_uri=https://evil.example/`,
      { redirect: 'manual' },
    )
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('Error 400: redirect_uri_mismatch'),
    ])
    const unknown = await fetch(`${server.google}/o/oauth2/v2/auth?client_id=<script>`, { redirect: 'manual' })
    expect([unknown.status, await unknown.text()]).toEqual([401, expect.not.stringContaining('<script>')])
  })

  it('prompt=none without a login_hint', async () => {
    const callback = await callbackOf(`${server.google}/o/oauth2/v2/auth`, '')
    expect(callback.searchParams.get('error')).toBe('login_required')
  })
})
