import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const server = await closeAfterTests(startTestServer())

const read = async (person: TestSession, query = '', headers?: Record<string, string>) =>
  (await person.call('GET', `/api/audit${query}`, { headers })).body.data

test('tells who did what to which, newest first, by the names of today', async () => {
  const person = await startSession(server, {
    userMetadata: { full_name: 'Ada Lovelace', avatar_url: 'https://pictures.example.com/ada.png' },
  })
  const { id } = (await person.call('POST', '/api/keys', { body: { name: 'Backtests' } })).body.data.apiKey
  await person.call('DELETE', `/api/keys/${id}`)
  const { entries, nextCursor } = await read(person)
  expect(nextCursor).toBeNull()
  const actor = { kind: 'user', name: 'Ada Lovelace', avatar_url: 'https://pictures.example.com/ada.png', you: true }
  expect(entries).toEqual([
    { id: expect.any(Number), time: expect.any(String), actor, action: 'key.deleted', target: 'Backtests', detail: {} },
    { id: expect.any(Number), time: expect.any(String), actor, action: 'key.created', target: 'Backtests', detail: {} },
    {
      id: expect.any(Number),
      time: expect.any(String),
      actor,
      action: 'account.created',
      target: expect.any(String),
      detail: {},
    },
  ])
})

test("holds the reader's own sign-ins, nobody else's", async () => {
  const [one, other] = await Promise.all([startSession(server), startSession(server)])
  await Promise.all([one.call('GET', '/api/keys'), other.call('GET', '/api/keys')])
  await server.db.pool.query(
    `insert into audit_log (actor, action, target) values ($1, 'auth.signed_in', 'a'), ($2, 'auth.signed_in', 'b')`,
    [`user:${one.userId}`, `user:${other.userId}`],
  )
  const { entries } = await read(one, '?area=auth')
  expect(entries.map((entry: { target: string }) => entry.target)).toEqual(['a'])
})

test('tells the person of what somebody else did to their sign-in, by the name of who did it', async () => {
  const [one, helper] = await Promise.all([
    startSession(server),
    startSession(server, { userMetadata: { full_name: 'Grace Hopper' } }),
  ])
  await Promise.all([one.call('GET', '/api/keys'), helper.call('GET', '/api/keys')])
  await server.db.pool.query(
    `insert into audit_log (actor, subject, action, target)
     values ($1, $3, 'auth.user_changed_by_admin', 'a'), ('system:service_key', $3, 'auth.link_made_by_admin', 'b'), ($2, null, 'auth.signed_in', 'c')`,
    [`user:${helper.userId}`, `user:${one.userId}`, one.userId],
  )
  const entriesOf = async (person: TestSession) =>
    (await read(person, '?area=auth')).entries.map((entry: { target: string; actor: object }) => [
      entry.target,
      entry.actor,
    ])
  expect(await entriesOf(one)).toEqual([
    ['c', { kind: 'user', name: expect.any(String), avatar_url: null, you: true }],
    ['b', { kind: 'system', name: 'service_key', avatar_url: null, you: false }],
    ['a', { kind: 'user', name: 'Grace Hopper', avatar_url: null, you: false }],
  ])
  expect(await entriesOf(helper)).toEqual([])
})

test('comes in pages that neither skip nor repeat, and by area', async () => {
  const person = await startSession(server)
  for (let n = 0; n < 7; n += 1) await person.call('POST', '/api/keys', { body: { name: `Key ${n}` } })
  const seen: string[] = []
  let cursor = ''
  do {
    const page = await read(person, `?limit=3&area=key${cursor && `&cursor=${cursor}`}`)
    seen.push(...page.entries.map((entry: { target: string }) => entry.target))
    cursor = page.nextCursor
  } while (cursor)
  expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `Key ${n}`))
})

test('finds a transfer among the members and a purchase among the billing', async () => {
  const [host, guest] = await Promise.all([startSession(server), startSession(server)])
  const headers = { 'x-workspace-id': await joinWorkspace(server, host, guest, 'member') }
  await host.call('POST', '/api/billing/credits/topup', { body: { packs: 1 } })
  await host.call('PUT', '/api/billing/alert-webhook', { body: { url: 'https://example.com/alerts' } })
  await host.call('POST', '/api/team/transfer', { body: { userId: guest.userId } })
  for (const [area, action] of [
    ['member', 'ownership.transferred'],
    ['plan', 'topup.started'],
    ['preferences', 'alert_webhook.changed'],
  ]) {
    const { entries } = (await guest.call('GET', `/api/audit?area=${area}`, { headers })).body.data
    expect(entries.map((one: { action: string }) => one.action)).toEqual([action])
  }
})

test('does not name the key or the person of another workspace', async () => {
  const [host, guest] = await Promise.all([startSession(server), startSession(server)])
  const id = await joinWorkspace(server, host, guest, 'admin')
  await server.db.pool.query(`delete from account_members where user_id = $1 and role = 'admin'`, [guest.userId])
  const refused = await guest.call('GET', '/api/audit', { headers: { 'x-workspace-id': id } })
  expect(refused.status).toBe(404)
})

test.each([
  ['?limit=0', 'limit'],
  ['?limit=101', 'limit'],
  ['?cursor=x', 'cursor'],
  ["?cursor=1'", 'cursor'],
  ['?area=nothing', 'area'],
  ['?more=1', 'The request'],
])('%s is refused', async (query, names) => {
  const person = await startSession(server)
  const answer = await person.call('GET', `/api/audit${query}`)
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter'])
  expect(answer.body.error).toContain(names)
})
