import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startAuthServer } from './testing/auth-server.ts'
import { createClient, signIn, walk } from './testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())

const auth = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/auth/v1${path}`, { redirect: 'manual', ...init })

describe('errors', () => {
  it.each(['2024-01-01', '2025-06-30'])('have the current shape for version %s', async (version) => {
    const response = await auth('/user', { headers: { 'x-supabase-api-version': version } })
    expect(response.headers.get('x-supabase-api-version')).toBe('2024-01-01')
    expect(response.headers.get('x-sb-error-code')).toBe('no_authorization')
    expect(await response.json()).toEqual({
      code: 'no_authorization',
      message: 'This endpoint requires a valid Bearer token',
    })
  })

  it.each(['', '2023-12-31', 'latest', '2024-1-1'])('have the older shape for version %j', async (version) => {
    const response = await auth('/user', { headers: { 'x-supabase-api-version': version } })
    expect(response.headers.has('x-supabase-api-version')).toBe(false)
    expect(await response.json()).toEqual({
      code: 401,
      error_code: 'no_authorization',
      msg: 'This endpoint requires a valid Bearer token',
    })
  })

  it('of our own say nothing but an id, which the log has too', async () => {
    vi.spyOn(server.accessTokens, 'jwks').mockRejectedValue(new Error('a reason that is nobody else’s business'))
    const [older, current] = await Promise.all([
      auth('/.well-known/jwks.json'),
      auth('/.well-known/jwks.json', { headers: { 'x-supabase-api-version': '2024-01-01' } }),
    ])
    vi.restoreAllMocks()
    expect([older.status, current.status]).toEqual([500, 500])
    expect(older.headers.get('x-sb-error-code')).toBe('unexpected_failure')
    const body = await older.json()
    expect(body).toEqual({
      code: 500,
      error_code: 'unexpected_failure',
      msg: 'Unexpected failure, please check server logs for more information',
      error_id: expect.any(String),
    })
    expect(await current.json()).toEqual({ code: body.error_code, message: body.msg })
    const line = server.logged.find((text) => text.includes(`"requestId":"${body.error_id}"`))
    expect(line).toContain('a reason that is nobody else’s business')
  })

  it('say so when an answer takes more than ten seconds, and the next request is served', async () => {
    const { session } = await signIn(server.url, { provider: 'google', email: 'slow@example.com' })
    const holder = await server.db.pool.connect()
    await holder.query('begin')
    await holder.query('select from auth.users where id = $1 for update', [session.user.id])
    // Ten seconds of the handlers pass at once; every other wait is what it was.
    const real = setTimeout
    vi.stubGlobal('setTimeout', (act: () => void, ms?: number, ...rest: unknown[]) =>
      real(act, ms === 10_000 ? 300 : ms, ...rest),
    )
    const update = () =>
      auth('/user', {
        method: 'PUT',
        body: JSON.stringify({ data: { a: 1 } }),
        headers: {
          'content-type': 'application/json',
          'x-supabase-api-version': '2024-01-01',
          authorization: `Bearer ${session.access_token}`,
        },
      })
    const late = await update()
    vi.unstubAllGlobals()
    await holder.query('rollback')
    holder.release()
    expect([late.status, await late.json()]).toEqual([
      504,
      { code: 'request_timeout', message: 'Processing this request timed out, please retry after a moment.' },
    ])
    expect((await update()).status).toBe(200)
  })

  it('are JSON for paths, methods and double slashes that nobody serves', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['GET', '/token'],
      ['HEAD', '/user'],
      ['HEAD', '/authorize'],
      ['HEAD', '/callback'],
      ['GET', '//user'],
      ['GET', '/factors'],
    ] as const) {
      const response = await auth(path, { method })
      expect([method, path, response.status]).toEqual([method, path, 404])
      expect(response.headers.get('content-type')).toContain('application/json')
    }
  })

  it('name a body that is too large, empty or malformed', async () => {
    const post = (body: string) =>
      auth('/token?grant_type=pkce', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
      })
    const large = await post(JSON.stringify({ auth_code: 'x'.repeat(70_000) }))
    expect([large.status, (await large.json()).code]).toEqual([413, 'request_entity_too_large'])
    for (const body of ['', '{', '[1', 'auth_code=x']) {
      const response = await post(body)
      expect([response.status, await response.json()]).toEqual([
        400,
        { code: 'bad_json', message: expect.stringMatching(/^Could not parse request body as JSON/) },
      ])
    }
  })
})

describe('headers', () => {
  it('let any origin read answers and error versions', async () => {
    const preflight = await auth('/token?grant_type=pkce', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey,x-supabase-api-version',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/apikey.*X-Supabase-Api-Version/)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect(preflight.headers.get('access-control-allow-methods')).toContain(method)
    const response = await auth('/user', { headers: { origin: 'https://app.example.com' } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe('X-Supabase-Api-Version, X-Total-Count, Link')
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it('keep answers with tokens out of caches', async () => {
    const { requests } = await signIn(server.url, { provider: 'google', email: 'cache@example.com' })
    expect(requests.at(-1)?.status).toBe(200)
    expect((await auth('/user')).headers.get('cache-control')).toBe('no-store')
    expect((await auth('/token?grant_type=pkce', { method: 'POST' })).headers.get('cache-control')).toBe('no-store')
  })
})

describe('open answers', () => {
  it('/settings names what is on', async () => {
    expect(await (await auth('/settings')).json()).toMatchObject({
      external: { google: true, github: true, apple: false },
      disable_signup: false,
      saml_enabled: false,
      passkeys_enabled: false,
    })
  })
  it('/health has the name that probes look for', async () => {
    expect(await (await auth('/health')).json()).toMatchObject({
      name: 'GoTrue',
      version: expect.any(String),
      description: expect.any(String),
    })
  })
})

describe('whatever is sent', () => {
  it('no route answers 5xx', async () => {
    const { session } = await signIn(server.url, { provider: 'google', email: 'fuzz@example.com' })
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\0',
        '%00',
        '%',
        session.refresh_token,
        session.access_token,
        '00000000-0000-4000-8000-000000000000',
        'google',
        'pkce',
        'password',
        'id_token',
        'signup',
        'magiclink',
        'fuzz@example.com',
        '+4915112345678',
        '-1',
      ),
    )
    const value = fc.oneof(text, fc.jsonValue(), fc.constant(null))
    const route = fc.constantFrom(
      'GET /authorize',
      'GET /callback',
      'POST /callback',
      'POST /token',
      'GET /user',
      'POST /logout',
      'GET /settings',
      'POST /signup',
      'POST /otp',
      'POST /magiclink',
      'POST /recover',
      'POST /resend',
      'GET /reauthenticate',
      'GET /verify',
      'POST /verify',
      'PUT /user',
      'GET /user/identities/authorize',
      'DELETE /user/identities/00000000-0000-4000-8000-000000000000',
      'POST /factors',
      'POST /factors/00000000-0000-4000-8000-000000000000/challenge',
      'POST /factors/00000000-0000-4000-8000-000000000000/verify',
      'DELETE /factors/%00',
      'POST /sso',
      'POST /invite',
      'GET /admin/users',
      'POST /admin/users',
      'PUT /admin/users/00000000-0000-4000-8000-000000000000',
      'DELETE /admin/users/x',
      'POST /admin/generate_link',
    )
    const names = [
      'grant_type',
      'provider',
      'redirect_to',
      'scopes',
      'code_challenge',
      'code_challenge_method',
      'state',
      'code',
      'error',
      'scope',
      'token',
      'type',
      'page',
      'per_page',
    ]
    const fields = [
      'auth_code',
      'code_verifier',
      'refresh_token',
      '__proto__',
      'x',
      'email',
      'phone',
      'password',
    ].concat([
      ...['type', 'token', 'token_hash', 'data', 'user_metadata', 'app_metadata', 'ban_duration', 'id', 'factor_type'],
      ...['friendly_name', 'issuer', 'code', 'challenge_id', 'channel', 'nonce', 'provider', 'id_token', 'create_user'],
    ])
    const service = await server.accessTokens.signServiceKey()
    const queryOf = fc.dictionary(fc.constantFrom(...names), text)
    const bodyOf = fc.oneof(
      text,
      fc.dictionary(fc.constantFrom(...fields), value).map((body) => JSON.stringify(body)),
    )
    const bearer = fc.constantFrom(undefined, 'Bearer x', `Bearer ${session.access_token}`, `Bearer ${service}`)
    await fc.assert(
      fc.asyncProperty(
        route,
        queryOf,
        bodyOf,
        bearer,
        fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded'),
        async (target, parameters, body, authorization, type) => {
          const [method, path] = target.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string]
          const response = await server.app.inject({
            method,
            url: `/auth/v1${path}?${new URLSearchParams(parameters)}`,
            headers: { ...(authorization && { authorization }), ...(method !== 'GET' && { 'content-type': type }) },
            ...(method !== 'GET' && { payload: body }),
          })
          expect(response.statusCode, `${target} ${JSON.stringify(parameters)} ${body}: ${response.body}`).toBeLessThan(
            500,
          )
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('raw bytes in the query do no harm', async () => {
    for (const path of [
      '/callback?state=%',
      '/callback?state=%00&code=%ff',
      '/authorize?provider=%c0%80',
      '/logout?scope=%',
    ]) {
      const response = await server.app.inject({
        method: path.startsWith('/logout') ? 'POST' : 'GET',
        url: `/auth/v1${path}`,
      })
      expect(response.statusCode).toBeLessThan(500)
    }
  })
})

describe('the log, at its most talkative,', () => {
  it('holds no token, code, verifier or cookie', async () => {
    const { client } = createClient(server.url)
    const end = await walk(server.url, client, { provider: 'google', email: 'log@example.com' })
    const code = end.searchParams.get('code') ?? ''
    const { data } = await client.exchangeCodeForSession(code)
    await client.refreshSession()
    await client.signOut()
    for (const provider of ['google', 'github'] as const) {
      const { data: started } = await createClient(server.url).client.signInWithOAuth({
        provider,
        options: { skipBrowserRedirect: true },
      })
      const to = (await fetch(started.url ?? '', { redirect: 'manual' })).headers.get('location') ?? ''
      await auth(`/callback?state=${new URL(to).searchParams.get('state')}&code=wrong-code-12345&iss=`)
    }
    expect(server.logged.length).toBeGreaterThan(1)
    const logged = server.logged.join('\n')
    const secrets = [
      code,
      data.session?.access_token,
      data.session?.refresh_token,
      data.session?.provider_token,
      'ya29.',
      'gho_',
      'finmeter-flow',
      'finmeter-sandbox-secret',
      'wrong-code',
    ]
    for (const secret of secrets) expect(logged).not.toContain(secret)
  })
})
