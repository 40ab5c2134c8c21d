import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthServer, startAuthServer } from '../testing/auth-server.ts'
import { call, refusal, refusalCode } from '../testing/call.ts'
import { createClient, signIn } from '../testing/sign-in.ts'

let server: AuthServer
let issuer: Server
let issuerUrl: string
let sign: (
  claims: Record<string, unknown>,
  options?: { audience?: string; subject?: string | null; issuer?: string },
) => Promise<string>

/** An OpenID provider of our own, so that a test can sign whatever it wants. */
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  issuer = createServer((request, response) => {
    const body = request.url?.endsWith('/keys')
      ? { keys: [jwk] }
      : {
          issuer: issuerUrl,
          authorization_endpoint: `${issuerUrl}/authorize`,
          token_endpoint: `${issuerUrl}/token`,
          jwks_uri: `${issuerUrl}/keys`,
        }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => issuer.listen(0, '127.0.0.1', done))
  issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  sign = async (claims, { audience = 'our-client', subject = 'g-1', issuer: iss = issuerUrl } = {}) => {
    const token = new SignJWT({ email: 'idt@example.com', email_verified: true, name: 'Ida', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(iss)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('5m')
    if (subject !== null) token.setSubject(subject)
    return token.sign(privateKey)
  }
  server = await startAuthServer({
    env: { GOOGLE_CLIENT_ID: 'our-client', GOOGLE_CLIENT_SECRET: 'secret', GOOGLE_URL: issuerUrl },
  })
})
afterAll(async () => {
  await server?.close()
  issuer?.close()
})

const grant = (body: unknown) => call(server, 'POST', '/token?grant_type=id_token', { body })

describe('the id_token grant', () => {
  it('signs in with the real client, nonce and at_hash checked', async () => {
    const { client } = createClient(server.url)
    const nonce = 'a nonce of the application'
    const accessToken = 'ya29.token'
    const token = await sign({
      nonce: createHash('sha256').update(nonce).digest('hex'),
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
    })
    const { data, error } = await client.signInWithIdToken({
      provider: 'google',
      token,
      nonce,
      access_token: accessToken,
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email: 'idt@example.com', user_metadata: { full_name: 'Ida' } })
    expect((await client.getClaims()).data?.claims).toMatchObject({ amr: [{ method: 'oauth' }] })
    const again = await grant({ provider: 'google', id_token: await sign({}) })
    expect(again.body.user.id).toBe(data.user?.id)
  })

  it.each([
    ['no token', async () => ({ provider: 'google' }), 'invalid request', 'id_token required'],
    ['no provider', async () => ({ id_token: 'x' }), 'invalid request', 'provider or client_id and issuer required'],
    ['rubbish', async () => ({ provider: 'google', id_token: 'x.y.z' }), 'invalid request', 'Bad ID token'],
    [
      'an issuer of the caller’s own',
      async () => ({
        provider: 'google',
        issuer: 'https://evil.example',
        client_id: 'x',
        id_token: await sign({}, { issuer: 'https://evil.example' }),
      }),
      'invalid request',
      'Bad ID token',
    ],
    [
      'another audience',
      async () => ({ provider: 'google', id_token: await sign({}, { audience: 'somebody-else' }) }),
      'invalid request',
      'Unacceptable audience in id_token: [somebody-else]',
    ],
    [
      'no subject',
      async () => ({ provider: 'google', id_token: await sign({}, { subject: null }) }),
      'invalid request',
      'Missing sub claim in id_token',
    ],
    [
      'a nonce on one side only',
      async () => ({ provider: 'google', nonce: 'n', id_token: await sign({}) }),
      'invalid request',
      'Passed nonce and nonce in id_token should either both exist or not.',
    ],
    [
      'another nonce',
      async () => ({ provider: 'google', nonce: 'n', id_token: await sign({ nonce: 'other' }) }),
      'invalid nonce',
      'Nonces mismatch',
    ],
    [
      'another access token',
      async () => ({ provider: 'google', access_token: 'x', id_token: await sign({ at_hash: 'y' }) }),
      'invalid request',
      'Bad ID token',
    ],
  ] as const)('refuses %s in OAuth’s words', async (_name, body, error, description) => {
    const answer = await grant(await body())
    expect([answer.status, answer.body]).toEqual([400, { error, error_description: description }])
  })

  it('refuses providers that are not listed, and one that is not set up', async () => {
    expect(refusal(await grant({ provider: 'custom:evil', id_token: 'x' }))).toBe(
      '400 validation_failed: Custom OIDC provider "custom:evil" not allowed',
    )
    const without = await startAuthServer({ env: { SANDBOX: 'off' } })
    const answer = await call(without, 'POST', '/token?grant_type=id_token', {
      body: { provider: 'google', id_token: 'x' },
    })
    expect(refusalCode(answer)).toBe('400 provider_disabled')
    await without.close()
  })

  it('an unverified address gets nothing', async () => {
    const token = await sign({ email: 'unproved@example.com', email_verified: 'true' }, { subject: 'g-2' })
    expect((await grant({ provider: 'google', id_token: token })).body.code).toBe('provider_email_needs_verification')
  })

  it('link_identity adds the identity to the caller', async () => {
    const { session } = await signIn(server.url, { provider: 'github', email: 'linker@example.com' })
    const answer = await call(server, 'POST', '/token?grant_type=id_token', {
      token: session.access_token,
      body: {
        provider: 'google',
        link_identity: true,
        id_token: await sign({ email: 'third@example.com' }, { subject: 'g-3' }),
      },
    })
    expect(answer.body.user.id).toBe(session.user.id)
    expect(answer.body.user.identities.map(({ provider }: { provider: string }) => provider)).toEqual([
      'github',
      'google',
    ])
    expect((await grant({ provider: 'google', link_identity: true, id_token: await sign({}) })).status).toBe(401)
  })
})
