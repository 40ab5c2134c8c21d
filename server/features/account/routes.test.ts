import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { call, joinWorkspace, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const server = await closeAfterTests(startTestServer())

const count = async (table: string, where: string): Promise<number> =>
  (await server.db.pool.query(`select count(*) as n from ${table} where ${where}`)).rows[0].n

const UNAUTHORIZED = '{"success":false,"error":"User is not authenticated. Please log in.","code":"unauthorized"}'

describe('the session guard', () => {
  // Every row of the specification's table, and not what the product says that it has.
  const routes = [
    ['GET', '/api/auth/profile'],
    ['POST', '/api/auth/callback'],
    ['GET', '/api/keys'],
    ['GET', `/api/keys/${randomUUID()}`],
    ['POST', '/api/keys'],
    ['DELETE', `/api/keys/${randomUUID()}`],
    ['GET', `/api/keys/${randomUUID()}/analytics`],
    ['GET', '/api/usage'],
    ['POST', '/api/usage/log'],
    ['GET', '/api/billing/plans'],
    ['GET', '/api/billing/plans/prod_free'],
    ['POST', '/api/billing/checkout'],
    ['POST', '/api/billing/portal'],
    ['GET', '/api/billing/subscription'],
    ['GET', '/api/billing/credits'],
    ['POST', '/api/billing/credits/topup'],
    ['POST', '/api/billing/credits/auto-topup'],
    ['GET', '/api/billing/preferences'],
    ['PUT', '/api/billing/preferences'],
    ['POST', '/api/billing/subscribe-free-plan'],
    ['GET', '/billing/invoices'],
    ['GET', '/api/playground/servers/finmeter/tools'],
    ['POST', '/api/playground/servers/finmeter/tools/add/call'],
    ['GET', '/api/playground/servers/finmeter/resources'],
    ['POST', '/api/playground/servers/finmeter/resources/get'],
    ['GET', '/api/playground/health'],
    ['GET', '/api/playground/stream'],
  ] as const

  test('a path that no route has is not found, so that 401 means that one does', async () => {
    for (const path of ['/api/nothing', '/api/playground/servers/finmeter/nothing', '/billing/nothing'])
      expect((await call(server, 'GET', path)).status).toBe(404)
  })

  test.each(routes)(
    '%s %s answers 401 in the envelope without a session, before the body is looked at',
    async (method, path) => {
      // The callback may have its token in the body, and so reads that first.
      const unread = path === '/api/auth/callback' ? {} : 'not json'
      const body = method === 'POST' || method === 'PUT' ? unread : undefined
      for (const authorization of [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        'Basic abc',
        'Bearer not.a.token',
        'Bearer a b',
      ]) {
        const answer = await call(server, method, path, {
          body,
          headers: authorization === undefined ? {} : { authorization },
        })
        expect([answer.status, answer.text]).toEqual([401, UNAUTHORIZED])
      }
    },
  )

  test.each(routes)('%s %s keeps answers out of every cache', async (method, path) => {
    const person = await startSession(server)
    const answer = await person.call(method, path, method === 'GET' || method === 'DELETE' ? {} : { body: {} })
    if (answer.status < 400) expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.body).toHaveProperty('success', answer.status < 400)
  })

  test('a first visit of 50 requests at once makes one profile, account, membership and credit account', async () => {
    const person = await startSession(server)
    const answers = await Promise.all(Array.from({ length: 50 }, () => person.call('GET', '/api/auth/profile')))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(await count('profiles', `user_id = '${person.userId}'`)).toBe(1)
    expect(await count('accounts', `personal_of = '${person.userId}'`)).toBe(1)
    expect(await count('account_members', `user_id = '${person.userId}' and role = 'owner'`)).toBe(1)
    expect(
      await count('credit_accounts c join accounts a on a.id = c.account_id', `a.personal_of = '${person.userId}'`),
    ).toBe(1)
    expect(await count('audit_log', `action = 'account.created' and actor = 'user:${person.userId}'`)).toBe(1)
  })
})

describe('workspaces', () => {
  test('the Personal one is the default and stands first', async () => {
    const [host, guest] = await Promise.all([startSession(server), startSession(server)])
    const shared = await joinWorkspace(server, host, guest, 'member')
    const { status, body } = await guest.call('GET', '/api/workspaces')
    expect(status).toBe(200)
    expect(body.data.workspaces).toEqual([
      { id: expect.any(String), name: 'Personal', role: 'owner', personal: true },
      { id: shared, name: `${host.email}’s workspace`, role: 'member', personal: false },
    ])
    expect((await guest.call('GET', '/api/auth/profile')).body.data.workspace).toEqual(body.data.workspaces[0])
    const selected = await guest.call('GET', '/api/auth/profile', { headers: { 'x-workspace-id': shared } })
    expect(selected.body.data.workspace).toEqual(body.data.workspaces[1])
  })

  test("another's, a missing and a malformed workspace get the same reply", async () => {
    const [owner, stranger] = await Promise.all([startSession(server), startSession(server)])
    const foreign = (await owner.call('GET', '/api/workspaces')).body.data.workspaces[0].id
    const replies = await Promise.all(
      [foreign, randomUUID(), 'x', '', "' or 1=1"].map((id) =>
        stranger.call('GET', '/api/keys', { headers: { 'x-workspace-id': id } }),
      ),
    )
    expect(replies.map((reply) => reply.status)).toEqual([404, 404, 404, 404, 404])
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1)
    expect(replies[0]?.body.code).toBe('not_found')
  })

  test('a membership that ends, ends with the next request', async () => {
    const [host, guest] = await Promise.all([startSession(server), startSession(server)])
    const id = await joinWorkspace(server, host, guest, 'admin')
    const ask = () => guest.call('GET', '/api/keys', { headers: { 'x-workspace-id': id } })
    expect((await ask()).status).toBe(200)
    await server.db.pool.query(`delete from account_members where user_id = '${guest.userId}' and role = 'admin'`)
    expect((await ask()).status).toBe(404)
  })
})

describe('GET /api/auth/profile', () => {
  test('shows the user of the token', async () => {
    const person = await startSession(server, {
      email: 'ada@example.com',
      userMetadata: { full_name: 'Ada Lovelace', avatar_url: 'https://example.com/a.png' },
    })
    const { status, body } = await person.call('GET', '/api/auth/profile')
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: {
        user: {
          id: person.userId,
          email: 'ada@example.com',
          user_metadata: { full_name: 'Ada Lovelace', avatar_url: 'https://example.com/a.png' },
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        },
        workspace: { id: expect.any(String), name: 'Personal', role: 'owner', personal: true },
      },
    })
  })

  test('leaves out metadata that is not what its name says', async () => {
    const odd = {
      full_name: { first: 'A' },
      name: 'nul\0',
      avatar_url: 'javascript:alert(1)',
      picture: 'x'.repeat(5_000),
    }
    const person = await startSession(server, { userMetadata: odd })
    const { body } = await person.call('GET', '/api/auth/profile')
    expect(body.data.user.user_metadata).toEqual({ full_name: null, avatar_url: null })
  })
})

describe('POST /api/auth/callback', () => {
  const post = (body: unknown, headers?: Record<string, string>) =>
    call(server, 'POST', '/api/auth/callback', { body, headers })

  test('brings the profile up to date from the token and believes nothing of the posted user', async () => {
    const before = await startSession(server, { userMetadata: { full_name: 'Old Name' } })
    await before.call('GET', '/api/auth/profile')
    const now = await startSession(server, {
      userId: before.userId,
      email: 'new@example.com',
      userMetadata: { full_name: 'New Name' },
    })
    const { status, body } = await post({
      access_token: now.token,
      refresh_token: 'refresh',
      user: { id: randomUUID(), email: 'evil@example.com', user_metadata: { full_name: 'Evil' } },
    })
    expect(status).toBe(200)
    expect(body.data.user).toMatchObject({
      id: before.userId,
      email: 'new@example.com',
      user_metadata: { full_name: 'New Name' },
    })
    expect((await before.call('GET', '/api/auth/profile')).body.data.user).toEqual(body.data.user)
  })

  test('makes what a new person needs', async () => {
    const person = await startSession(server)
    expect((await post({ access_token: person.token })).status).toBe(200)
    expect(await count('accounts', `personal_of = '${person.userId}'`)).toBe(1)
  })

  test('takes the bearer token where the body names none', async () => {
    const person = await startSession(server)
    const { status, body } = await person.call('POST', '/api/auth/callback', { body: {} })
    expect([status, body.data.user.id]).toEqual([200, person.userId])
  })

  test.each([
    ['an altered token', { access_token: 'a.b.c' }, 401, 'unauthorized'],
    ['no token', {}, 401, 'unauthorized'],
    ['no body', undefined, 401, 'unauthorized'],
    ['a token that is no text', { access_token: 7 }, 400, 'invalid_parameter'],
    ['an empty token', { access_token: '' }, 400, 'invalid_parameter'],
    ['a token without end', { access_token: 'a'.repeat(20_000) }, 400, 'invalid_parameter'],
    ['no object', [], 400, 'invalid_parameter'],
    ['no JSON', '{', 400, 'bad_json'],
    ['two megabytes', JSON.stringify({ access_token: 'a'.repeat(2_000_000) }), 413, 'payload_too_large'],
  ])('refuses %s', async (_name, body, status, code) => {
    const answer = await post(body)
    expect([answer.status, answer.body.code, answer.body.success]).toEqual([status, code, false])
  })

  test('refuses another content type', async () => {
    const answer = await post('<a/>', { 'content-type': 'application/xml' })
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
  })
})
