import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { signIn } from '../testing/sign-in.ts'
import { decodeRefreshToken, encodeRefreshToken } from '../tokens/refresh-token.ts'
import { decideRefresh } from './refresh-session.ts'

const server = await closeAfterTests(startAuthServer())

async function refresh(refresh_token: unknown) {
  const response = await fetch(`${server.url}/auth/v1/token?grant_type=refresh_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ refresh_token }),
  })
  return { status: response.status, body: await response.json() }
}

const start = async (email: string) => (await signIn(server.url, { provider: 'google', email })).session
const later = (sessionToken: string, interval: string) =>
  server.db.pool.query(`update auth.sessions set refreshed_at = refreshed_at - $2::interval where id = $1`, [
    decodeRefreshToken(sessionToken)?.sessionId,
    interval,
  ])

describe('refreshing a session', () => {
  it('fifty at once all succeed, with one same next token', async () => {
    const { refresh_token, user } = await start('fifty@example.com')
    // Nobody gets ahead: as many as there are connections wait with the same counter in hand, the others behind them.
    const holder = await server.db.pool.connect()
    await holder.query('begin')
    await holder.query('select from auth.sessions where user_id = $1 for update', [user.id])
    const all = Promise.all(Array.from({ length: 50 }, () => refresh(refresh_token)))
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const waitingNow = async () => {
      await holder.query('select pg_stat_clear_snapshot()')
      return (await holder.query(waiting)).rowCount
    }
    await expect.poll(waitingNow).toBe(9)
    await holder.query('commit')
    holder.release()
    const answers = await all
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    const { rows } = await server.db.pool.query('select refresh_counter from auth.sessions where user_id = $1', [
      user.id,
    ])
    expect(rows).toEqual([{ refresh_counter: 1 }])
    expect((await refresh(answers[0]?.body.refresh_token)).status).toBe(200)
  })

  it('a refresh that was overtaken never turns the session back', async () => {
    const { refresh_token } = await start('overtaken@example.com')
    const sessionId = decodeRefreshToken(refresh_token)?.sessionId
    const faster = await server.db.pool.connect()
    await faster.query('begin')
    await faster.query('update auth.sessions set refresh_counter = 2, refreshed_at = app_now() where id = $1', [
      sessionId,
    ])
    const slow = refresh(refresh_token)
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await server.db.pool.query(waiting)).rowCount).toBe(1)
    await faster.query('commit')
    faster.release()
    const { status, body } = await slow
    expect([status, decodeRefreshToken(body.refresh_token)?.counter]).toEqual([200, 2])
    const { rows } = await server.db.pool.query('select refresh_counter from auth.sessions where id = $1', [sessionId])
    expect(rows).toEqual([{ refresh_counter: 2 }])
  })

  it('the direct parent works long after, for a client that never got the answer', async () => {
    const { refresh_token } = await start('parent@example.com')
    const first = await refresh(refresh_token)
    await later(refresh_token, '3 days')
    const again = await refresh(refresh_token)
    expect([again.status, again.body.refresh_token]).toEqual([200, first.body.refresh_token])
    const { rowCount } = await server.db.pool.query(
      `select from audit_log where action = 'auth.refresh_token_reused' and target = $1`,
      [decodeRefreshToken(refresh_token)?.sessionId],
    )
    expect(rowCount).toBe(1)
  })

  it('an older token works for ten seconds after a refresh, as a slower tab', async () => {
    const { refresh_token } = await start('tabs@example.com')
    const second = await refresh(refresh_token)
    const third = await refresh(second.body.refresh_token)
    await later(refresh_token, '5 seconds')
    const slow = await refresh(refresh_token)
    expect([slow.status, slow.body.refresh_token]).toEqual([200, third.body.refresh_token])
  })

  it('an older token after that ends the session for everybody who holds it', async () => {
    const { refresh_token, access_token } = await start('stolen@example.com')
    const second = await refresh(refresh_token)
    const third = await refresh(second.body.refresh_token)
    await later(refresh_token, '11 seconds')
    expect(await refresh(refresh_token)).toEqual({
      status: 400,
      body: { code: 'refresh_token_already_used', message: 'Invalid Refresh Token: Already Used' },
    })
    expect(await refresh(third.body.refresh_token)).toEqual({
      status: 400,
      body: { code: 'refresh_token_not_found', message: 'Invalid Refresh Token: Refresh Token Not Found' },
    })
    const user = await fetch(`${server.url}/auth/v1/user`, { headers: { authorization: `Bearer ${access_token}` } })
    expect([user.status, user.headers.get('x-sb-error-code')]).toEqual([403, 'session_not_found'])
  })

  it('the client keeps its session through it', async () => {
    const { client, session } = await signIn(server.url, { provider: 'github', email: 'client@example.com' })
    const { data, error } = await client.refreshSession()
    expect(error).toBeNull()
    expect(data.session?.refresh_token).not.toBe(session.refresh_token)
    expect(data.session?.user.id).toBe(session.user.id)
  })

  it('a session that others advance again and again is a conflict, which the client tries once more', async () => {
    const { refresh_token } = await start('conflict@example.com')
    // Whatever advances the session finds that somebody else just did.
    await server.db.pool.query(`
      create function overtaken() returns trigger language plpgsql as 'begin return null; end';
      create trigger overtaken before update of refresh_counter on auth.sessions for each row execute function overtaken()`)
    const answer = await refresh(refresh_token)
    await server.db.pool.query('drop trigger overtaken on auth.sessions; drop function overtaken')
    expect(answer).toEqual({
      status: 409,
      body: {
        code: 'conflict',
        message: 'Too many concurrent token refresh requests on the same session or refresh token',
      },
    })
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  it('a banned person gets nothing', async () => {
    const { refresh_token, user } = await start('banned@example.com')
    await server.db.pool.query(`update auth.users set banned_until = app_now() + interval '1 hour' where id = $1`, [
      user.id,
    ])
    expect(await refresh(refresh_token)).toEqual({
      status: 400,
      body: { code: 'user_banned', message: 'Invalid Refresh Token: User Banned' },
    })
  })

  it('a token that was changed, made up or made ahead is refused and harms nobody', async () => {
    const { refresh_token } = await start('forged@example.com')
    const sessionId = decodeRefreshToken(refresh_token)?.sessionId ?? ''
    const notFound = {
      status: 400,
      body: { code: 'refresh_token_not_found', message: 'Invalid Refresh Token: Refresh Token Not Found' },
    }
    expect(await refresh(encodeRefreshToken(sessionId, 0, randomBytes(32)))).toEqual(notFound)
    expect(await refresh(encodeRefreshToken(randomUUID(), 0, randomBytes(32)))).toEqual(notFound)
    expect(await refresh('abcdefghijkl')).toEqual(notFound)
    await server.db.pool.query('update auth.sessions set refresh_counter = -1 where id = $1', [sessionId])
    expect(await refresh(refresh_token)).toEqual({
      status: 400,
      body: { code: 'validation_failed', message: 'Invalid Refresh Token: Not Issued By This Server' },
    })
    await server.db.pool.query('update auth.sessions set refresh_counter = 0 where id = $1', [sessionId])
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  it.each([[undefined], [null], [''], ['short'], ['not a token of ours at all'], ['x'.repeat(60)], ['é'.repeat(30)]])(
    '%j is not valid',
    async (token) => {
      expect(await refresh(token)).toEqual({
        status: 400,
        body: { code: 'validation_failed', message: 'Refresh token is not valid' },
      })
    },
  )
})

describe('decideRefresh', () => {
  it.each([
    [5, { current: 5, refreshedRecently: false }, 'advance'],
    [5, { current: 5, refreshedRecently: true }, 'advance'],
    [5, { current: 5, refreshedRecently: false, parentTooOld: true }, 'advance'],
    [4, { current: 5, refreshedRecently: false }, 'repeat'],
    [4, { current: 5, refreshedRecently: false, parentTooOld: true }, 'stolen'],
    [3, { current: 5, refreshedRecently: true }, 'repeat'],
    [3, { current: 5, refreshedRecently: false }, 'stolen'],
    [3, { current: 5, refreshedRecently: true, supersededBelow: 4 }, 'superseded'],
    [6, { current: 5, refreshedRecently: true }, 'not issued'],
  ] as const)('token %i for %j: %s', (given, state, decision) => {
    expect(decideRefresh(given, state)).toBe(decision)
  })
})

describe('the refresh token', () => {
  it('carries session and counter, and any changed character is noticed', () => {
    const key = randomBytes(32)
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.nat(),
        fc.nat(59),
        fc.constantFrom(...'ABCxyz019-_'),
        (sessionId, counter, at, char) => {
          const text = encodeRefreshToken(sessionId, counter, key)
          const token = decodeRefreshToken(text)
          expect(token).toMatchObject({ sessionId, counter })
          expect(token?.signedWith(key)).toBe(true)
          expect(token?.signedWith(randomBytes(32))).toBe(false)
          const changed = text.slice(0, at) + char + text.slice(at + 1)
          if (changed !== text) expect(decodeRefreshToken(changed)?.signedWith(key) ?? false).toBe(false)
        },
      ),
    )
  })
})
