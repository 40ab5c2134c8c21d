import { GoTrueClient } from '@supabase/auth-js'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { call, refusal, refusalCode } from '../testing/call.ts'
import { readCodeMail } from '../testing/mail.ts'
import { newEmail, registerByEmail } from '../testing/register.ts'
import { createClient } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())

const post = (path: string, body: unknown, token?: string) => call(server, 'POST', path, { body, token })
/** The pause between two mails of one kind is over. */
const later = () => server.moveClock('61 seconds')
const register = () => registerByEmail(server)

describe('email change', () => {
  it('takes the code of one address for that address only', async () => {
    const { email, access_token } = await register()
    const next = newEmail()
    await call(server, 'PUT', '/user', { token: access_token, body: { email: next } })
    const old = await readCodeMail(server, email, 2)
    const crossed = await post('/verify', { type: 'email_change', email: next, token: old.code })
    expect(refusalCode(crossed)).toBe('403 otp_expired')
    expect((await post('/verify', { type: 'email_change', email, token: old.code })).status).toBe(200)
    await later()
  })

  it('needs both addresses to agree, in either order', async () => {
    for (const first of ['old', 'new']) {
      const { email, access_token } = await register()
      const next = newEmail()
      const asked = await call(server, 'PUT', '/user', { token: access_token, body: { email: next } })
      expect(asked.body).toMatchObject({ email, new_email: next, email_change_sent_at: expect.any(String) })
      const [old, fresh] = [await readCodeMail(server, email, 2), await readCodeMail(server, next)]
      const [one, two] =
        first === 'old'
          ? [
              { ...old, email },
              { ...fresh, email: next },
            ]
          : [
              { ...fresh, email: next },
              { ...old, email },
            ]
      const half = await post('/verify', { type: 'email_change', email: one.email, token: one.code })
      expect(half.body).toEqual({
        msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
        code: '200',
      })
      const whole = await post('/verify', { type: 'email_change', email: two.email, token: two.code })
      expect(whole.body.user).toMatchObject({ email: next, identities: [{ provider: 'email', email: next }] })
      expect(whole.body.user.new_email).toBeUndefined()
      await later()
    }
  })

  it('by links: the first says so, the second changes it', async () => {
    const { email, access_token } = await register()
    const next = newEmail()
    await call(server, 'PUT', `/user?redirect_to=${server.url}/changed`, { token: access_token, body: { email: next } })
    const click = async ({ token }: { token: string }) =>
      (
        await fetch(`${server.url}/auth/v1/verify`, {
          method: 'POST',
          redirect: 'manual',
          body: new URLSearchParams({ token, type: 'email_change', redirect_to: `${server.url}/changed` }),
        })
      ).headers.get('location')
    const first = new URL((await click(await readCodeMail(server, email, 2)))!)
    expect(Object.fromEntries(new URLSearchParams(first.hash.slice(1)))).toEqual({
      message: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
      sb: '',
    })
    await click(await readCodeMail(server, next))
    expect((await call(server, 'GET', '/user', { token: access_token })).body.email).toBe(next)
  })

  it('to an address that somebody has is refused, also when it was taken meanwhile', async () => {
    const [one, two] = [await register(), await register()]
    const taken = await call(server, 'PUT', '/user', { token: one.access_token, body: { email: two.email } })
    expect(refusal(taken)).toBe('422 email_exists: A user with this email address has already been registered')
    const wanted = newEmail()
    await call(server, 'PUT', '/user', { token: one.access_token, body: { email: wanted } })
    const [old, fresh] = [await readCodeMail(server, one.email, 2), await readCodeMail(server, wanted)]
    await post('/verify', { type: 'email_change', email: one.email, token: old.code })
    await server.db.pool.query('update auth.users set email = $2 where id = $1', [two.user.id, wanted])
    const late = await post('/verify', { type: 'email_change', token_hash: fresh.token })
    expect(late.body.code).toBe('email_exists')
  })
})

describe('/resend', () => {
  it('sends a sign-up code again, and nothing to those who need none', async () => {
    const email = newEmail()
    await post('/signup', { email, password: 'correct horse' })
    await later()
    expect((await post('/resend', { type: 'signup', email })).body).toEqual({})
    const { code } = await readCodeMail(server, email, 2)
    expect((await post('/verify', { type: 'signup', email, token: code })).status).toBe(200)
    await later()
    expect((await post('/resend', { type: 'signup', email })).body).toEqual({})
    expect((await post('/resend', { type: 'signup', email: newEmail() })).body).toEqual({})
    await later()
    expect(server.mailbox?.list(email)).toHaveLength(2)
  })
})

describe('reauthentication', () => {
  it('guards the password of a session older than a day', async () => {
    const { email, access_token } = await register()
    const put = (body: object) => call(server, 'PUT', '/user', { token: access_token, body })
    await server.db.pool.query(`update auth.sessions set created_at = created_at - interval '25 hours'`)
    expect(refusal(await put({ password: 'a new password' }))).toBe(
      '400 reauthentication_needed: Password update requires reauthentication',
    )
    expect(refusal(await put({ password: 'a new password', nonce: '123456' }))).toBe(
      '422 reauthentication_not_valid: Nonce has expired or is invalid',
    )
    expect((await call(server, 'GET', '/reauthenticate', { token: access_token })).body).toEqual({})
    const { code } = await readCodeMail(server, email, 2)
    expect((await put({ password: 'a new password', nonce: code })).status).toBe(200)
    expect((await put({ password: 'yet another one', nonce: code })).status).toBe(422)
  })
})

describe('PUT /user', () => {
  it('merges metadata, and null takes a key away', async () => {
    const { access_token } = await register()
    const put = (data: object) => call(server, 'PUT', '/user', { token: access_token, body: { data } })
    await put({ a: 1, b: { c: 2 }, d: 'x' })
    expect((await put({ a: null, d: 'y' })).body.user_metadata).toMatchObject({ b: { c: 2 }, d: 'y' })
    expect((await put({})).body.user_metadata.a).toBeUndefined()
  })

  it('with current-password asks for the old one', async () => {
    const strict = await startAuthServer({ env: { AUTH_PASSWORD_UPDATE: 'current-password', AUTH_AUTOCONFIRM: 'on' } })
    const { body } = await call(strict, 'POST', '/signup', { body: { email: newEmail(), password: 'old password' } })
    const put = (given: object) => call(strict, 'PUT', '/user', { token: body.access_token, body: given })
    expect((await put({ password: 'new password' })).body.code).toBe('current_password_required')
    expect((await put({ password: 'new password', current_password: 'wrong' })).body.code).toBe(
      'current_password_invalid',
    )
    expect((await put({ password: 'new password', current_password: 'old password' })).status).toBe(200)
    await strict.close()
  })
})

describe('settings of the operator', () => {
  it('autoconfirm signs in at once, and knows who is registered', async () => {
    const auto = await startAuthServer({ env: { AUTH_AUTOCONFIRM: 'on' } })
    const email = newEmail()
    const client = new GoTrueClient({ url: `${auto.url}/auth/v1`, autoRefreshToken: false, persistSession: false })
    const first = await client.signUp({ email, password: 'correct horse' })
    expect(first.data.session?.user.email_confirmed_at).toBeTruthy()
    const second = await client.signUp({ email, password: 'correct horse' })
    expect(second.error).toMatchObject({ status: 422, code: 'user_already_exists', message: 'User already registered' })
    await client.updateUser({ email: 'moved@example.com' })
    expect((await client.getUser()).data.user?.email).toBe('moved@example.com')
    await auto.close()
  })

  it('anonymous sign-in makes a person without an address, who may add one', async () => {
    const open = await startAuthServer({ env: { AUTH_ANONYMOUS: 'on' } })
    const { client } = createClient(open.url)
    const { data } = await client.signInAnonymously({ options: { data: { from: 'test' } } })
    expect(data.user).toMatchObject({ is_anonymous: true, email: '', phone: '', user_metadata: { from: 'test' } })
    expect((await client.getClaims()).data?.claims).toMatchObject({
      is_anonymous: true,
      amr: [{ method: 'anonymous' }],
    })
    const enrolled = await client.mfa.enroll({ factorType: 'totp' })
    expect(enrolled.error).toMatchObject({
      status: 403,
      code: 'no_authorization',
      message: 'Anonymous user not allowed to perform these actions',
    })
    const email = newEmail()
    await client.updateUser({ email })
    const { code } = await readCodeMail(open, email)
    const { data: verified } = await client.verifyOtp({ type: 'email_change', email, token: code })
    expect(verified.user).toMatchObject({ id: data.user?.id, email, is_anonymous: false })
    await open.close()
  })

  it('AUTH_IMPLICIT returns tokens to clients that ask without PKCE', async () => {
    const open = await startAuthServer({ env: { AUTH_IMPLICIT: 'on' } })
    const email = newEmail()
    await call(open, 'POST', `/otp?redirect_to=${open.url}/in?a=b`, { body: { email } })
    const { token, link } = await readCodeMail(open, email)
    const redirect_to = new URL(link).searchParams.get('redirect_to')!
    const clicked = await fetch(`${open.url}/auth/v1/verify`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token, type: 'signup', redirect_to }),
    })
    const target = new URL(clicked.headers.get('location') ?? '')
    expect(target.search).toBe('?a=b')
    expect([...new URLSearchParams(target.hash.slice(1)).keys()]).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'refresh_token',
      'sb',
      'token_type',
      'type',
    ])
    let next = `${open.url}/auth/v1/authorize?provider=google&login_hint=im@example.com&prompt=none&redirect_to=${open.url}/in`
    for (let step = 0; step < 3; step++)
      next = (await fetch(next, { redirect: 'manual' })).headers.get('location') ?? ''
    const fragment = new URLSearchParams(new URL(next).hash.slice(1))
    expect([...fragment.keys()]).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'provider_token',
      'refresh_token',
      'sb',
      'token_type',
    ])
    await open.close()
  })
})
