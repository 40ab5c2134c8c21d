import { randomBytes } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthServer, startAuthServer } from '../testing/auth-server.ts'
import { call, refusalCode } from '../testing/call.ts'
import { signIn } from '../testing/sign-in.ts'

const secret = randomBytes(32)
const oct = { kty: 'oct', kid: 'shared', k: secret.toString('base64url'), alg: 'HS256', key_ops: ['sign', 'verify'] }
const elsewhere = 'https://elsewhere.example'

let server: AuthServer
let stored: AuthServer
let rsa: Awaited<ReturnType<typeof generateKeyPair>>

beforeAll(async () => {
  rsa = await generateKeyPair('RS256', { extractable: true })
  const rsaJwk = { ...(await exportJWK(rsa.privateKey)), kid: 'rsa', key_ops: ['verify'] }
  server = await startAuthServer({ env: { AUTH_JWT_KEYS: JSON.stringify([oct, rsaJwk]) } })
  stored = await startAuthServer()
})
afterAll(async () => {
  await server?.close()
  await stored?.close()
})

type Key = Parameters<SignJWT['sign']>[0]
const sign = (key: Key, header: { alg: string; kid?: string }, claims: object) =>
  new SignJWT({ ...claims }).setProtectedHeader(header).setIssuedAt().sign(key)
const listUsers = (token: string, at = server) => call(at, 'GET', '/admin/users', { token })
const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a shared secret', () => {
  it('signs and checks sessions, and is never published', async () => {
    const { client, session } = await signIn(server.url, { provider: 'google', email: 'shared@example.com' })
    expect(JSON.parse(atob(session.access_token.split('.')[0]!))).toMatchObject({ alg: 'HS256', kid: 'shared' })
    expect((await client.getUser()).data.user?.email).toBe('shared@example.com')
    const published = await call(server, 'GET', '/.well-known/jwks.json')
    expect(published.body.keys.map(({ kid }: { kid: string }) => kid)).toEqual(['rsa'])
    expect(published.text).not.toContain(oct.k)
  })

  it('checks nothing that says it is signed by another algorithm, nor any key the other way round', async () => {
    const admin = { role: 'service_role' }
    const pem = new TextEncoder().encode(await exportSPKI(rsa.publicKey))
    const modulus = Buffer.from((await exportJWK(rsa.publicKey)).n!, 'base64url')
    for (const [alg, key, kid] of [
      ['HS256', pem, 'rsa'],
      ['HS256', modulus, 'rsa'],
      ['HS256', secret, 'rsa'],
      ['HS384', secret, 'shared'],
      ['HS512', secret, 'shared'],
      ['RS256', rsa.privateKey, 'shared'],
      ['HS256', secret, 'unknown'],
      ['HS256', Buffer.from(oct.k), 'shared'],
      ['HS256', Buffer.alloc(32), 'shared'],
    ] as const)
      expect([alg, kid, refusalCode(await listUsers(await sign(key, { alg, kid }, admin)))]).toEqual([
        alg,
        kid,
        '403 bad_jwt',
      ])
    for (const kid of ['shared', 'rsa', undefined])
      for (const alg of ['none', 'None', 'NONE'])
        expect(refusalCode(await listUsers(`${b64({ alg, kid })}.${b64(admin)}.`))).toBe('403 bad_jwt')
    expect(refusalCode(await listUsers(await sign(secret, { alg: 'HS256' }, admin)))).toBe('403 bad_jwt')
    expect((await listUsers(await sign(secret, { alg: 'HS256', kid: 'shared' }, admin))).status).toBe(200)
    expect((await listUsers(await sign(rsa.privateKey, { alg: 'RS256', kid: 'rsa' }, admin))).status).toBe(200)
  })
})

describe('a service key that the operator made with a configured key', () => {
  const make = (claims: object) => sign(secret, { alg: 'HS256', kid: 'shared' }, claims)

  it('may name another issuer', async () => {
    expect((await listUsers(await make({ role: 'service_role', iss: elsewhere }))).status).toBe(200)
  })

  it('may name a subject that is nobody', async () => {
    for (const role of ['service_role', 'supabase_admin'])
      expect((await listUsers(await make({ role, sub: '1234567890' }))).status).toBe(200)
  })

  it('opens nothing else, and a person’s token of another issuer opens nothing', async () => {
    const { session } = await signIn(server.url, { provider: 'google', email: 'foreign@example.com' })
    const claims = JSON.parse(Buffer.from(session.access_token.split('.')[1]!, 'base64url').toString())
    const user = async (changed: object) =>
      refusalCode(await call(server, 'GET', '/user', { token: await make({ ...claims, ...changed }) }))
    expect(await user({})).toBe('200 undefined')
    expect(await user({ iss: elsewhere })).toBe('403 bad_jwt')
    expect(await user({ iss: elsewhere, role: 'service_role' })).toBe('403 bad_jwt')
    for (const changed of [
      { iss: elsewhere, role: 'authenticated' },
      { iss: elsewhere, role: 'supabase_admin' },
      { iss: elsewhere, role: 'service_role' },
      { iss: elsewhere, role: ['service_role'] },
    ])
      expect(refusalCode(await listUsers(await make({ ...claims, ...changed })))).toBe('403 bad_jwt')
    expect(refusalCode(await listUsers(await make({ role: 'service_role', iss: elsewhere, exp: 1 })))).toBe(
      '403 bad_jwt',
    )
  })

  it('is unknown to a server with keys of its own', async () => {
    const token = await make({ role: 'service_role', iss: elsewhere })
    expect(refusalCode(await listUsers(token, stored))).toBe('403 bad_jwt')
  })
})
