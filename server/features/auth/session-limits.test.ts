import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthServer, startAuthServer } from './testing/auth-server.ts'
import { call, refusal } from './testing/call.ts'
import { signIn } from './testing/sign-in.ts'

let server: AuthServer

beforeAll(async () => {
  server = await startAuthServer({ env: { AUTH_SESSION_HOURS: '48', AUTH_SESSION_IDLE_HOURS: '12' } })
})
afterAll(() => server?.close())

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
    expect(refusal(await refresh(again.body.refresh_token))).toEqual([
      400,
      'session_expired',
      'Invalid Refresh Token: Session Expired (Inactivity)',
    ])
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
    expect(refusal(await refresh(token))).toEqual([400, 'session_expired', 'Invalid Refresh Token: Session Expired'])
    // The person signs in again, and has a session of full length.
    const again = await start('boxed@example.com')
    await server.moveClock('11 hours')
    expect((await refresh(again.session.refresh_token)).status).toBe(200)
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
