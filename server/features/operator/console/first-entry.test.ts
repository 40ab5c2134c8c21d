import { GoTrueClient } from '@supabase/auth-js'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { runAdmin } from '#server/testing/run-admin.ts'
import { call, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../../auth/testing/auth-server.ts'
import { cookieOf, enterConsole, openConsole } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const addOperator = (email: string, on: TestServer = server) =>
  on.db.pool.query(`insert into operators (email, role, added_by) values ($1, 'viewer', 'test')`, [email])
const enter = async (person: TestSession, code?: string | undefined) =>
  (await person.call('POST', '/operator/session', { body: { code } })).status
/** A person of our own sign-in; `confirmed`: the address is. */
async function newcomer(email: string, confirmed: boolean): Promise<TestSession> {
  const person = await startSession(server, { email })
  await server.db.pool.query(
    'update auth.users set email = $2, email_confirmed_at = case when $3 then app_now() end where id = $1',
    [person.userId, email, confirmed],
  )
  return person
}
const codeIn = (text: string) => /\/login\?next=\/operator#([\w-]{43})/.exec(text)![1]

describe('the first entry', () => {
  test('needs an address that was confirmed, or the link that an owner has mailed', async () => {
    const owner = await openConsole(server, 'owner')
    const email = 'invited@example.com'
    const person = await newcomer(email, false)
    await owner.act('/operators', { email, role: 'viewer' })
    expect(await enter(person)).toBe(404)
    await expect.poll(() => server.mailbox!.list(email).length).toBe(1)
    const [mail] = server.mailbox!.list(email)
    const code = codeIn(mail!.text)!
    expect(mail!.text).toContain('within 7 days, and sign in as invited@example.com')
    expect(await enter(await newcomer('stranger@example.com', true), code)).toBe(404)
    expect(await enter(person, 'a'.repeat(43))).toBe(404)
    expect(await enter(person, code)).toBe(200)
    // Entered once, the person comes back without it, and nobody else comes with it.
    expect(await enter(person)).toBe(200)
    expect(await enter(await startSession(server, { email }), code)).toBe(404)
  })

  test('with a confirmed address needs nothing else', async () => {
    const person = await newcomer('confirmed@example.com', true)
    await addOperator('confirmed@example.com')
    expect(await enter(person)).toBe(200)
  })

  test('the link ends after seven days, and a new one replaces it', async () => {
    const email = 'late@example.com'
    const person = await newcomer(email, false)
    const add = async () => codeIn((await runAdmin(server.databaseUrl, ['operator', 'add', email])).out)
    const [first, second] = [await add(), await add()]
    expect(await enter(person, first)).toBe(404)
    await server.db.pool.query(
      `update operators set entry_until = entry_until - interval '7 days' where email = '${email}'`,
    )
    expect(await enter(person, second)).toBe(404)
    expect(await enter(person, await add())).toBe(200)
    expect((await runAdmin(server.databaseUrl, ['operator', 'add', email, '--role', 'support'])).out).toBe(
      'late@example.com is an operator with the role support.\n',
    )
  })

  test('a body that is no link is no error', async () => {
    const person = await newcomer('odd@example.com', true)
    for (const body of [{ code: 1 }, { code: 'x'.repeat(200) }, [], undefined])
      expect((await person.call('POST', '/operator/session', { body })).status).toBe(404)
  })
})

describe('where addresses are taken for theirs', () => {
  let open: TestServer
  beforeAll(async () => {
    open = await closeAfterTests(
      startTestServer({ env: { SANDBOX: 'on', AUTH_AUTOCONFIRM: 'on', AUTH_PASSWORD_SIGNUP: 'on' } }),
    )
  })
  const client = () => new GoTrueClient({ url: `${open.url}/auth/v1`, autoRefreshToken: false, persistSession: false })
  const post = async (token: string, code: string | null) =>
    (
      await call(open, 'POST', '/operator/session', {
        headers: { authorization: `Bearer ${token}` },
        body: { code },
      })
    ).status

  test.each(['a sign-up', 'a changed address'])(
    '%s with AUTH_AUTOCONFIRM does not enter, not even later',
    async (way) => {
      const email = way === 'a sign-up' ? 'boss@example.com' : 'chief@example.com'
      const stranger = client()
      const { data } = await stranger.signUp({
        email: way === 'a sign-up' ? email : 'someone@example.com',
        password: 'correct horse',
      })
      let token = data.session!.access_token
      if (way !== 'a sign-up') {
        await stranger.updateUser({ email })
        token = (await stranger.refreshSession()).data.session!.access_token
      }
      const { out } = await runAdmin(open.databaseUrl, ['operator', 'add', email])
      expect(await post(token, null)).toBe(404)
      // The operator would share the account with its stranger.
      expect(await post(token, codeIn(out)!)).toBe(404)
    },
  )

  test('a code in a mail does not clear what a stranger began', async () => {
    const email = 'director@example.com'
    await client().signUp({ email, password: 'correct horse' })
    await addOperator(email, open)
    const owner = client()
    await owner.signInWithOtp({ email })
    await expect.poll(() => open.mailbox!.list(email).length).toBeGreaterThan(0)
    const token = /\b\d{6}\b/.exec(open.mailbox!.list(email)[0]!.text)![0]
    const { data } = await owner.verifyOtp({ type: 'email', email, token })
    expect(await post(data.session!.access_token, null)).toBe(404)
  })
})

test('with another sign-in service, whose addresses may be anything, the first entry needs the link', async () => {
  const hosted = await closeAfterTests(startAuthServer({ env: { AUTH_AUTOCONFIRM: 'on' } }))
  const product = await closeAfterTests(
    startTestServer({ env: { AUTH_URL: hosted.url, AUTH_ANON_KEY: 'publishable-key' } }),
  )
  const email = 'far@example.com'
  const { out } = await runAdmin(product.databaseUrl, ['operator', 'add', email])
  const auth = new GoTrueClient({ url: `${hosted.url}/auth/v1`, autoRefreshToken: false, persistSession: false })
  const { data } = await auth.signUp({ email, password: 'correct horse' })
  const headers = { authorization: `Bearer ${data.session!.access_token}` }
  const post = (code: string | null) => call(product, 'POST', '/operator/session', { headers, body: { code } })
  expect((await post(null)).status).toBe(404)
  const entered = await post(codeIn(out)!)
  expect(entered.status).toBe(200)
  const session = await call(product, 'GET', '/operator/api/session', { headers: { cookie: cookieOf(entered) } })
  expect(session.body.data).toMatchObject({ email, role: 'owner' })
})

describe('a second factor that was just added', () => {
  /** An operator who enters for the first time since, by a factor that they have had for so long. */
  async function withFactor(ageHours: number, { let: isLet = false } = {}) {
    const provedAt = Math.floor(Date.now() / 1000)
    const email = `factor-${ageHours}-${isLet}@example.com`
    const person = await startSession(server, { email, provedAt })
    await server.db.pool.query(
      `with f as (insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, verified_at)
          values (gen_random_uuid(), $1, 'totp', 'verified', now() - interval '30 days', now() - make_interval(hours => $2)) returning id),
        m as (insert into auth.session_methods (session_id, method, factor_id)
          select s.id, 'totp', f.id from auth.sessions s, f where s.user_id = $1)
      insert into operators (email, role, added_by, user_id, factors_let_until)
      values ($3, 'owner', 'test', $1, case when $4 then now() + interval '1 day' end)`,
      [person.userId, ageHours, email, isLet],
    )
    const cookie = cookieOf(await enterConsole(person))
    const session = await call(server, 'GET', '/operator/api/session', { headers: { cookie } })
    const headers = { cookie, 'x-csrf-token': session.body.data.csrf_token }
    const send = (path: string, more: object = {}) =>
      call(server, 'POST', `/operator/api${path}`, {
        headers,
        body: { act_id: crypto.randomUUID(), reason: 'Asked for by the customer', ...more },
      })
    return { email, send, act: () => send('/operators', { email: 'x@example.com', role: 'viewer' }) }
  }

  test('confirms nothing about money and people for a day, however long it was prepared', async () => {
    const { act, send, email } = await withFactor(0)
    const { status, body } = await act()
    expect([status, body.code]).toEqual([403, 'forbidden'])
    expect(body.error).toMatch(
      /^Your second factor is new: it confirms this from 20\d\d-\d\d-\d\dT\d\d:\d\d UTC\. If it cannot wait, run on the server: npm run admin -- operator trust-factor factor-0-false@example\.com$/,
    )
    // Other changes need no fresh proof, and may be made.
    expect((await send('/shop/check', { shop: {} })).body.code).toBe('invalid_parameter')
    expect((await runAdmin(server.databaseUrl, ['operator', 'trust-factor', email])).out).toBe(
      'The second factor of this person counts at once, and so does one that they add within a day.\n',
    )
    expect((await act()).status).toBe(200)
    const { rows } = await server.db.pool.query('select action from operator_log where target = $1', [email])
    expect(rows).toEqual([{ action: 'operator.factor_trusted' }])
  })

  test('another owner may let it count in the console, never its own person', async () => {
    const { act, send, email } = await withFactor(1)
    const idOf = async (one: string) =>
      (await server.db.pool.query('select id from operators where email = $1', [one])).rows[0].id
    const path = `/operators/${await idOf(email)}/trust-factor`
    expect((await send(path)).status).toBe(403)
    const owner = await openConsole(server, 'owner')
    const own = await owner.act(`/operators/${await idOf(owner.email)}/trust-factor`)
    expect([own.status, own.body.code, own.body.error]).toEqual([
      403,
      'forbidden',
      'Another owner has to do this for you, or the command line.',
    ])
    expect((await owner.act('/operators/999999/trust-factor')).body.code).toBe('not_found')
    expect((await owner.act(path, { reason: 'short' })).body.code).toBe('invalid_parameter')
    expect((await act()).status).toBe(403)
    expect((await owner.act(path)).body.data).toEqual({ trusted: true })
    expect((await act()).status).toBe(200)
    const { rows } = await server.db.pool.query('select operator, action, reason from operator_log where target = $1', [
      email,
    ])
    expect(rows).toEqual([
      { operator: owner.email, action: 'operator.factor_trusted', reason: 'Asked for by the customer' },
    ])
  })

  test('counts a day later, and at once for a person who was added within the day', async () => {
    expect((await (await withFactor(23)).act()).status).toBe(403)
    expect((await (await withFactor(25)).act()).status).toBe(200)
    expect((await (await withFactor(0, { let: true })).act()).status).toBe(200)
  })

  test('with another sign-in service, it is new for a day after it was first seen', async () => {
    const operator = await openConsole(server, 'owner')
    await server.db.pool.query(
      `with o as (update operators set factor_seen_at = now() where email = $1 returning id)
       update operator_sessions s set factor_since = now() from o where s.operator_id = o.id`,
      [operator.email],
    )
    expect((await operator.act('/operators', { email: 'y@example.com', role: 'viewer' })).status).toBe(403)
  })
})
