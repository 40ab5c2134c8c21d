import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { signIn } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())

const start = (email: string) => signIn(server.url, { provider: 'google', email })
const alive = async ({ client }: Awaited<ReturnType<typeof start>>, token: string) =>
  (await client.getUser(token)).error === null

function call(method: string, path: string, authorization?: string) {
  const headers = { 'x-supabase-api-version': '2024-01-01', ...(authorization !== undefined && { authorization }) }
  return fetch(`${server.url}/auth/v1${path}`, { method, headers }).then(async (response) => ({
    status: response.status,
    body: response.status === 204 ? null : await response.json(),
  }))
}

describe('signing out', () => {
  it.each([
    ['global', [false, false, false]],
    ['local', [false, true, true]],
    ['others', [true, false, false]],
  ] as const)('%s ends the right sessions', async (scope, left) => {
    const email = `${scope}@example.com`
    const devices = [await start(email), await start(email), await start(email)]
    const bystander = await start(`bystander-${email}`)
    const tokens = devices.map(({ session }) => session.access_token)
    const { error } = await devices[0]!.client.signOut({ scope })
    expect(error).toBeNull()
    expect(await Promise.all(tokens.map((token) => alive(bystander, token)))).toEqual(left)
    expect(await alive(bystander, bystander.session.access_token)).toBe(true)
    const { data } = await devices[0]!.client.getSession()
    expect(data.session === null).toBe(scope !== 'others')
  })

  it('also works with a token that ran out within a day', async () => {
    const { session } = await start('slept@example.com')
    const claims = await server.accessTokens.verify(session.access_token)
    const now = Math.floor(Date.now() / 1000)
    const tooOld = await server.accessTokens.sign(claims, now - 3600 - 86_400 - 60)
    expect(await call('POST', '/logout', `Bearer ${tooOld.token}`)).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt' },
    })
    const slept = await server.accessTokens.sign(claims, now - 3600 - 80_000)
    expect((await call('GET', '/user', `Bearer ${slept.token}`)).body.message).toBe(
      'invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired',
    )
    expect((await call('POST', '/logout', `Bearer ${slept.token}`)).status).toBe(204)
    expect((await call('GET', '/user', `Bearer ${session.access_token}`)).body.code).toBe('session_not_found')
  })

  it('refuses another scope and changes nothing', async () => {
    const { session } = await start('scope@example.com')
    const answer = await call('POST', '/logout?scope=everything', `Bearer ${session.access_token}`)
    expect(answer).toEqual({
      status: 400,
      body: { code: 'validation_failed', message: 'Unsupported logout scope "everything"' },
    })
    expect((await call('GET', '/user', `Bearer ${session.access_token}`)).status).toBe(200)
  })

  it('accepts a JSON content type without a body, as the client sends it', async () => {
    const { session } = await start('empty@example.com')
    const response = await fetch(`${server.url}/auth/v1/logout`, {
      method: 'POST',
      headers: { authorization: `bearer ${session.access_token}`, 'content-type': 'application/json;charset=UTF-8' },
    })
    expect(response.status).toBe(204)
  })
})

describe('routes that need a person', () => {
  const noAuthorization = {
    status: 401,
    body: { code: 'no_authorization', message: 'This endpoint requires a valid Bearer token' },
  }

  it.each([
    ['nothing', undefined],
    ['another scheme', 'Basic abc'],
    ['an empty scheme', 'Bearer '],
  ])('refuse %s', async (_name, authorization) => {
    expect(await call('GET', '/user', authorization)).toEqual(noAuthorization)
  })

  it.each(['x', 'a.b.c', `${'a'.repeat(5000)}.b.c`, 'eyJhbGciOiJub25lIn0.e30.'])(
    'refuse the token %j',
    async (token) => {
      const { status, body } = await call('GET', '/user', `Bearer ${token}`)
      expect([status, body.code]).toEqual([403, 'bad_jwt'])
      expect(body.message).toMatch(/^invalid JWT: unable to parse or verify signature, /)
    },
  )

  it('refuse a token whose person, session or pairing of both does not exist', async () => {
    const [mine, theirs] = [await start('pair-a@example.com'), await start('pair-b@example.com')]
    const claims = await server.accessTokens.verify(mine.session.access_token)
    const codeFor = async (changed: object) =>
      (await call('GET', '/user', `Bearer ${(await server.accessTokens.sign({ ...claims, ...changed })).token}`)).body
    expect(await codeFor({ sub: randomUUID() })).toEqual({
      code: 'user_not_found',
      message: 'User from sub claim in JWT does not exist',
    })
    expect(await codeFor({ sessionId: randomUUID() })).toEqual({
      code: 'session_not_found',
      message: 'Session from session_id claim in JWT does not exist',
    })
    expect((await codeFor({ sessionId: decodeJwt(theirs.session.access_token).session_id })).code).toBe(
      'session_not_found',
    )
    expect((await codeFor({ sessionId: 'x' })).code).toBe('session_not_found')
    expect(await codeFor({ sub: 'x' })).toEqual({ code: 'bad_jwt', message: 'invalid claim: sub claim must be a UUID' })
  })

  it('refuse a banned person', async () => {
    const { session } = await start('banned@example.com')
    await server.db.pool.query(`update auth.users set banned_until = app_now() + interval '1 hour' where id = $1`, [
      session.user.id,
    ])
    expect(await call('GET', '/user', `Bearer ${session.access_token}`)).toEqual({
      status: 403,
      body: { code: 'user_banned', message: 'User is banned' },
    })
  })
})
