import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { createBrowser } from '../testing/browser.ts'
import { createClient, decide, signIn, walk } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())

const inSandbox = (next: URL): boolean => !next.pathname.startsWith('/auth/')

/** The sandbox's page for a sign-in that was started at `url`. */
async function consentPage(url: string, browser = createBrowser()) {
  const started = await browser.visit(url)
  return browser.visit(started.headers.get('location') ?? '')
}

async function signInUrl(client: ReturnType<typeof createClient>['client'], provider: 'google' | 'github') {
  const { data } = await client.signInWithOAuth({
    provider,
    options: { redirectTo: `${server.url}/auth/callback`, skipBrowserRedirect: true },
  })
  return data.url ?? ''
}

describe('signing in with the unmodified client', () => {
  it('gives a Google session with everything that clients read', async () => {
    const { session } = await signIn(server.url, { provider: 'google', email: 'mara@example.com' })
    expect(session).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      provider_token: expect.stringMatching(/^ya29\./),
    })
    expect(session.expires_at! - Date.now() / 1000).toBeGreaterThan(3590)
    expect(session.user).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email: 'mara@example.com',
      phone: '',
      is_anonymous: false,
      app_metadata: { provider: 'google', providers: ['google'] },
      user_metadata: {
        full_name: 'Mara',
        name: 'Mara',
        email: 'mara@example.com',
        email_verified: true,
        iss: `${server.url}/sandbox/identity/google`,
      },
      identities: [{ provider: 'google', email: 'mara@example.com', identity_data: { email_verified: true } }],
      factors: [],
    })
    expect(session.user.user_metadata.avatar_url).toMatch(/^http/)
    expect(session.user.confirmed_at).toBe(session.user.email_confirmed_at)
  })

  it('gives a GitHub session, and getUser reads it again', async () => {
    const { session, client } = await signIn(server.url, { provider: 'github', email: 'noor@example.com' })
    expect(session.user.user_metadata).toMatchObject({
      user_name: 'noor',
      preferred_username: 'noor',
      full_name: 'Noor',
    })
    const { data, error } = await client.getUser()
    expect(error).toBeNull()
    expect(data.user?.id).toBe(session.user.id)
  })

  it('knows a person again by the provider id, and follows a renamed login', async () => {
    const first = await signIn(server.url, { provider: 'github', email: 'finn@example.com' })
    const second = await signIn(server.url, { provider: 'github', email: 'finn@example.com' })
    expect(second.session.user.id).toBe(first.session.user.id)
    expect(first.session.user.user_metadata.user_name).toBe('finn-reyes')
    expect(second.session.user.user_metadata.user_name).toBe('finn-renamed')
    expect(second.session.user.identities).toHaveLength(1)
  })

  it('joins two providers by the same verified primary address', async () => {
    const google = await signIn(server.url, { provider: 'google', email: 'eli@example.com' })
    const github = await signIn(server.url, { provider: 'github', email: 'eli@example.com' })
    expect(github.session.user.id).toBe(google.session.user.id)
    expect(github.session.user.app_metadata).toEqual({ provider: 'google', providers: ['google', 'github'] })
    expect(github.session.user.identities?.map(({ provider }) => provider)).toEqual(['google', 'github'])
  })

  it('never joins by a secondary address', async () => {
    const ada = await signIn(server.url, { provider: 'github', email: 'ada@example.com' })
    const dana = await signIn(server.url, { provider: 'github', email: 'dana@example.com' })
    expect(dana.session.user.id).not.toBe(ada.session.user.id)
    expect(dana.session.user.email).toBe('dana@example.com')
  })

  it('survives two first sign-ins of one person at the same moment', async () => {
    const people = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        signIn(server.url, { provider: at % 2 ? 'google' : 'github', email: 'twice@example.com' }),
      ),
    )
    expect(new Set(people.map(({ session }) => session.user.id)).size).toBe(1)
  })

  it('takes the place of somebody who registered the address without proving it', async () => {
    const { rows } = await server.db.pool.query(
      `insert into auth.users (email, password_hash, user_metadata) values ('victim@example.com', 'x', '{"full_name": "Mallory"}') returning id`,
    )
    await server.db.pool.query(
      `insert into auth.identities (user_id, provider, provider_id, identity_data) values ($1, 'email', 'victim', '{"email": "victim@example.com"}')`,
      [rows[0].id],
    )
    const { session } = await signIn(server.url, { provider: 'google', email: 'victim@example.com' })
    expect(session.user.user_metadata.full_name).toBe('Victim')
    expect(session.user.identities?.map(({ provider }) => provider)).toEqual(['google'])
    const { rows: after } = await server.db.pool.query(`select password_hash from auth.users where id = $1`, [
      session.user.id,
    ])
    expect(after).toEqual([{ password_hash: null }])
  })
})

describe('sign-ins that end without a session', () => {
  it.each([
    ['google', 'access_denied', null],
    ['github', 'access_denied', 'The user has denied your application access.'],
  ] as const)('a denied consent at %s comes back as %s', async (provider, error, description) => {
    const browser = createBrowser()
    const page = await consentPage(await signInUrl(createClient(server.url).client, provider), browser)
    const callback = await decide(browser, server.url, page, { person: 'ada', decision: 'deny' })
    const end = await browser.follow(callback, inSandbox)
    expect(end.pathname).toBe('/auth/callback')
    expect(end.searchParams.get('error')).toBe(error)
    expect(end.searchParams.get('error_description')).toBe(description)
    expect(end.searchParams.has('error_code')).toBe(false)
    expect(end.hash).toContain('error=access_denied')
  })

  it.each([
    ['google', 'A confirmation email has been sent to your google email'],
    // Somebody has the address by now, and it is not proved that they are the same.
    ['github', 'Verify the email with github in order to sign in'],
  ] as const)('an unverified address at %s gets no session', async (provider, hint) => {
    const end = await walk(server.url, createClient(server.url).client, { provider, email: 'bo@example.com' })
    expect(Object.fromEntries(end.searchParams)).toEqual({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
      error_description: `Unverified email with ${provider}. ${hint}`,
    })
    expect(end.hash.slice(1)).toBe(`${new URLSearchParams([...end.searchParams, ['sb', '']])}`)
    const { rows } = await server.db.pool.query(
      `select email_confirmed_at, (select count(*) from auth.sessions s where s.user_id = u.id) as sessions
       from auth.users u where email = 'bo@example.com'`,
    )
    expect(rows).toEqual([{ email_confirmed_at: null, sessions: 0 }])
  })

  it.each(['google', 'github'] as const)('somebody without an address at %s is refused', async (provider) => {
    const browser = createBrowser()
    const page = await consentPage(await signInUrl(createClient(server.url).client, provider), browser)
    const callback = await decide(browser, server.url, page, { person: 'cleo', decision: 'allow' })
    const end = await browser.follow(callback, (next) => next.pathname.startsWith('/auth/v1/'))
    expect(Object.fromEntries(end.searchParams)).toEqual({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Error getting user email from external provider',
    })
  })

  it('a banned person is refused', async () => {
    const { session } = await signIn(server.url, { provider: 'google', email: 'banned@example.com' })
    await server.db.pool.query(`update auth.users set banned_until = app_now() + interval '1 hour' where id = $1`, [
      session.user.id,
    ])
    const end = await walk(server.url, createClient(server.url).client, {
      provider: 'google',
      email: 'banned@example.com',
    })
    expect(Object.fromEntries(end.searchParams)).toEqual({
      error: 'access_denied',
      error_code: 'user_banned',
      error_description: 'User is banned',
    })
  })

  it('a code that the provider does not know ends with its first four characters only', async () => {
    const browser = createBrowser()
    const started = await browser.visit(await signInUrl(createClient(server.url).client, 'github'))
    const state = new URL(started.headers.get('location') ?? '').searchParams.get('state')
    const answer = await browser.visit(`${server.url}/auth/v1/callback?state=${state}&code=abcdefgh`)
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error_description')).toBe(
      'Unable to exchange external code: abcd',
    )
  })

  it('a callback without a code says so', async () => {
    const browser = createBrowser()
    const started = await browser.visit(await signInUrl(createClient(server.url).client, 'google'))
    const state = new URL(started.headers.get('location') ?? '').searchParams.get('state')
    const answer = await browser.visit(`${server.url}/auth/v1/callback?state=${state}`)
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error_code')).toBe('bad_oauth_callback')
  })

  it('a GitHub without the issuer parameter works as well', async () => {
    const older = await startAuthServer({ identity: { githubSendsIssuer: false } })
    const { session } = await signIn(older.url, { provider: 'github', email: 'noor@example.com' })
    expect(session.user.email).toBe('noor@example.com')
    await older.close()
  })

  it('a callback of another issuer is refused', async () => {
    const browser = createBrowser()
    const url = await signInUrl(createClient(server.url).client, 'google')
    const page = await consentPage(url, browser)
    const callback = new URL(await decide(browser, server.url, page, { person: 'ada', decision: 'allow' }))
    callback.searchParams.set('iss', 'https://accounts.evil.example')
    const answer = await browser.visit(callback.toString())
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error_description')).toMatch(
      /^Unable to exchange external code: /,
    )
  })

  it('a provider that is down sends the person back with a reason', async () => {
    const alone = await startAuthServer({
      env: { GOOGLE_CLIENT_ID: 'x', GOOGLE_CLIENT_SECRET: 'y', GOOGLE_URL: 'http://127.0.0.1:9' },
    })
    const { data } = await createClient(alone.url).client.signInWithOAuth({
      provider: 'google',
      options: { skipBrowserRedirect: true, redirectTo: `${alone.url}/auth/callback` },
    })
    const end = await createBrowser().follow(data.url ?? '', inSandbox)
    expect(end.pathname).toBe('/auth/callback')
    expect(end.searchParams.get('error')).toBe('temporarily_unavailable')
    await alone.close()
  })
})

it.each(['google', 'github'] as const)(
  '%s of the sandbox works where the server cannot reach its own public address',
  async (provider) => {
    const publicUrl = 'https://trial.finmeter.invalid'
    const trial = await closeAfterTests(
      startAuthServer({
        env: { PUBLIC_URL: publicUrl, SANDBOX: 'on' },
        identity: { publicUrl },
      }),
    )
    const { client } = createClient(trial.url)
    const browser = createBrowser((url) => url.replace(publicUrl, trial.url))
    const redirectTo = `${publicUrl}/auth/callback`
    const end = await walk(trial.url, client, { provider, email: 'ines@example.com', browser, redirectTo })
    const { data, error } = await client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    expect(error).toBeNull()
    expect(data.session?.user.email).toBe('ines@example.com')
  },
)
