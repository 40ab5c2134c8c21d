import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { call, refusal } from '../testing/call.ts'
import { signIn } from '../testing/sign-in.ts'

const server = await closeAfterTests(
  startAuthServer({ env: { AUTH_SESSION_HOURS: '48', AUTH_SESSION_IDLE_HOURS: '12' } }),
)

const start = (email: string) => signIn(server.url, { provider: 'google', email })
const refresh = (refresh_token: string, at = server) =>
  call(at, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token } })

describe('AUTH_SESSION_IDLE_HOURS', () => {
  it('ends a session that was not refreshed for so long, and no sooner', async () => {
    const { session } = await start('idle@example.com')
    await server.moveClock('11 hours 59 minutes')
    const kept = await refresh(session.refresh_token)
    expect(kept.status).toBe(200)
    await server.moveClock('11 hours 59 minutes')
    const again = await refresh(kept.body.refresh_token)
    expect(again.status).toBe(200)
    await server.moveClock('12 hours 1 second')
    expect(refusal(await refresh(again.body.refresh_token))).toBe(
      '400 session_expired: Invalid Refresh Token: Session Expired (Inactivity)',
    )
  })
})

describe('AUTH_SESSION_HOURS', () => {
  it('ends a session so long after the sign-in, however busy it was', async () => {
    const { session } = await start('boxed@example.com')
    let token = session.refresh_token
    for (const wait of ['11 hours', '11 hours', '11 hours', '11 hours', '3 hours 59 minutes']) {
      await server.moveClock(wait)
      const { status, body } = await refresh(token)
      expect(status).toBe(200)
      token = body.refresh_token
    }
    await server.moveClock('1 minute 1 second')
    expect(refusal(await refresh(token))).toBe('400 session_expired: Invalid Refresh Token: Session Expired')
    // The person signs in again, and has a session of full length.
    const again = await start('boxed@example.com')
    await server.moveClock('11 hours')
    expect((await refresh(again.session.refresh_token)).status).toBe(200)
  })
})

/** A server with one more setting, and refreshes at it. */
async function withSetting(env: NodeJS.ProcessEnv) {
  const other = await startAuthServer({ env })
  const person = (email: string) => signIn(other.url, { provider: 'google', email })
  return { other, person, refresh: (token: string) => refresh(token, other) }
}

describe('AUTH_SESSION_SINGLE', () => {
  it('ends a session when its person signs in anew, and nobody else’s', async () => {
    const { other, person, refresh } = await withSetting({ AUTH_SESSION_SINGLE: 'on' })
    const first = (await person('single@example.com')).session
    expect((await refresh(first.refresh_token)).status).toBe(200)
    const stranger = (await person('other@example.com')).session
    const second = (await person('single@example.com')).session
    expect(refusal(await refresh(first.refresh_token))).toBe(
      '400 session_expired: Invalid Refresh Token: Session Expired (Revoked by Newer Login)',
    )
    expect((await refresh(second.refresh_token)).status).toBe(200)
    expect((await refresh(stranger.refresh_token)).status).toBe(200)
    await other.close()
  })
})

describe('AUTH_SESSION_AAL1_HOURS', () => {
  it('bounds sessions and tokens of those who have a second factor and did not give it', async () => {
    const { other, person, refresh } = await withSetting({ AUTH_SESSION_AAL1_HOURS: '0.5' })
    const strong = await person('weak@example.com')
    expect(strong.session.expires_in).toBe(3600)
    const { data } = await strong.client.mfa.enroll({ factorType: 'totp' })
    const code = new TOTP({ secret: data!.totp.secret }).generate()
    await strong.client.mfa.challengeAndVerify({ factorId: data!.id, code })
    const raised = (await strong.client.getSession()).data.session!
    const weak = (await person('weak@example.com')).session
    expect(weak.expires_in).toBeGreaterThan(1700)
    expect(weak.expires_in).toBeLessThanOrEqual(1800)
    const plain = (await person('plain@example.com')).session
    expect(plain.expires_in).toBe(3600)
    await other.moveClock('29 minutes')
    const kept = await refresh(weak.refresh_token)
    expect(kept.body.expires_in).toBeLessThanOrEqual(60)
    await other.moveClock('2 minutes')
    expect(refusal(await refresh(kept.body.refresh_token))).toBe(
      '400 session_expired: Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)',
    )
    expect((await refresh(raised.refresh_token)).body.expires_in).toBe(3600)
    expect((await refresh(plain.refresh_token)).status).toBe(200)
    await other.close()
  })
})

describe('AUTH_REFRESH_REUSE_HOURS', () => {
  it('takes the token before the current one only so long; then it ends the session', async () => {
    const { other, person, refresh } = await withSetting({ AUTH_REFRESH_REUSE_HOURS: '24' })
    const { session } = await person('reuse@example.com')
    const { body } = await refresh(session.refresh_token)
    await other.moveClock('23 hours 59 minutes')
    expect((await refresh(session.refresh_token)).body.refresh_token).toBe(body.refresh_token)
    await other.moveClock('2 minutes')
    expect(refusal(await refresh(session.refresh_token))).toBe(
      '400 refresh_token_already_used: Invalid Refresh Token: Already Used',
    )
    expect((await refresh(body.refresh_token)).status).toBe(400)
    await other.close()
  })
})

describe('without them', () => {
  it('a session lasts', async () => {
    const unlimited = await startAuthServer()
    const { session } = await signIn(unlimited.url, { provider: 'google', email: 'long@example.com' })
    await unlimited.moveClock('400 days')
    expect((await refresh(session.refresh_token, unlimited)).status).toBe(200)
    await unlimited.close()
  })
})
