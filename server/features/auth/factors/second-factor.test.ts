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
