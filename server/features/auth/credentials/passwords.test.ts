import { GoTrueAdminApi, isAuthWeakPasswordError } from '@supabase/auth-js'
import bcrypt from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthServer, startAuthServer } from '../testing/auth-server.ts'
import { call, refusal } from '../testing/call.ts'
import { readCodeMail } from '../testing/mail.ts'
import { newEmail } from '../testing/register.ts'
import { createClient, signIn } from '../testing/sign-in.ts'

const adminOf = async (server: AuthServer) =>
  new GoTrueAdminApi({
    url: `${server.url}/auth/v1`,
    headers: { Authorization: `Bearer ${await server.accessTokens.signServiceKey()}` },
  })

describe('a new password', () => {
  let server: AuthServer
  let admin: GoTrueAdminApi
  beforeAll(async () => {
    server = await startAuthServer()
    admin = await adminOf(server)
  })
  afterAll(() => server?.close())

  it.each([
    ['seven c', 'length', 'Password should be at least 8 characters.'],
    // Seven characters, more UTF-16 units.
    ['🐎🐎🐎🐎🐎🐎🐎', 'length', 'Password should be at least 8 characters.'],
    ['password', 'pwned', 'Password is known to be weak and easy to guess, please choose a different one.'],
    ['Password1', 'pwned', 'Password is known to be weak and easy to guess, please choose a different one.'],
    ['QWERTYUIOP', 'pwned', 'Password is known to be weak and easy to guess, please choose a different one.'],
    ['1q2w3e4r', 'pwned', 'Password is known to be weak and easy to guess, please choose a different one.'],
  ])('like %j is refused at every door: %s', async (password, reason, message) => {
    const { client } = createClient(server.url)
    const { error } = await client.signUp({ email: newEmail(), password })
    if (!isAuthWeakPasswordError(error)) throw new Error(`not weak: ${error?.message}`)
    expect([error.status, error.code, error.reasons, error.message]).toEqual([422, 'weak_password', [reason], message])

    const { client: member } = await signIn(server.url, { provider: 'google', email: newEmail() })
    const changed = await member.updateUser({ password })
    expect(isAuthWeakPasswordError(changed.error)).toBe(true)

    const weak = { status: 422, code: 'weak_password' }
    expect((await admin.createUser({ email: newEmail(), password })).error).toMatchObject(weak)
    const { data } = await admin.createUser({ email: newEmail() })
    expect((await admin.updateUserById(data.user!.id, { password })).error).toMatchObject(weak)
    const link = await admin.generateLink({ type: 'signup', email: newEmail(), password })
    expect(link.error).toMatchObject(weak)
  })

  it('may be as short as AUTH_PASSWORD_LENGTH says, and no shorter', async () => {
    const short = await startAuthServer({ env: { AUTH_PASSWORD_LENGTH: '6' } })
    const { client } = createClient(short.url)
    expect((await client.signUp({ email: newEmail(), password: 'five5' })).error?.message).toBe(
      'Password should be at least 6 characters.',
    )
    expect((await client.signUp({ email: newEmail(), password: 'h4r-6x' })).error).toBeNull()
    await short.close()
  })

  it('of an invited user follows the same rules', async () => {
    const email = newEmail()
    await admin.inviteUserByEmail(email)
    const { token } = await readCodeMail(server, email)
    const { client } = createClient(server.url)
    await client.verifyOtp({ type: 'invite', token_hash: token })
    expect((await client.updateUser({ password: 'iloveyou' })).error?.code).toBe('weak_password')
    expect((await client.updateUser({ password: 'correct horse' })).error).toBeNull()
  })

  it('may be weak if it is old: it signs in, and the client learns why it should change', async () => {
    for (const [password, reason] of [
      ['abc', 'length'],
      ['sunshine', 'pwned'],
    ] as const) {
      const email = newEmail()
      await admin.createUser({ email, email_confirm: true, password_hash: await bcrypt.hash(password, 4) })
      const { data, error } = await createClient(server.url).client.signInWithPassword({ email, password })
      expect(error).toBeNull()
      expect(data.session).not.toBeNull()
      expect(data.weakPassword?.reasons).toEqual([reason])
    }
  })
})

describe('without AUTH_PASSWORD_SIGNUP', () => {
  const OFF =
    '422 signup_disabled: New passwords are disabled for this instance. Sign in with a provider, or by a code or link.'
  let server: AuthServer
  let admin: GoTrueAdminApi
  beforeAll(async () => {
    // The setting's own default, not that of the tests.
    server = await startAuthServer({ env: { AUTH_PASSWORD_SIGNUP: undefined } })
    admin = await adminOf(server)
  })
  afterAll(() => server?.close())

  it('nobody signs up with a password, and /settings says so', async () => {
    const known = newEmail()
    await admin.createUser({ email: known, email_confirm: true })
    for (const email of [newEmail(), known])
      expect(refusal(await call(server, 'POST', '/signup', { body: { email, password: 'correct horse' } }))).toBe(OFF)
    expect((await call(server, 'GET', '/settings')).body).toMatchObject({
      password_signup: false,
      disable_signup: false,
      external: { email: true },
    })
    const open = await startAuthServer({ env: { AUTH_PASSWORD_SIGNUP: 'on' } })
    expect((await call(open, 'GET', '/settings')).body.password_signup).toBe(true)
    await open.close()
  })

  it('nobody adds a password to an account without one', async () => {
    const { session } = await signIn(server.url, { provider: 'google', email: newEmail() })
    const body = { password: 'correct horse' }
    expect(refusal(await call(server, 'PUT', '/user', { token: session.access_token, body }))).toBe(OFF)
  })

  it('codes and links sign up, and existing passwords sign in, change and are recovered', async () => {
    const email = newEmail()
    await call(server, 'POST', '/otp', { body: { email } })
    const { code } = await readCodeMail(server, email)
    const byCode = await call(server, 'POST', '/verify', { body: { type: 'email', email, token: code } })
    expect(byCode.status).toBe(200)

    const old = newEmail()
    await admin.createUser({ email: old, password: 'correct horse', email_confirm: true })
    const { client } = createClient(server.url)
    expect((await client.signInWithPassword({ email: old, password: 'correct horse' })).error).toBeNull()
    expect((await client.updateUser({ password: 'battery staple' })).error).toBeNull()
    await client.signOut()
    await client.resetPasswordForEmail(old)
    const recovery = await readCodeMail(server, old, 2)
    expect((await client.verifyOtp({ type: 'recovery', email: old, token: recovery.code })).error).toBeNull()
    expect((await client.updateUser({ password: 'staple battery' })).error).toBeNull()
    expect((await client.signInWithPassword({ email: old, password: 'staple battery' })).error).toBeNull()
  })
})
