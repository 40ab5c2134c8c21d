import http from 'node:http'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CALLBACK,
  CLIENT,
  callbackOf,
  type IdentityServer,
  INSECURE,
  SECRET,
  startIdentityServer,
} from './testing/identity-server.ts'

let server: IdentityServer
const authorizeUrl = () => `${server.github}/login/oauth/authorize`

beforeAll(async () => {
  server = await startIdentityServer()
})
afterAll(() => server?.close())

const codeFor = async (email: string, parameters: Record<string, string> = {}) =>
  (await callbackOf(authorizeUrl(), email, { scope: 'user:email', ...parameters })).searchParams.get('code') ?? ''

function exchange(fields: Record<string, string>, accept?: string) {
  const body = new URLSearchParams({ client_id: CLIENT.client_id, client_secret: SECRET, ...fields })
  return fetch(`${server.github}/login/oauth/access_token`, {
    method: 'POST',
    headers: { ...(accept && { accept }) },
    body,
  })
}

async function tokenFor(email: string, scope = 'user:email') {
  return (await (await exchange({ code: await codeFor(email, { scope }) }, 'application/json')).json())
    .access_token as string
}

const api = (path: string, token: string) =>
  fetch(`${server.github}/api/v3${path}`, { headers: { authorization: `Bearer ${token}`, 'user-agent': 'test' } })

describe('GitHub with oauth4webapi', () => {
  const as = () => ({
    issuer: `${server.github}/login/oauth`,
    authorization_endpoint: authorizeUrl(),
    token_endpoint: `${server.github}/login/oauth/access_token`,
  })

  async function grant(headers: Record<string, string>) {
    const verifier = oauth.generateRandomCodeVerifier()
    const callback = await callbackOf(authorizeUrl(), 'eli@example.com', {
      scope: 'user:email',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const validated = oauth.validateAuthResponse(as(), CLIENT, callback, 'the-state')
    return oauth.authorizationCodeGrantRequest(
      as(),
      CLIENT,
      oauth.ClientSecretPost(SECRET),
      validated,
      CALLBACK,
      verifier,
      { ...INSECURE, headers },
    )
  }

  it('is standard when asked for JSON', async () => {
    const tokens = await oauth.processAuthorizationCodeResponse(
      as(),
      CLIENT,
      await grant({ accept: 'application/json' }),
    )
    expect(tokens.access_token).toMatch(/^gho_/)
    expect(tokens).not.toHaveProperty('expires_in')
    expect(tokens).not.toHaveProperty('refresh_token')
  })

  it('causes "unexpected iss" in a client configured with another issuer', async () => {
    const callback = await callbackOf(authorizeUrl(), 'eli@example.com')
    expect(() =>
      oauth.validateAuthResponse({ ...as(), issuer: 'https://github.com' }, CLIENT, callback, 'the-state'),
    ).toThrow('iss')
  })

  it('omits iss when switched off', async () => {
    const older = await startIdentityServer({ githubSendsIssuer: false })
    const callback = await callbackOf(`${older.github}/login/oauth/authorize`, 'eli@example.com')
    expect([...callback.searchParams.keys()]).toEqual(['code', 'state'])
    await older.close()
  })
})

describe('the token endpoint', () => {
  it('answers in a form unless JSON or XML is asked for', async () => {
    const form = await exchange({ code: await codeFor('eli@example.com', { scope: 'user:email read:user' }) })
    expect(form.headers.get('content-type')).toContain('application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(await form.text()))).toEqual({
      access_token: expect.stringMatching(/^gho_/),
      scope: 'user:email,read:user',
      token_type: 'bearer',
    })
    const xml = await exchange({ code: await codeFor('eli@example.com') }, 'application/xml')
    expect(await xml.text()).toMatch(/^<OAuth><access_token>gho_/)
  })

  it('refuses with status 200', async () => {
    const used = await codeFor('eli@example.com')
    await exchange({ code: used })
    const challenge = {
      code_challenge: await oauth.calculatePKCECodeChallenge('v'.repeat(43)),
      code_challenge_method: 'S256',
    }
    const cases: [Record<string, string>, string][] = [
      [{ code: used }, 'bad_verification_code'],
      [{ code: 'x' }, 'bad_verification_code'],
      [{ code: await codeFor('eli@example.com', challenge) }, 'bad_verification_code'],
      [{ code: 'x', client_secret: 'wrong' }, 'incorrect_client_credentials'],
      [{ code: await codeFor('eli@example.com'), redirect_uri: 'http://localhost:1/other' }, 'redirect_uri_mismatch'],
    ]
    for (const [fields, error] of cases) {
      const response = await exchange(fields, 'application/json')
      expect([response.status, await response.json()]).toEqual([
        200,
        {
          error,
          error_description: expect.any(String),
          error_uri: expect.stringContaining('https://docs.github.com/'),
        },
      ])
    }
  })
})

describe('the browser side', () => {
  it('supports only S256', async () => {
    const callback = await callbackOf(authorizeUrl(), 'eli@example.com', {
      code_challenge: 'v'.repeat(43),
      code_challenge_method: 'plain',
    })
    expect(callback.searchParams.get('error')).toBe('invalid_request')
  })

  it('sends a wrong redirect_uri to the registered callback, and accepts one below it', async () => {
    const wrong = await callbackOf(authorizeUrl(), 'eli@example.com', { redirect_uri: 'https://evil.example/' })
    expect([wrong.origin + wrong.pathname, wrong.searchParams.get('error'), wrong.searchParams.get('state')]).toEqual([
      CALLBACK,
      'redirect_uri_mismatch',
      'the-state',
    ])
    const below = await callbackOf(authorizeUrl(), 'eli@example.com', { redirect_uri: `${CALLBACK}/more` })
    expect([below.pathname, below.searchParams.has('code')]).toEqual(['/auth/v1/callback/more', true])
    const elsewhere = await callbackOf(authorizeUrl(), 'eli@example.com', { redirect_uri: `${CALLBACK}/../../evil` })
    expect(elsewhere.searchParams.get('error')).toBe('redirect_uri_mismatch')
  })
})

describe('the API', () => {
  it('never shows the address in the profile, and lists every address with its flags', async () => {
    const token = await tokenFor('dana@example.com')
    const user = await api('/user', token)
    expect(user.headers.get('x-oauth-scopes')).toBe('user:email')
    expect(await user.json()).toMatchObject({
      id: 9_000_003,
      login: 'dana-okafor',
      name: 'Dana Okafor',
      email: null,
      avatar_url: expect.stringContaining('/avatar?name=Dana'),
    })
    const emails = await (await api('/user/emails?per_page=100', token)).json()
    expect(emails).toEqual([
      { email: 'ada@example.com', primary: false, verified: true, visibility: null },
      { email: 'dana@example.com', primary: true, verified: true, visibility: 'private' },
      { email: '9000003+dana-okafor@users.noreply.github.com', primary: false, verified: true, visibility: null },
    ])
  })

  it('answers 404 for addresses without the scope, 401 for a bad token', async () => {
    expect((await api('/user/emails', await tokenFor('eli@example.com', 'read:user'))).status).toBe(404)
    const bad = await api('/user', 'gho_wrong')
    expect([bad.status, (await bad.json()).message]).toEqual([401, 'Bad credentials'])
  })

  it('answers 403 without a User-Agent', async () => {
    const token = await tokenFor('eli@example.com')
    const status = await new Promise((resolve) => {
      http.get(`${server.github}/api/v3/user`, { headers: { authorization: `Bearer ${token}` } }, (response) =>
        resolve(response.resume().statusCode),
      )
    })
    expect(status).toBe(403)
  })

  it('renames a login and keeps the id', async () => {
    const people = [await tokenFor('finn@example.com'), await tokenFor('finn@example.com')]
    const users = await Promise.all(people.map(async (token) => (await api('/user', token)).json()))
    expect(users.map(({ login, id }) => [login, id])).toEqual([
      ['finn-reyes', 9_000_004],
      ['finn-renamed', 9_000_004],
    ])
  })
})
