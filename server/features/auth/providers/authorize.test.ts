import http from 'node:http'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'

const server = await closeAfterTests(startAuthServer({ env: { AUTH_REDIRECT_URLS: 'https://app.example.com/*' } }))

const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 's256' }
const authorize = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/auth/v1/authorize?${new URLSearchParams(parameters)}`, {
    redirect: 'manual',
    headers: { 'x-supabase-api-version': '2024-01-01', ...headers },
  })

describe('GET /authorize refuses with JSON', () => {
  it.each([
    [{ ...challenge }, 'Unsupported provider: Provider  could not be found'],
    [{ provider: 'myspace', ...challenge }, 'Unsupported provider: Provider myspace could not be found'],
    [{ provider: 'constructor', ...challenge }, 'Unsupported provider: Provider constructor could not be found'],
    [{ provider: 'github' }, 'PKCE flow requires code_challenge_method and code_challenge'],
    [
      { provider: 'github', code_challenge: 'a'.repeat(43) },
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
    [
      { provider: 'github', code_challenge_method: 's256' },
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
    [
      { provider: 'github', ...challenge, code_challenge: 'a'.repeat(42) },
      'code challenge has to be between 43 and 128 characters',
    ],
    [
      { provider: 'github', ...challenge, code_challenge: 'a'.repeat(129) },
      'code challenge has to be between 43 and 128 characters',
    ],
    [
      { provider: 'github', ...challenge, code_challenge: `${'a'.repeat(43)}!` },
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    ],
  ])('%j', async (parameters, message) => {
    const response = await authorize(parameters as Record<string, string>)
    expect([response.status, await response.json()]).toEqual([400, { code: 'validation_failed', message }])
  })

  it('a provider that is known and not enabled', async () => {
    const { close, url } = await startAuthServer({ env: { SANDBOX: 'off' } })
    const response = await fetch(`${url}/auth/v1/authorize?provider=github&${new URLSearchParams(challenge)}`, {
      redirect: 'manual',
    })
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 400, error_code: 'validation_failed', msg: 'Unsupported provider: provider is not enabled' },
    ])
    await close()
  })
})

describe('GET /authorize goes on to the provider', () => {
  it('with our own parameters, whatever the caller sends', async () => {
    const response = await authorize({
      provider: 'github',
      ...challenge,
      scopes: 'repo,read:org gist',
      login_hint: 'a@example.com',
      redirect_uri: 'https://evil.example',
      Client_Id: 'evil',
      state: 'mine',
      foo: 'bar',
    })
    expect(response.status).toBe(302)
    const to = new URL(response.headers.get('location') ?? '')
    expect(to.origin + to.pathname).toBe(`${server.url}/sandbox/identity/github/login/oauth/authorize`)
    expect(Object.fromEntries(to.searchParams)).toEqual({
      login_hint: 'a@example.com',
      client_id: 'finmeter-sandbox',
      redirect_uri: `${server.url}/auth/v1/callback`,
      response_type: 'code',
      scope: 'user:email repo read:org gist',
      state: expect.stringMatching(/^[0-9a-f-]{36}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(to.searchParams.get('code_challenge')).not.toBe(challenge.code_challenge)
  })

  it.each([
    ['an allowed redirect_to', { redirect_to: 'https://app.example.com/done' }, {}, 'https://app.example.com/done'],
    [
      'a foreign redirect_to and Referer',
      { redirect_to: 'https://evil.example/' },
      { referer: 'https://evil.example/' },
      () => server.url,
    ],
    ['a redirect_to that is no address', { redirect_to: 'someone@example.com' }, {}, () => server.url],
    ['an allowed Referer', {}, { referer: 'https://app.example.com/login' }, 'https://app.example.com/login'],
    ['an allowed header', {}, { redirect_to: 'https://app.example.com/head' }, 'https://app.example.com/head'],
    [
      'a parameter next to a header',
      { redirect_to: 'https://app.example.com/done' },
      { redirect_to: 'https://app.example.com/head' },
      'https://app.example.com/done',
    ],
    ['nothing', {}, {}, () => server.url],
  ])('and returns for %s to the right place', async (_name, parameters, headers, target) => {
    const response = await authorize(
      { provider: 'github', ...challenge, ...parameters } as Record<string, string>,
      headers as Record<string, string>,
    )
    const state = new URL(response.headers.get('location') ?? '').searchParams.get('state')
    const { rows } = await server.db.pool.query('select redirect_to from auth.flow_states where id = $1', [state])
    expect(rows).toEqual([{ redirect_to: typeof target === 'string' ? target : target() }])
  })

  it('asks another name of this machine to start at the public one', async () => {
    const path = `/auth/v1/authorize?provider=github&${new URLSearchParams(challenge)}`
    const location = await new Promise((resolve) => {
      http.get(`http://127.0.0.1:${server.config.PORT}${path}`, (response) =>
        resolve(response.resume().headers.location),
      )
    })
    expect(location).toBe(`${server.url}${path}`)
  })

  it('keeps its secrets encrypted', async () => {
    await authorize({ provider: 'google', ...challenge })
    const { rows } = await server.db.pool.query('select provider_secrets from auth.flow_states')
    for (const { provider_secrets } of rows) expect(provider_secrets.toString('latin1')).not.toContain('codeVerifier')
  })
})
