import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { call, refusal } from '../testing/call.ts'
import { readCodeMail } from '../testing/mail.ts'
import { newEmail, registerByEmail } from '../testing/register.ts'
import { createClient } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())

const post = (path: string, body: unknown, token?: string) => call(server, 'POST', path, { body, token })
/** The pause between two mails of one kind is over. */
const later = () => server.moveClock('61 seconds')

const register = () => registerByEmail(server)

describe('sign-up by email', () => {
  it('with the real client: mail, code, session, then the password signs in', async () => {
    const { client } = createClient(server.url)
    const email = newEmail()
    const made = await client.signUp({ email, password: 'correct horse', options: { data: { team: 'blue' } } })
    expect(made.error).toBeNull()
    expect(made.data.session).toBeNull()
    expect(made.data.user).toMatchObject({
      email,
      identities: [{ provider: 'email', identity_data: { email, email_verified: false } }],
      user_metadata: { team: 'blue', email, email_verified: false, phone_verified: false },
      app_metadata: { provider: 'email', providers: ['email'] },
    })
    expect(made.data.user?.confirmation_sent_at).toBeTruthy()

    const early = await client.signInWithPassword({ email, password: 'correct horse' })
    expect(early.error).toMatchObject({ status: 400, code: 'email_not_confirmed', message: 'Email not confirmed' })

    const { code, subject } = await readCodeMail(server, email)
    expect(subject).toBe('Confirm your email address')
    const verified = await client.verifyOtp({ type: 'signup', email, token: code })
    expect(verified.error).toBeNull()
    expect(verified.data.user).toMatchObject({ email, user_metadata: { email_verified: true, team: 'blue' } })
    const claims = (await client.getClaims()).data?.claims
    expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'otp' }] })

    const signedIn = await client.signInWithPassword({ email, password: 'correct horse' })
    expect(signedIn.error).toBeNull()
    expect((await client.getClaims()).data?.claims).toMatchObject({ amr: [{ method: 'password' }] })
  })

  it('by the link of the mail: bound to the client that asked, it works at once', async () => {
    const { client } = createClient(server.url)
    const email = newEmail()
    await client.signUp({ email, password: 'correct horse', options: { emailRedirectTo: `${server.url}/welcome?x=1` } })
    const { link, token } = await readCodeMail(server, email)
    expect(token).toMatch(/^pkce_/)
    const opened = await fetch(link, { redirect: 'manual' })
    expect(opened.status).toBe(303)
    const target = new URL(opened.headers.get('location') ?? '')
    expect(target.origin + target.pathname).toBe(`${server.url}/welcome`)
    expect([...target.searchParams.keys()]).toEqual(['code', 'x'])
    expect(target.hash).toBe('')
    const { data, error } = await client.exchangeCodeForSession(target.searchParams.get('code') ?? '')
    expect(error).toBeNull()
    expect(data.user?.email_confirmed_at).toBeTruthy()
    expect((await client.getClaims()).data?.claims).toMatchObject({ amr: [{ method: 'email/signup' }] })

    const again = await fetch(link, { redirect: 'manual' })
    const refused = new URL(again.headers.get('location') ?? '')
    const fields = {
      error: 'access_denied',
      error_code: 'otp_expired',
      error_description: 'Email link is invalid or has expired',
    }
    expect([again.status, Object.fromEntries(refused.searchParams)]).toEqual([303, { ...fields, x: '1' }])
    expect(Object.fromEntries(new URLSearchParams(refused.hash.slice(1)))).toEqual({ ...fields, sb: '' })
  })

  it('a link without a client behind it asks for a click, and then only confirms', async () => {
    const email = newEmail()
    await post('/signup', { email, password: 'correct horse' })
    const { link, token } = await readCodeMail(server, email)
    for (let opened = 0; opened < 2; opened++) {
      const page = await fetch(link, { redirect: 'manual' })
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(await page.text()).toContain('Confirm your email address')
    }
    const clicked = await fetch(`${server.url}/auth/v1/verify`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token, type: 'signup', redirect_to: server.url }),
    })
    expect(clicked.status).toBe(303)
    const target = new URL(clicked.headers.get('location') ?? '')
    expect(Object.fromEntries(new URLSearchParams(target.hash.slice(1)))).toEqual({
      message: 'Your address is confirmed. Sign in to continue.',
      sb: '',
    })
    expect((await post('/token?grant_type=password', { email, password: 'correct horse' })).status).toBe(200)
  })

  it('of somebody confirmed is answered with an invented person and mails nobody', async () => {
    const { email, user } = await register()
    await later()
    const answer = await post('/signup', { email, password: 'another one' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ email, identities: [], role: 'authenticated', aud: 'authenticated' })
    expect(answer.body.id).not.toBe(user.id)
    expect(server.mailbox?.list(email)).toHaveLength(1)
    const wrong = await post('/token?grant_type=password', { email, password: 'another one' })
    expect(refusal(wrong)).toBe('400 invalid_credentials: Invalid login credentials')
  })

  it('repeated for an unconfirmed address mails again and changes neither password nor data', async () => {
    const email = newEmail()
    await post('/signup', { email, password: 'first password', data: { who: 'first' } })
    const again = await post('/signup', { email, password: 'second password', data: { who: 'second' } })
    expect(refusal(again)).toMatch(
      /^429 over_email_send_rate_limit: For security purposes, you can only request this after \d+ seconds\.$/,
    )
    await later()
    expect((await post('/signup', { email, password: 'second password', data: { who: 'second' } })).body).toMatchObject(
      {
        user_metadata: { who: 'second' },
      },
    )
    const { code } = await readCodeMail(server, email, 2)
    await post('/verify', { type: 'signup', email, token: code })
    expect((await post('/token?grant_type=password', { email, password: 'second password' })).status).toBe(400)
    expect((await post('/token?grant_type=password', { email, password: 'first password' })).status).toBe(200)
  })

  it('of one address fifty times at once makes one person', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/otp', { email })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
    const { rowCount } = await server.db.pool.query('select from auth.users where email = $1', [email])
    expect(rowCount).toBe(1)
  })
})

describe('a sent code', () => {
  it('is void after five wrong guesses, even for the right one', async () => {
    const email = newEmail()
    await post('/otp', { email })
    const { code } = await readCodeMail(server, email)
    const wrong = code === '000000' ? '000001' : '000000'
    const guesses = await Promise.all(
      Array.from({ length: 5 }, () => post('/verify', { type: 'email', email, token: wrong })),
    )
    for (const guess of guesses) expect(refusal(guess)).toBe('403 otp_expired: Token has expired or is invalid')
    expect((await post('/verify', { type: 'email', email, token: code })).status).toBe(403)
  })

  it('gives one session for fifty parallel redemptions', async () => {
    const email = newEmail()
    await post('/otp', { email })
    const { token } = await readCodeMail(server, email)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post('/verify', { type: 'email', token_hash: token })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(403)])
    const { rowCount } = await server.db.pool.query(
      'select from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1',
      [email],
    )
    expect(rowCount).toBe(1)
  })

  it('runs out: the code after ten minutes, the link after an hour', async () => {
    const email = newEmail()
    await post('/otp', { email })
    const { code, token } = await readCodeMail(server, email)
    await server.moveClock('10 minutes')
    expect((await post('/verify', { type: 'email', email, token: code })).status).toBe(403)
    await server.moveClock('51 minutes')
    expect(refusal(await post('/verify', { type: 'email', token_hash: token }))).toBe(
      '403 otp_expired: Email link is invalid or has expired',
    )
  })

  it('once used, voids everything else that was sent to the person', async () => {
    const { email } = await register()
    await later()
    await post('/recover', { email })
    const recovery = await readCodeMail(server, email, 2)
    await post('/otp', { email })
    const { code } = await readCodeMail(server, email, 3)
    expect((await post('/verify', { type: 'magiclink', email, token: code })).status).toBe(200)
    expect((await post('/verify', { type: 'recovery', token_hash: recovery.token })).status).toBe(403)
  })

  it('is of one kind: a sign-up code is no recovery code', async () => {
    const email = newEmail()
    await post('/signup', { email, password: 'correct horse' })
    const { code, token } = await readCodeMail(server, email)
    expect((await post('/verify', { type: 'recovery', email, token: code })).status).toBe(403)
    expect((await post('/verify', { type: 'recovery', token_hash: token })).status).toBe(403)
    expect((await post('/verify', { type: 'email', email, token: code })).status).toBe(200)
  })

  it('is stored nowhere', async () => {
    const email = newEmail()
    await post('/otp', { email })
    const { code, token } = await readCodeMail(server, email)
    const { rows } = await server.db.pool.query('select * from auth.one_time_tokens')
    const stored = JSON.stringify(
      rows.map((row) => Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))),
    )
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(`"${code}"`)
  })
})

describe('a person who registers a stranger’s address', () => {
  it('leaves no password behind when its owner signs in by a code of their own', async () => {
    const email = newEmail()
    await post('/signup', { email, password: 'attacker knows', data: { full_name: 'Mallory' } })
    await later()
    await post('/otp', { email })
    const { code } = await readCodeMail(server, email, 2)
    const { body } = await post('/verify', { type: 'email', email, token: code })
    expect(body.user.user_metadata.full_name).toBeUndefined()
    expect((await post('/token?grant_type=password', { email, password: 'attacker knows' })).status).toBe(400)
  })
})

describe('/recover', () => {
  it('signs in with the real client, lets them set a password, and ends every other session', async () => {
    const { email, access_token } = await register()
    const { client } = createClient(server.url)
    await later()
    expect((await client.resetPasswordForEmail(email, { redirectTo: `${server.url}/reset` })).error).toBeNull()
    const { link, subject } = await readCodeMail(server, email, 2)
    expect(subject).toBe('Recover your account')
    const target = new URL((await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '')
    expect(target.pathname).toBe('/reset')
    const { data } = await client.exchangeCodeForSession(target.searchParams.get('code') ?? '')
    expect(data).toMatchObject({ redirectType: 'recovery' })
    const same = await client.updateUser({ password: 'correct horse' })
    expect(same.error).toMatchObject({
      status: 422,
      code: 'same_password',
      message: 'New password should be different from the old password.',
    })
    expect((await client.updateUser({ password: 'a new password' })).error).toBeNull()
    expect((await call(server, 'GET', '/user', { token: access_token })).body.code).toBe('session_not_found')
    expect((await client.getUser()).error).toBeNull()
    expect((await post('/token?grant_type=password', { email, password: 'a new password' })).status).toBe(200)
  })

  it('answers alike whether or not anybody has the address, also when asked twice', async () => {
    const { email } = await register()
    await later()
    const nobody = newEmail()
    for (const address of [email, nobody]) {
      expect([address === email, (await post('/recover', { email: address })).body]).toEqual([address === email, {}])
      expect((await post('/recover', { email: address })).status).toBe(429)
    }
    expect(server.mailbox?.list(nobody)).toEqual([])
  })
})
