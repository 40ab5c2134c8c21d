import { randomUUID } from 'node:crypto'
import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startTestServer } from '../../../testing/harness.ts'
import { call } from '../../../testing/session.ts'
import { signIn } from '../testing/sign-in.ts'

const server = await closeAfterTests(startTestServer())

const get = (path: string, token: string) =>
  call(server, 'GET', path, { headers: { authorization: `Bearer ${token}` } })

describe('the product, for a person with a second factor,', () => {
  it('asks for it before it shows anything, and lists their sessions then', async () => {
    const email = 'guarded@example.com'
    const { client } = await signIn(server.url, { provider: 'google', email })
    const { data } = await client.mfa.enroll({ factorType: 'totp' })
    const totp = new TOTP({ secret: data!.totp.secret, digits: 6, period: 30, algorithm: 'SHA1' })
    const { data: raised } = await client.mfa.challengeAndVerify({ factorId: data!.id, code: totp.generate() })
    const weak = (await signIn(server.url, { provider: 'google', email })).session.access_token

    for (const path of ['/api/auth/profile', '/api/keys', '/api/auth/sessions', '/api/workspaces']) {
      const refused = await get(path, weak)
      expect([path, refused.status, refused.body]).toEqual([
        path,
        403,
        {
          success: false,
          error: 'This account uses two-factor authentication. Enter the code to continue.',
          code: 'second_factor_required',
        },
      ])
    }
    expect((await get('/api/keys', raised!.access_token)).status).toBe(200)
    const { body } = await get('/api/auth/sessions', raised!.access_token)
    expect(body.data.sessions).toEqual([
      // The one that asks comes first, although the other is newer.
      expect.objectContaining({ current: true, second_factor: true, ip: '127.0.0.1', user_agent: expect.any(String) }),
      expect.objectContaining({ current: false, second_factor: false }),
    ])
    const announced = await call(server, 'POST', '/api/auth/callback', { body: { access_token: weak } })
    expect(announced.status).toBe(200)
  })

  it.each(['global', 'others'] as const)('keeps stronger sessions when a weaker one signs out (%s)', async (scope) => {
    const email = `weak-${scope}@example.com`
    const { client } = await signIn(server.url, { provider: 'google', email })
    const { data } = await client.mfa.enroll({ factorType: 'totp' })
    const totp = new TOTP({ secret: data!.totp.secret, digits: 6, period: 30, algorithm: 'SHA1' })
    const { data: raised } = await client.mfa.challengeAndVerify({ factorId: data!.id, code: totp.generate() })
    const weak = await signIn(server.url, { provider: 'google', email })
    await weak.client.signOut({ scope })
    expect((await get('/api/keys', raised!.access_token)).status).toBe(200)
  })

  it('lists nobody else’s sessions', async () => {
    const one = await signIn(server.url, { provider: 'google', email: 'one@example.com' })
    await signIn(server.url, { provider: 'google', email: 'two@example.com' })
    const { body } = await get('/api/auth/sessions', one.session.access_token)
    expect(body.data.sessions).toHaveLength(1)
  })
})

describe('ending one session', () => {
  const end = (id: string, token: string) =>
    call(server, 'DELETE', `/api/auth/sessions/${id}`, { headers: { authorization: `Bearer ${token}` } })
  const listed = async (token: string) => (await get('/api/auth/sessions', token)).body.data.sessions

  it('signs that browser out at once and leaves the others', async () => {
    const email = 'three@example.com'
    const here = await signIn(server.url, { provider: 'google', email })
    const there = await signIn(server.url, { provider: 'google', email })
    const token = here.session.access_token
    const [, other] = await listed(token)
    const ended = await end(other.id, token)
    expect([ended.status, ended.body.data]).toEqual([200, { id: other.id, ended: true }])
    expect((await get('/api/keys', there.session.access_token)).status).toBe(401)
    // auth-js finds out, too: its refresh token ended with the session.
    const { error } = await there.client.refreshSession()
    expect([error?.status, error?.code]).toEqual([400, 'refresh_token_not_found'])
    expect(await listed(token)).toHaveLength(1)
    const { rows } = await server.db.pool.query('select actor, detail from audit_log where target = $1', [other.id])
    expect(rows.at(-1)).toMatchObject({ detail: { scope: 'one' } })
  })

  it('does not tell a session of another person from one that is missing', async () => {
    const one = await signIn(server.url, { provider: 'google', email: 'four@example.com' })
    const two = await signIn(server.url, { provider: 'google', email: 'five@example.com' })
    const [theirs] = await listed(two.session.access_token)
    const answers = await Promise.all([theirs.id, randomUUID(), 'none'].map((id) => end(id, one.session.access_token)))
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([404, 'not_found']))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await get('/api/keys', two.session.access_token)).status).toBe(200)
  })
})
