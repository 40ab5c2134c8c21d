import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { personOf } from './people.ts'
import { CALLBACK, CLIENT, type IdentityServer, startIdentityServer } from './testing/identity-server.ts'

let server: IdentityServer

beforeAll(async () => {
  server = await startIdentityServer()
})
afterAll(() => server?.close())

async function openPage(parameters: Record<string, string> = {}) {
  const asked = new URLSearchParams({
    client_id: CLIENT.client_id,
    redirect_uri: CALLBACK,
    scope: 'user:email',
    state: 'the-state',
    ...parameters,
  })
  const response = await fetch(`${server.github}/login/oauth/authorize?${asked}`, { redirect: 'manual' })
  const html = await response.text()
  return { response, html, request: /name="request" value="([^"]+)"/.exec(html)?.[1] ?? '' }
}

const decide = (fields: Record<string, string>) =>
  fetch(`${server.github}/login/oauth/authorize/decision`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })

const callbackOf = (response: Response) => new URL(response.headers.get('location') ?? '')

describe('the consent page', () => {
  it('is marked as a sandbox, offers every sample person and preselects the first', async () => {
    const { response, html } = await openPage()
    expect(response.status).toBe(200)
    expect(html).toContain('SANDBOX')
    expect(html).toContain('An imitation of GitHub')
    for (const about of [
      'ada@example.com',
      'bo@example.com',
      'no email',
      'dana@example.com',
      'eli@example.com',
      'finn@example.com',
    ])
      expect(html).toContain(about)
    expect(html.match(/ checked/g)).toHaveLength(1)
    expect(html).toContain('<h1>Sign in to Northwind &amp; Sons</h1>')
    // An address is there before anybody types one, above the test cases.
    expect(html.indexOf('value="ada@example.com"')).toBeLessThan(html.indexOf('Test cases'))
    expect(html.indexOf('value="ada@example.com"')).toBeGreaterThan(0)
    expect(html).toMatch(/value="ada" checked/)
    // One way to sign in is in sight; the test cases open with a click.
    expect(html).toContain('<details><summary>Test cases</summary>')
  })

  it('loads nothing and does not restrict form targets', async () => {
    const { response, html } = await openPage()
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('form-action')
    expect(html).not.toMatch(/<script|<link|<img|src=|https?:/)
  })

  it('signs in the first person when the form is posted unchanged', async () => {
    const { request } = await openPage()
    const callback = callbackOf(await decide({ request, person: 'ada', decision: 'allow' }))
    expect(callback.origin + callback.pathname).toBe(CALLBACK)
    expect([callback.searchParams.has('code'), callback.searchParams.get('state')]).toEqual([true, 'the-state'])
  })

  it('accepts one decision', async () => {
    const { request } = await openPage()
    expect((await decide({ request, person: 'ada', decision: 'allow' })).status).toBe(303)
    expect((await decide({ request, person: 'ada', decision: 'allow' })).status).toBe(400)
    expect((await decide({ request: 'guessed', person: 'ada', decision: 'allow' })).status).toBe(400)
  })

  it("redirects after a denial with GitHub's error", async () => {
    const { request } = await openPage()
    expect(
      Object.fromEntries(callbackOf(await decide({ request, person: 'ada', decision: 'deny' })).searchParams),
    ).toMatchObject({
      error: 'access_denied',
      error_description: 'The user has denied your application access.',
      error_uri: expect.stringContaining('#access-denied'),
      state: 'the-state',
    })
  })

  it('signs in any typed address; keeps and explains an invalid one', async () => {
    const { request } = await openPage()
    const mistaken = await decide({ request, email: '"><b>x', decision: 'allow' })
    const html = await mistaken.text()
    expect(mistaken.status).toBe(400)
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;x"')
    expect(html).toContain('Enter one email address')
    expect(
      callbackOf(await decide({ request, email: ' New.Person@Example.com ', decision: 'allow' })).searchParams.has(
        'code',
      ),
    ).toBe(true)
  })

  it('suggests the account that the client names', async () => {
    expect((await openPage({ login: 'finn-reyes' })).html).toMatch(/value="finn" checked/)
    expect((await openPage({ login_hint: 'someone@example.com' })).html).toContain('value="someone@example.com"')
  })
})

describe('people generated from an address', () => {
  it('are stable and distinct, and never replace sample people', () => {
    expect(personOf('A@example.com', 'github')).toEqual(personOf('a@example.com ', 'github'))
    expect(personOf('a@example.com', 'google')?.google.sub).not.toBe(personOf('b@example.com', 'google')?.google.sub)
    expect(personOf('eli@example.com', 'google')?.id).toBe('eli')
    for (const bad of ['', 'x', 'a@b@c', 'a b@c', `${'a'.repeat(250)}@example.com`])
      expect(personOf(bad, 'google')).toBeNull()
  })
})

describe('callers', () => {
  it.each([
    ['192.168.1.5', 403],
    ['::ffff:10.0.0.1', 403],
    ['127.0.0.1', 200],
    ['::1', 200],
    ['::ffff:127.0.0.1', 200],
  ])('%s gets %i', async (remoteAddress, status) => {
    const headers = { 'x-forwarded-for': '127.0.0.1' }
    for (const url of [
      '/sandbox/identity/google/.well-known/openid-configuration',
      '/sandbox/identity/github/avatar?name=A',
    ]) {
      expect((await server.app.inject({ url, remoteAddress, headers })).statusCode).toBe(status)
    }
  })

  it('get pictures without any injected markup', async () => {
    const response = await fetch(`${server.github}/avatar?name=${encodeURIComponent('<script> "x')}`)
    expect(response.headers.get('content-type')).toBe('image/svg+xml')
    expect(await response.text()).not.toMatch(/<script|"x/)
  })
})
