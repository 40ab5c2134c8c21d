import { randomUUID } from 'node:crypto'
import { GoTrueAdminApi } from '@supabase/auth-js'
import bcrypt from 'bcryptjs'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { call, refusal, refusalCode } from '../testing/call.ts'
import { readCodeMail } from '../testing/mail.ts'
import { createClient, signIn } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())
const key = await server.accessTokens.signServiceKey()
const admin = new GoTrueAdminApi({ url: `${server.url}/auth/v1`, headers: { Authorization: `Bearer ${key}` } })

const newEmail = () => `${randomUUID().slice(0, 8)}@example.com`

describe('the admin calls', () => {
  it('need a service key', async () => {
    expect(refusal(await call(server, 'GET', '/admin/users'))).toBe(
      '401 no_authorization: This endpoint requires a valid Bearer token',
    )
    const { session } = await signIn(server.url, { provider: 'google', email: newEmail() })
    for (const [method, path] of [
      ['GET', '/admin/users'],
      ['POST', '/admin/users'],
      ['GET', `/admin/users/${session.user.id}`],
      ['PUT', `/admin/users/${session.user.id}`],
      ['DELETE', `/admin/users/${session.user.id}`],
      ['GET', `/admin/users/${session.user.id}/factors`],
      ['DELETE', `/admin/users/${session.user.id}/factors/${session.user.id}`],
      ['POST', '/admin/generate_link'],
      ['POST', '/invite'],
    ] as const)
      expect(refusal(await call(server, method, path, { token: session.access_token }))).toBe(
        '403 not_admin: User not allowed',
      )
    expect(refusal(await call(server, 'GET', '/user', { token: key }))).toBe(
      '403 bad_jwt: invalid claim: missing sub claim',
    )
  })

  it('end with the session of a person whose role allows them', async () => {
    const { session, client } = await signIn(server.url, { provider: 'google', email: newEmail() })
    await admin.updateUserById(session.user.id, { role: 'supabase_admin' })
    const { data } = await client.refreshSession()
    const token = data.session!.access_token
    expect((await call(server, 'GET', '/admin/users', { token })).status).toBe(200)
    await client.signOut({ scope: 'local' })
    expect(refusalCode(await call(server, 'GET', '/admin/users', { token }))).toBe('403 session_not_found')
  })

  it('make, read, change and delete a person', async () => {
    const email = newEmail()
    const made = await admin.createUser({
      email,
      password: 'correct horse',
      user_metadata: { team: 'blue' },
      app_metadata: { plan: 'x' },
    })
    expect(made.error).toBeNull()
    expect(made.data.user).toMatchObject({
      email,
      user_metadata: { team: 'blue' },
      app_metadata: { plan: 'x', provider: 'email' },
    })
    expect(made.data.user?.user_metadata).toEqual({ team: 'blue' })
    const id = made.data.user!.id
    const twice = await admin.createUser({ email })
    expect(twice.error).toMatchObject({ status: 422, code: 'email_exists' })
    const changed = await admin.updateUserById(id, { email_confirm: true, user_metadata: { team: null, a: 1 } })
    expect(changed.data.user).toMatchObject({ email_confirmed_at: expect.any(String) })
    expect(changed.data.user?.user_metadata).toEqual({ a: 1, email_verified: true })
    const { client } = createClient(server.url)
    expect((await client.signInWithPassword({ email, password: 'correct horse' })).error).toBeNull()

    await admin.updateUserById(id, { ban_duration: '1h30m' })
    expect((await client.getUser()).error).toMatchObject({
      status: 403,
      code: 'user_banned',
      message: 'User is banned',
    })
    expect((await client.signInWithPassword({ email, password: 'correct horse' })).error?.code).toBe('user_banned')
    await admin.updateUserById(id, { ban_duration: 'none' })
    expect((await client.getUser()).error).toBeNull()

    expect((await admin.deleteUser(id)).error).toBeNull()
    expect((await client.getUser()).error).toMatchObject({ status: 403, code: 'user_not_found' })
    expect((await admin.getUserById(id)).error).toMatchObject({
      status: 404,
      code: 'user_not_found',
      message: 'User not found',
    })
    expect((await admin.deleteUser(id)).error?.status).toBe(404)
  })

  it('delete softly: the address is free again and nothing is left but the id', async () => {
    const email = newEmail()
    const { data } = await admin.createUser({ email, email_confirm: true })
    expect((await admin.deleteUser(data.user!.id, true)).error).toBeNull()
    expect((await admin.createUser({ email })).error).toBeNull()
    const { rows } = await server.db.pool.query(
      'select email, user_metadata, deleted_at from auth.users where id = $1',
      [data.user!.id],
    )
    expect(rows).toEqual([{ email: null, user_metadata: {}, deleted_at: expect.any(Date) }])
  })

  it('take password hashes of a hosted project', async () => {
    const email = newEmail()
    await admin.createUser({ email, email_confirm: true, password_hash: await bcrypt.hash('from elsewhere', 4) })
    const { client } = createClient(server.url)
    expect((await client.signInWithPassword({ email, password: 'from elsewhere' })).error).toBeNull()
    expect((await client.signInWithPassword({ email, password: 'from elsewher' })).error?.code).toBe(
      'invalid_credentials',
    )
    const odd = await admin.createUser({ email: newEmail(), password_hash: 'md5:abc' })
    expect(odd.error).toMatchObject({ status: 400, code: 'validation_failed' })
  })

  it('list the newest person first', async () => {
    const older = await admin.createUser({ email: newEmail() })
    const newer = await admin.createUser({ email: newEmail() })
    const { data } = await admin.listUsers({ page: 1, perPage: 2 })
    expect(data.users.map(({ id }) => id)).toEqual([newer.data.user?.id, older.data.user?.id])
  })

  it('list people in pages', async () => {
    for (let count = 0; count < 3; count++) await admin.createUser({ email: newEmail() })
    const page = await admin.listUsers({ page: 1, perPage: 2 })
    expect(page.data).toMatchObject({ aud: 'authenticated', nextPage: 2, lastPage: expect.any(Number) })
    expect(page.data.users).toHaveLength(2)
    const answer = await call(server, 'GET', '/admin/users?page=2&per_page=2', { token: key })
    expect(Number(answer.headers.get('x-total-count'))).toBeGreaterThanOrEqual(4)
    expect(answer.headers.get('link')).toMatch(/page=\d+&per_page=2>; rel="last"/)
    expect((await call(server, 'GET', '/admin/users?page=1&per_page=2', { token: key })).headers.get('link')).toMatch(
      /page=2&per_page=2>; rel="next", <.*rel="last"/,
    )
    for (const page of ['-1', '0', 'x', '1.5'])
      expect(refusal(await call(server, 'GET', `/admin/users?page=${page}`, { token: key }))).toBe(
        '400 validation_failed: Bad Pagination Parameters: expected whole numbers above 0',
      )
    expect((await call(server, 'GET', '/admin/users?page=999999999', { token: key })).body.users).toEqual([])
  })

  it('list and delete factors', async () => {
    const { client, session } = await signIn(server.url, { provider: 'google', email: newEmail() })
    const userId = session.user.id
    expect((await call(server, 'GET', `/admin/users/${userId}/factors`, { token: key })).body).toEqual([])
    const { data } = await client.mfa.enroll({ factorType: 'totp' })
    expect((await admin.mfa.listFactors({ userId })).data?.factors).toMatchObject([
      { id: data!.id, status: 'unverified' },
    ])
    const remove = () => call(server, 'DELETE', `/admin/users/${userId}/factors/${data!.id}`, { token: key })
    expect((await remove()).body).toMatchObject({ id: data!.id, factor_type: 'totp' })
    expect(refusal(await remove())).toBe('404 mfa_factor_not_found: Factor not found')
  })

  it('invite', async () => {
    const email = newEmail()
    const { data, error } = await admin.inviteUserByEmail(email, { data: { role: 'guest' } })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, invited_at: expect.any(String), user_metadata: { role: 'guest' } })
    const { subject, code } = await readCodeMail(server, email)
    expect(subject).toBe('You are invited to Finmeter')
    const { client } = createClient(server.url)
    expect((await client.verifyOtp({ type: 'invite', email, token: code })).error).toBeNull()
    expect((await admin.inviteUserByEmail(email)).error?.code).toBe('email_exists')
  })

  it.each(['signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new'] as const)(
    'make a link of type %s',
    async (type) => {
      const [email, newAddress] = [newEmail(), newEmail()]
      if (!['signup', 'invite'].includes(type)) await admin.createUser({ email, email_confirm: true })
      const { data, error } = await admin.generateLink({
        type,
        email,
        newEmail: newAddress,
        password: 'correct horse',
        options: { redirectTo: `${server.url}/there` },
      } as Parameters<GoTrueAdminApi['generateLink']>[0])
      expect(error).toBeNull()
      expect(data.properties).toMatchObject({
        action_link: expect.stringContaining(`${server.url}/auth/v1/verify?token=`),
        email_otp: expect.stringMatching(/^\d{6}$/),
        hashed_token: expect.any(String),
        redirect_to: `${server.url}/there`,
      })
      expect(data.user).toMatchObject({ email })
      const { client } = createClient(server.url)
      const verified = await client.verifyOtp({
        token_hash: data.properties!.hashed_token,
        type: data.properties!.verification_type as 'signup',
      })
      expect(verified.error).toBeNull()
      expect(server.mailbox?.list(email)).toEqual([])
    },
  )

  it('refuse links that make no sense', async () => {
    const link = (body: object) => call(server, 'POST', '/admin/generate_link', { token: key, body })
    expect(refusalCode(await link({ type: 'nothing', email: newEmail() }))).toBe('400 validation_failed')
    expect(refusalCode(await link({ type: 'recovery', email: newEmail() }))).toBe('404 user_not_found')
    expect(refusalCode(await link({ type: 'signup', email: newEmail() }))).toBe('400 validation_failed')
  })

  it.each([
    ['POST', '/admin/users', {}, '400 validation_failed'],
    ['POST', '/admin/users', { email: 'not an address' }, '400 validation_failed'],
    ['POST', '/admin/users', { email: 'a@example.com', password: 'short' }, '422 weak_password'],
    ['POST', '/admin/users', { email: 'a@example.com', ban_duration: 'soon' }, '400 validation_failed'],
    ['POST', '/admin/users', { email: 'a@example.com', ban_duration: '1h soon' }, '400 validation_failed'],
    ['GET', '/admin/users/x', undefined, '404 validation_failed'],
    ['PUT', '/admin/users/00000000-0000-4000-8000-000000000000', {}, '404 user_not_found'],
    ['GET', '/admin/users/00000000-0000-4000-8000-000000000000/factors', undefined, '404 user_not_found'],
  ] as const)('%s %s %j answers %s', async (method, path, body, says) => {
    expect(refusalCode(await call(server, method, path, { token: key, body }))).toBe(says)
  })
})
