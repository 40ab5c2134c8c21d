import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostedTokens } from './hosted-tokens.ts'

/** A project of the older kind: it signs with a secret of its own, and publishes keys where the operator says. */
let project: Server
let url: string
let status = 200
const asked: string[] = []
const secret = new TextEncoder().encode('a secret that the project keeps to itself, 32 bytes')
const [es256, rs256, foreign] = await Promise.all([
  generateKeyPair('ES256'),
  generateKeyPair('RS256'),
  generateKeyPair('ES256'),
])

beforeAll(async () => {
  const keys = [
    { ...(await exportJWK(es256.publicKey)), kid: 'es', alg: 'ES256' },
    { ...(await exportJWK(rs256.publicKey)), kid: 'rs', alg: 'RS256' },
  ]
  project = createServer(async (request, response) => {
    asked.push(`${request.url} ${request.headers.apikey}`)
    const json = (code: number, body: object) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/elsewhere/keys.json') return json(200, { keys })
    if (request.url !== '/auth/v1/user' || request.headers.apikey !== 'publishable') return json(401, {})
    if (status !== 200) return json(status, {})
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const verified = await jwtVerify(token, secret).catch(() => null)
    return verified ? json(200, { id: verified.payload.sub }) : json(403, { code: 'bad_jwt' })
  })
  await new Promise<void>((done) => project.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(project.address() as AddressInfo).port}`
})
afterAll(() => project.close())

const tokens = () =>
  hostedTokens({ AUTH_URL: url, AUTH_ANON_KEY: 'publishable', AUTH_JWKS_URL: `${url}/elsewhere/keys.json` })

const sub = randomUUID()
/** A token as such a project makes it; `claims` replace its own, undefined leaves one out. */
const token = (
  alg: 'ES256' | 'RS256' | 'HS256',
  claims: Record<string, unknown> = {},
  key: Parameters<SignJWT['sign']>[0] = { ES256: es256.privateKey, RS256: rs256.privateKey, HS256: secret }[alg],
) =>
  new SignJWT({
    iss: `${url}/auth/v1`,
    aud: 'authenticated',
    sub,
    session_id: randomUUID(),
    role: 'authenticated',
    exp: Math.floor(Date.now() / 1000) + 60,
    ...claims,
  })
    .setProtectedHeader({ alg, kid: { ES256: 'es', RS256: 'rs', HS256: 'hs' }[alg] })
    .sign(key)

const nobody = { code: 'unauthorized' }

describe('tokens of a hosted project', () => {
  it.each(['ES256', 'RS256'] as const)('%s: by the keys that AUTH_JWKS_URL publishes', async (alg) => {
    expect(await tokens().verify(await token(alg))).toMatchObject({ sub, role: 'authenticated' })
  })

  it('HS256: by asking the project, with its key', async () => {
    asked.length = 0
    expect(await tokens().verify(await token('HS256'))).toMatchObject({ sub })
    expect(asked).toEqual(['/auth/v1/user publishable'])
  })

  it.each([
    ['another issuer', { iss: 'https://elsewhere.example/auth/v1' }],
    ['another audience', { aud: 'anon' }],
    ['another role', { role: 'service_role' }],
    ['no person', { sub: undefined }],
    ['no session', { session_id: undefined }],
    ['an end in the past', { exp: 1 }],
  ])('with %s are nobody’s', async (_name, claims) => {
    await expect(tokens().verify(await token('ES256', claims))).rejects.toMatchObject(nobody)
  })

  it('signed by somebody else are nobody’s, also where a public key is taken for a secret', async () => {
    await expect(tokens().verify(await token('ES256', {}, foreign.privateKey))).rejects.toMatchObject(nobody)
    const publicKey = new TextEncoder().encode(JSON.stringify(await exportJWK(es256.publicKey)))
    await expect(tokens().verify(await token('HS256', {}, publicKey))).rejects.toMatchObject(nobody)
    await expect(tokens().verify('x.y.z')).rejects.toMatchObject(nobody)
  })

  it('are no refusal while the project is away', async () => {
    status = 503
    await expect(tokens().verify(await token('HS256'))).rejects.toMatchObject({ code: 'upstream_failed' })
    status = 200
    const lost = hostedTokens({ AUTH_URL: url, AUTH_JWKS_URL: 'http://127.0.0.1:9/keys' })
    await expect(lost.verify(await token('ES256'))).rejects.toMatchObject({ code: 'upstream_failed' })
  })
})
