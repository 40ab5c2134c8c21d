import { randomUUID } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { createSecrets } from '../../secrets/secrets.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { call } from '../../testing/session.ts'
import { startAuthServer } from './testing/auth-server.ts'
import { signIn } from './testing/sign-in.ts'
import { rotateSigningKey } from './tokens/signing-keys.ts'

/** The "hosted project": our own auth service, alone, on another port with another database. */

const hosted = await closeAfterTests(startAuthServer())
const product = await closeAfterTests(
  startTestServer({ env: { AUTH_URL: hosted.url, AUTH_ANON_KEY: 'publishable-key' } }),
)

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('with AUTH_URL', () => {
  it('a person of the other service is a person here from their first request', async () => {
    const { session } = await signIn(hosted.url, { provider: 'github', email: 'far@example.com' })
    const profile = await call(product, 'GET', '/api/auth/profile', bearer(session.access_token))
    expect(profile.status).toBe(200)
    expect(profile.body.data.user).toMatchObject({ id: session.user.id, email: 'far@example.com' })
    const keys = await call(product, 'POST', '/api/keys', { ...bearer(session.access_token), body: { name: 'one' } })
    expect(keys.status).toBe(201)
    const sessions = await call(product, 'GET', '/api/auth/sessions', bearer(session.access_token))
    expect(sessions.body.data).toEqual({ sessions: null })
    const path = `/api/auth/sessions/${randomUUID()}`
    expect((await call(product, 'DELETE', path, bearer(session.access_token))).status).toBe(404)
  })

  it('keys that the service rotates to are found, once they may be asked for again', async () => {
    const kidOf = (token: string) => decodeProtectedHeader(token).kid
    const { client, session } = await signIn(hosted.url, { provider: 'github', email: 'rotated@example.com' })
    expect((await call(product, 'GET', '/api/auth/profile', bearer(session.access_token))).status).toBe(200)
    const kid = await rotateSigningKey(hosted.db, createSecrets('ab'.repeat(32)))
    await hosted.moveClock('21 minutes')
    // Both sides read keys at most so often by the machine's clock.
    const now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now + 61_000)
    const { data } = await client.refreshSession()
    expect([kidOf(session.access_token) === kid, kidOf(data.session!.access_token)]).toEqual([false, kid])
    for (const token of [data.session!.access_token, session.access_token])
      expect((await call(product, 'GET', '/api/auth/profile', bearer(token))).status).toBe(200)
    vi.restoreAllMocks()
  })

  it.each([
    ['rubbish', () => 'x.y.z'],
    ['a token without a signature', () => 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'],
    [
      'a token signed with a secret that the service does not know',
      () => 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDAifQ.AAAA',
    ],
  ])('%s is refused', async (_name, token) => {
    expect((await call(product, 'GET', '/api/auth/profile', bearer(token()))).status).toBe(401)
  })

  it('a service key of the other service is nobody', async () => {
    const key = await hosted.accessTokens.signServiceKey()
    expect((await call(product, 'GET', '/api/auth/profile', bearer(key))).status).toBe(401)
  })

  it('nothing is served at /auth/v1 here, and the web learns where to go', async () => {
    const settings = await call(product, 'GET', '/auth/v1/settings')
    expect([settings.status, settings.headers.get('content-type')]).toEqual([404, expect.stringContaining('json')])
    const config = await call(product, 'GET', '/config.json')
    expect(config.body.auth).toEqual({ url: hosted.url, anonKey: 'publishable-key' })
    const page = await call(product, 'GET', '/login')
    expect(page.headers.get('content-security-policy')).toContain(`connect-src 'self' ${hosted.url}`)
  })

  it('says that the service is away instead of that the person is nobody', async () => {
    const { session } = await signIn(hosted.url, { provider: 'github', email: 'away@example.com' })
    const alone = await startTestServer({ env: { AUTH_URL: 'http://127.0.0.1:9', AUTH_ANON_KEY: 'x' } })
    const answer = await call(alone, 'GET', '/api/auth/profile', bearer(session.access_token))
    expect([answer.status, answer.body.code]).toEqual([502, 'upstream_failed'])
    await alone.close()
  })
})
