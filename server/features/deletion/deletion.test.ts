import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { plansByName } from '../billing/testing/billing.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { erasePeople } from './erase-people.ts'

const server = await closeAfterTests(startTestServer())

const WORDS = { confirmation: 'delete my account' }
const end = (person: TestSession, body: unknown = WORDS) => person.call('POST', '/api/account/deletion', { body })
const moveClock = (by: string) =>
  server.db.pool.query(
    `insert into app_clock (offset_by) values ($1::interval) on conflict (only_row) do update set offset_by = $1::interval`,
    [by],
  )
const dataCall = (key: string) =>
  fetch(`${server.url}/v1/bars/AAPL?range=1mo`, { headers: { authorization: `Bearer ${key}` } })

async function subscribed(email?: string) {
  const person = await startSession(server, email ? { email, userMetadata: { full_name: 'Grace Hopper' } } : {})
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  const key: string = (await person.call('GET', '/api/keys')).body.data.apiKeys[0].unkey
  return { person, key }
}

test.each([
  [{}, 'confirmation: is required: type delete my account'],
  [{ confirmation: 'delete' }, 'confirmation: must be the words: delete my account'],
  [{ confirmation: '' }, 'confirmation: must be the words: delete my account'],
])('%j does not delete an account', async (body, error) => {
  const person = await startSession(server)
  const answer = await end(person, body)
  expect([answer.status, answer.body.error]).toEqual([400, error])
  expect((await person.call('GET', '/api/account/deletion')).body.data).toEqual({ deletion: null })
})

test('keys and plan end at once; deletion can be canceled for fourteen days', async () => {
  const { person, key } = await subscribed()
  expect((await dataCall(key)).status).toBe(200)
  const answer = await end(person, { confirmation: ' Delete my account ' })
  expect(answer.status).toBe(200)
  const { requested_at, due_at } = answer.body.data.deletion
  expect((Date.parse(due_at) - Date.parse(requested_at)) / 86_400_000).toBeCloseTo(14, 3)
  expect((await dataCall(key)).status).toBe(401)
  expect((await person.call('GET', '/api/keys')).body.data.apiKeys).toEqual([])
  expect((await person.call('GET', '/api/billing/subscription')).body.data.subscription).toBeNull()
  await vi.waitUntil(() => server.mailbox!.list(person.email).length > 0, { timeout: 120_000 })
  expect(server.mailbox!.list(person.email)[0]!.subject).toBe('Your account will be deleted')

  const created = await person.call('POST', '/api/keys', { body: { name: 'Too late' } })
  expect([created.status, created.body.error]).toEqual([
    409,
    'This account is being deleted. Keep it in Settings first.',
  ])
  expect((await end(person)).body.data.deletion.due_at).toBe(due_at)
  expect((await person.call('DELETE', '/api/account/deletion')).body.data).toEqual({ deletion: null })
  expect((await person.call('POST', '/api/keys', { body: { name: 'Again' } })).status).toBe(201)
  expect((await dataCall(key)).status).toBe(401)
})

test('is refused while the workspace has other members', async () => {
  const [host, guest] = await Promise.all([startSession(server), startSession(server)])
  await joinWorkspace(server, host, guest, 'member')
  const answer = await end(host)
  expect([answer.status, answer.body.error]).toEqual([
    409,
    'The workspace Personal has other members. Transfer it to one of them, or remove them first.',
  ])
  expect((await end(guest)).status).toBe(200)
  await guest.call('DELETE', '/api/account/deletion')
})

test('nothing is bought or redeemed for an account that is being deleted', async () => {
  const person = await startSession(server)
  await end(person)
  for (const [method, path, body] of [
    ['POST', '/api/billing/subscribe-free-plan', {}],
    ['POST', '/api/billing/checkout', { priceId: (await plansByName(person)).Pro!.priceId }],
    ['POST', '/api/billing/credits/topup', { packs: 1, requestId: randomUUID() }],
    ['POST', '/api/billing/credits/auto-topup', { enabled: true }],
  ] as const) {
    const answer = await person.call(method, path, { body })
    expect([answer.status, answer.body.error], path).toEqual([
      409,
      'This account is being deleted. Keep it in Settings first.',
    ])
  }
  expect((await person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: false } })).status).toBe(200)
  expect((await person.call('GET', '/api/keys')).body.data.apiKeys).toEqual([])
  await person.call('DELETE', '/api/account/deletion')
  expect((await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })).status).toBe(200)
})

test("both the request and its cancellation are in the person's own audit log, whichever workspace is selected", async () => {
  const [host, guest] = await Promise.all([startSession(server), startSession(server)])
  const headers = { 'x-workspace-id': await joinWorkspace(server, host, guest, 'admin') }
  await guest.call('POST', '/api/account/deletion', { body: WORDS, headers })
  await guest.call('DELETE', '/api/account/deletion', { headers })
  const acts = async (person: TestSession) =>
    (await person.call('GET', '/api/audit?area=account')).body.data.entries.map((one: { action: string }) => one.action)
  expect(await acts(guest)).toEqual(['account.deletion_cancelled', 'account.deletion_requested', 'account.created'])
  expect(await acts(host)).toEqual(['account.created'])
})

test('after the last day the data is gone, bookkeeping stays, and the token no longer works', async () => {
  const { person, key } = await subscribed('grace@example.com')
  const friend = await startSession(server)
  await dataCall(key)
  await friend.call('POST', '/api/team/invitations', { body: { email: 'grace@example.com' } })
  const { rows: accounts } = await server.db.pool.query(`select id from accounts where personal_of = $1`, [
    person.userId,
  ])
  const accountId = accounts[0].id
  await server.db.pool.query(
    `insert into invoices (id, account_id, number, status, amount_cents, created_at) values ('in_kept', $1, 'FIN-1', 'paid', 1900, app_now())`,
    [accountId],
  )
  await end(person)
  try {
    await moveClock('13 days')
    expect(await erasePeople(server.deps)).toBe(0)
    await moveClock('15 days')
    expect(await erasePeople(server.deps)).toBe(1)
    expect(await erasePeople(server.deps)).toBe(0)
  } finally {
    await server.db.pool.query('delete from app_clock')
  }

  const { rows: tables } = await server.db.pool.query(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('public', 'auth', 'm00') and table_type = 'BASE TABLE' and table_name not like 'kysely%' and table_name <> 'mail_outbox'`,
  )
  for (const { name } of tables) {
    const { rows } = await server.db.pool.query(
      `select t::text as row from ${name} t where t::text ilike '%grace@example.com%' or t::text ilike '%Grace Hopper%'`,
    )
    expect(rows, name).toEqual([])
  }
  const kept = await server.db.pool.query(`select number, amount_cents from invoices where account_id = $1`, [
    accountId,
  ])
  expect(kept.rows).toContainEqual({ number: 'FIN-1', amount_cents: 1900 })
  expect((await server.db.pool.query(`select from audit_log where account_id = $1`, [accountId])).rows).toEqual([])
  expect(await checkInvariants(server.db)).toEqual([])
  const late = await person.call('GET', '/api/auth/profile')
  expect([late.status, late.body.code]).toEqual([401, 'unauthorized'])
  expect((await friend.call('GET', '/api/auth/profile')).status).toBe(200)
})
