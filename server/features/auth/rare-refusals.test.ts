import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type AuthServer, startAuthServer } from './testing/auth-server.ts'
import { call, refusal, refusalCode } from './testing/call.ts'
import { newEmail, registerByEmail } from './testing/register.ts'
import { createClient, signIn, walk } from './testing/sign-in.ts'
import { type SmsReceiver, startSmsReceiver } from './testing/sms.ts'

let server: AuthServer
let sms: SmsReceiver
beforeAll(async () => {
  sms = await startSmsReceiver()
  server = await startAuthServer({ env: { ...sms.env, AUTH_ANONYMOUS: 'on' } })
})
afterAll(async () => {
  await server?.close()
  sms?.close()
})

const query = (text: string, values: unknown[]) => server.db.pool.query(text, values)
/** Gives a person another identity, as a provider would have named it. */
const addIdentity = (userId: string, provider: string, email: string) =>
  query(`insert into auth.identities (user_id, provider, provider_id, identity_data) values ($1, $2, $3, $4)`, [
    userId,
    provider,
    randomUUID(),
    JSON.stringify({ email, email_verified: true }),
  ])

/** Where a sign-in as a person of this address leads. */
const endOfSignIn = (provider: 'google' | 'github', email: string) =>
  walk(server.url, createClient(server.url).client, { provider, email })

describe('refusals that are rare', () => {
  it.each([{}, { auth_code: 'x' }, { code_verifier: 'x' }, { auth_code: '', code_verifier: null }])(
    'a redemption of %j',
    async (body) => {
      expect(refusal(await call(server, 'POST', '/token?grant_type=pkce', { body }))).toBe(
        '400 validation_failed: invalid request: both auth code and code verifier should be non-empty',
      )
    },
  )

  it('a password for a number that is yet to be confirmed', async () => {
    const body = { phone: '+4915133333333', password: 'correct horse' }
    expect((await call(server, 'POST', '/signup', { body })).status).toBe(200)
    expect(refusalCode(await call(server, 'POST', '/token?grant_type=password', { body }))).toBe(
      '400 phone_not_confirmed',
    )
  })

  it('a code to somebody without an address and without a number', async () => {
    const { access_token: token } = (await call(server, 'POST', '/signup', { body: {} })).body
    expect(refusal(await call(server, 'GET', '/reauthenticate', { token }))).toBe(
      '400 validation_failed: Reauthentication requires the user to have an email or a phone number',
    )
  })

  it('a telephone as second factor where nobody sends messages, and a challenge that nobody made', async () => {
    const { access_token: token, user } = await registerByEmail(server)
    const { rows } = await query(
      `insert into auth.mfa_factors (user_id, factor_type, phone) values ($1, 'phone', '4915144444444') returning id`,
      [user.id],
    )
    const body = { challenge_id: randomUUID(), code: '123456' }
    expect(refusal(await call(server, 'POST', `/factors/${rows[0].id}/verify`, { token, body }))).toBe(
      '422 mfa_factor_not_found: MFA factor with the provided challenge ID not found',
    )
    const silent = await startAuthServer({
      databaseUrl: server.databaseUrl,
      env: { PUBLIC_URL: server.config.PUBLIC_URL },
    })
    expect(refusalCode(await call(silent, 'POST', `/factors/${rows[0].id}/challenge`, { token }))).toBe(
      '422 mfa_phone_verify_not_enabled',
    )
    await silent.close()
  })

  it('an account taken away whose person would get the address of somebody else', async () => {
    const { session } = await signIn(server.url, { provider: 'google', email: newEmail() })
    const taken = await registerByEmail(server)
    await addIdentity(session.user.id, 'github', taken.email)
    const google = session.user.identities![0]!.identity_id
    const answer = await call(server, 'DELETE', `/user/identities/${google}`, { token: session.access_token })
    expect(refusalCode(answer)).toBe('422 email_conflict_identity_not_deletable')
  })

  it('an address that belongs to two people', async () => {
    const email = newEmail()
    const people = [await registerByEmail(server), await registerByEmail(server)]
    for (const { user } of people) await addIdentity(user.id, 'github', email)
    const end = await endOfSignIn('google', email)
    expect([end.searchParams.get('error'), end.searchParams.get('error_description')]).toEqual([
      'server_error',
      'Multiple accounts with the same email address in the same linking domain detected',
    ])
  })

  it('a provider that does not tell who signed in', async () => {
    const real = fetch
    vi.stubGlobal('fetch', (url: string | URL | Request, init?: RequestInit) =>
      String(url).endsWith('/user') ? Promise.resolve(new Response('', { status: 502 })) : real(url, init),
    )
    const end = await endOfSignIn('github', newEmail()).finally(() => vi.unstubAllGlobals())
    expect([end.searchParams.get('error'), end.searchParams.get('error_description')]).toEqual([
      'server_error',
      'Error getting user profile from external provider',
    ])
  })
})
