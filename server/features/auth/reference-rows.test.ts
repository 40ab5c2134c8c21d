import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startAuthServer } from './testing/auth-server.ts'
import { call, refusal } from './testing/call.ts'
import { registerByEmail } from './testing/register.ts'
import { createClient, walk } from './testing/sign-in.ts'

/** Each row: method and path, body, and what the answer says. */
type Row = readonly [route: string, body: unknown, says: string]

const server = await closeAfterTests(startAuthServer())
const token = (await registerByEmail(server)).access_token

const unknown = '00000000-0000-4000-8000-000000000000'
const emailFormat = '400 validation_failed: Unable to validate email address: invalid format'
const parts = (route: string) => route.split(' ') as [method: string, path: string]
const bothAddresses = { email: 'a@example.com', phone: '+4915112345678' }

describe('a stranger is refused', () => {
  const rows: Row[] = [
    ['POST /token', {}, '400 invalid_credentials: unsupported_grant_type'],
    ['POST /token?grant_type=web3', {}, '422 web3_provider_disabled: Web3 provider is disabled'],
    ['POST /token?grant_type=password', {}, '400 validation_failed: missing email or phone'],
    [
      'POST /token?grant_type=password',
      { email: 'nobody@example.com', password: 'correct horse' },
      '400 invalid_credentials: Invalid login credentials',
    ],
    [
      'POST /token?grant_type=password',
      { phone: '+4915112345678', password: 'x' },
      '422 phone_provider_disabled: Phone logins are disabled',
    ],
    [
      'POST /token?grant_type=refresh_token',
      { refresh_token: 'short' },
      '400 validation_failed: Refresh token is not valid',
    ],
    [
      'POST /token?grant_type=refresh_token',
      { refresh_token: 'abcdefghijkl' },
      '400 refresh_token_not_found: Invalid Refresh Token: Refresh Token Not Found',
    ],
    ['POST /signup', {}, '422 anonymous_provider_disabled: Anonymous sign-ins are disabled'],
    ['POST /signup', { email: 'a@example.com' }, '400 validation_failed: Signup requires a valid password'],
    [
      'POST /signup',
      { email: 'a@example.com', password: 'short' },
      '422 weak_password: Password should be at least 8 characters.',
    ],
    [
      'POST /signup',
      { email: 'a@example.com', password: 'x'.repeat(73) },
      '400 validation_failed: Password cannot be longer than 72 characters',
    ],
    ['POST /signup', { email: 'nothing', password: 'correct horse' }, emailFormat],
    ['POST /signup', { email: 'a b@example.com', password: 'correct horse' }, emailFormat],
    ['POST /signup', { email: 'a@example.com,b@example.com', password: 'correct horse' }, emailFormat],
    [
      'POST /signup',
      { ...bothAddresses, password: 'correct horse' },
      '400 validation_failed: Only an email address or phone number should be provided on signup.',
    ],
    [
      'POST /signup',
      { phone: '+4915112345678', password: 'correct horse' },
      '400 phone_provider_disabled: Phone signups are disabled',
    ],
    [
      'POST /signup',
      { email: 'a@example.com', password: 'correct horse', code_challenge: 'x'.repeat(43) },
      '400 validation_failed: PKCE flow requires code_challenge_method and code_challenge',
    ],
    ['POST /otp', {}, '400 validation_failed: missing email or phone'],
    ['POST /otp', { email: 'nothing' }, emailFormat],
    [
      'POST /otp',
      { email: 'stranger@example.com', create_user: false },
      '422 otp_disabled: Signups not allowed for otp',
    ],
    ['POST /otp', { phone: '+4915112345678' }, '400 phone_provider_disabled: Unsupported phone provider'],
    ['POST /magiclink', {}, emailFormat],
    ['POST /recover', {}, '400 validation_failed: Password recovery requires an email'],
    ['POST /recover', { email: 'nothing' }, emailFormat],
    [
      'POST /resend',
      { email: 'a@example.com' },
      '400 validation_failed: Missing one of these types: signup, email_change, sms, phone_change',
    ],
    ['POST /verify', {}, '400 validation_failed: Verify requires a verification type'],
    ['POST /verify', { type: 'nothing', token: '1' }, '400 validation_failed: Unsupported verification type'],
    ['POST /verify', { type: 'signup' }, '400 validation_failed: Verify requires either a token or a token hash'],
    [
      'POST /verify',
      { type: 'signup', token: '1', token_hash: 'x' },
      '400 validation_failed: Verify requires either a token or a token hash',
    ],
    [
      'POST /verify',
      { type: 'signup', token_hash: 'x', email: 'a@example.com' },
      '400 validation_failed: Only the token_hash and type should be provided',
    ],
    ['POST /verify', { type: 'signup', token_hash: 'x' }, '403 otp_expired: Email link is invalid or has expired'],
    [
      'POST /verify',
      { type: 'signup', token: '123456', email: 'nobody@example.com' },
      '403 otp_expired: Token has expired or is invalid',
    ],
    [
      'POST /verify',
      { type: 'sms', token: '123456', phone: 'nothing' },
      '400 validation_failed: Invalid phone number format (E.164 required)',
    ],
    ['GET /verify?type=signup', undefined, '400 validation_failed: Verify requires a token or a token hash'],
    ['GET /verify?token=x', undefined, '400 validation_failed: Verify requires a verification type'],
    [
      'POST /resend',
      { type: 'signup', phone: '+4915112345678' },
      '400 validation_failed: Type provided requires an email',
    ],
    [
      'POST /resend',
      { type: 'sms', email: 'a@example.com' },
      '400 validation_failed: Type provided requires a phone number',
    ],
    [
      'POST /resend',
      { type: 'sms', phone: '+4915112345678' },
      '400 phone_provider_disabled: Unsupported phone provider',
    ],
    ['POST /resend', { type: 'signup', email: 'nothing' }, emailFormat],
    ['POST /sso', {}, '404 saml_provider_disabled: SAML 2.0 is disabled'],
    ['GET /sso/saml/metadata', undefined, '404 saml_provider_disabled: SAML 2.0 is disabled'],
    ['POST /sso/saml/acs', 'SAMLResponse=x', '404 saml_provider_disabled: SAML 2.0 is disabled'],
    ['POST /logout?scope=everything', undefined, '400 validation_failed: Unsupported logout scope "everything"'],
  ]
  it.each(rows)('%s %j: %s', async (route, body, says) => {
    const [method, path] = parts(route)
    expect(refusal(await call(server, method, path, { body }))).toBe(says)
  })

  it.each([
    ['GET', '/user'],
    ['PUT', '/user'],
    ['POST', '/logout'],
    ['GET', '/reauthenticate'],
    ['GET', '/user/identities/authorize?provider=github'],
    ['DELETE', `/user/identities/${unknown}`],
    ['POST', '/factors'],
    ['POST', `/factors/${unknown}/challenge`],
    ['POST', `/factors/${unknown}/verify`],
    ['DELETE', `/factors/${unknown}`],
    ['GET', '/admin/users'],
    ['POST', '/invite'],
  ])('%s %s needs a token', async (method, path) => {
    expect(refusal(await call(server, method, path))).toBe(
      '401 no_authorization: This endpoint requires a valid Bearer token',
    )
    const forged = await call(server, method, path, { token: 'x.y.z' })
    expect(refusal(forged)).toMatch(/^403 bad_jwt: invalid JWT: unable to parse or verify signature, /)
  })

  it('weak passwords name their weakness in both shapes', async () => {
    const weak = await call(server, 'POST', '/signup', { body: { email: 'a@example.com', password: 'abc' } })
    expect(weak.body.weak_password).toEqual({ reasons: ['length'] })
    const old = await call(server, 'POST', '/signup', {
      body: { email: 'a@example.com', password: 'abc' },
      headers: { 'x-supabase-api-version': '' },
    })
    expect(old.body).toEqual({
      code: 422,
      error_code: 'weak_password',
      msg: 'Password should be at least 8 characters.',
      weak_password: { reasons: ['length'] },
    })
  })
})

describe('a signed-in person is refused', () => {
  const rows: Row[] = [
    ['PUT /user', { email: 'nothing' }, emailFormat],
    ['PUT /user', { phone: 'nothing' }, '400 validation_failed: Invalid phone number format (E.164 required)'],
    ['PUT /user', { phone: '+4915112345678' }, '400 phone_provider_disabled: Unsupported phone provider'],
    ['PUT /user', { password: 'abc' }, '422 weak_password: Password should be at least 8 characters.'],
    [
      'PUT /user',
      { password: 'correct horse' },
      '422 same_password: New password should be different from the old password.',
    ],
    ['PUT /user', { app_metadata: { a: 1 } }, '403 not_admin: Updating app_metadata requires admin privileges'],
    ['POST /factors', { factor_type: '' }, '400 validation_failed: factor_type needs to be totp, phone, or webauthn'],
    [`POST /factors/${unknown}/challenge`, {}, '404 mfa_factor_not_found: Factor not found'],
    ['POST /factors/x/challenge', {}, '404 validation_failed: factor_id must be an UUID'],
    [
      `POST /factors/${unknown}/verify`,
      { challenge_id: unknown, code: '' },
      '400 validation_failed: Code needs to be non-empty',
    ],
    [`DELETE /factors/${unknown}`, undefined, '404 mfa_factor_not_found: Factor not found'],
    ['DELETE /user/identities/x', undefined, '404 validation_failed: identity_id must be an UUID'],
    [
      `DELETE /user/identities/${unknown}`,
      undefined,
      '422 single_identity_not_deletable: User must have at least 1 identity after unlinking',
    ],
    ['GET /admin/users', undefined, '403 not_admin: User not allowed'],
  ]
  it.each(rows)('%s %j: %s', async (route, body, says) => {
    const [method, path] = parts(route)
    expect(refusal(await call(server, method, path, { body, token }))).toBe(says)
  })
})

describe('switched off by the operator', () => {
  it('sign-up', async () => {
    const closed = await startAuthServer({ env: { AUTH_SIGNUP: 'off', AUTH_ANONYMOUS: 'on' } })
    const off = ['signup_disabled', 'Signups not allowed for this instance']
    const says = `422 ${off.join(': ')}`
    const body = { email: 'a@example.com', password: 'correct horse' }
    expect(refusal(await call(closed, 'POST', '/signup', { body }))).toBe(says)
    expect(refusal(await call(closed, 'POST', '/signup', { body: {} }))).toBe(says)
    expect((await call(closed, 'POST', '/otp', { body: { email: 'a@example.com' } })).body.code).toBe('otp_disabled')
    expect((await call(closed, 'GET', '/settings')).body.disable_signup).toBe(true)
    // By a provider it is said where the sign-in leads, whether or not the provider vouches for the address.
    for (const email of ['newcomer@example.com', 'bo@example.com']) {
      const end = await walk(closed.url, createClient(closed.url).client, { provider: 'google', email })
      expect([email, Object.fromEntries(end.searchParams)]).toEqual([
        email,
        { error: 'access_denied', error_code: off[0], error_description: off[1] },
      ])
    }
    await closed.close()
  })

  it('email', async () => {
    const closed = await startAuthServer({ env: { AUTH_EMAIL: 'off' } })
    const body = { email: 'a@example.com', password: 'correct horse' }
    expect(refusal(await call(closed, 'POST', '/signup', { body }))).toBe(
      '400 email_provider_disabled: Email signups are disabled',
    )
    for (const path of ['/token?grant_type=password', '/otp', '/magiclink', '/recover'])
      expect(refusal(await call(closed, 'POST', path, { body }))).toBe(
        '422 email_provider_disabled: Email logins are disabled',
      )
    expect((await call(closed, 'GET', '/settings')).body.external.email).toBe(false)
    await closed.close()
  })
})
