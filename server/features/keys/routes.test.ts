import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  // One test corrupts a stored key on purpose, which the server logs as an error.
  server = await startTestServer({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
})

const create = async (name: unknown = 'Mine') => person.call('POST', '/api/keys', { body: { name } })
const revealRows = async (accountOf: TestSession) =>
  (
    await server.db.pool.query(
      `select action, target, detail from audit_log l join accounts a on a.id = l.account_id
       where a.personal_of = $1 and action like 'key.%' order by l.id`,
      [accountOf.userId],
    )
  ).rows

describe('POST /api/keys', () => {
  test('creates a key and answers 201 with its full value', async () => {
    const { status, body } = await create('  Läuft in 東京 🚀  ')
    expect(status).toBe(201)
    expect(body).toEqual({
      success: true,
      data: {
        apiKey: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          name: 'Läuft in 東京 🚀',
          unkey: expect.stringMatching(/^fm_[0-9A-Za-z]{38}$/),
          apiKey: body.data.apiKey.unkey,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          usage_count: 0,
          last_used_at: null,
          last_used_address: null,
          last_used_client: null,
          scopes: null,
          expires_at: null,
          monthly_budget: null,
          budget_left: null,
          rate_limit: null,
          allowed_networks: null,
          previous_until: null,
        },
      },
    })
    expect(await server.deps.keys.verify(body.data.apiKey.unkey)).toMatchObject({ publicId: body.data.apiKey.id })
  })

  test('accepts a name of 1 and of 200 characters, however many bytes', async () => {
    expect((await create('x')).status).toBe(201)
    const long = '🚀'.repeat(200)
    expect((await create(long)).body.data.apiKey.name).toBe(long)
  })

  test.each([
    ['a missing name', {}, 'name: is required'],
    ['a name that is no text', { name: 5 }, 'name: is required'],
    ['an empty name', { name: '' }, 'name: must not be empty'],
    ['a name of spaces', { name: ' \t\n ' }, 'name: must not be empty'],
    ['201 characters', { name: 'x'.repeat(201) }, 'name: must be at most 200 characters'],
    ['a control character', { name: 'a\u0007b' }, 'name: must not contain control characters'],
    ['a NUL', { name: 'a\0b' }, 'name: must not contain control characters'],
    ['half a surrogate pair', '{"name":"a\\ud800"}', 'name: is not valid Unicode'],
    ['a field that does not exist', { name: 'a', admin: true }, 'The request: unknown field "admin"'],
    ['a list', [], 'The request: must be an object'],
  ])('refuses %s and says why', async (_name, body, error) => {
    const answer = await person.call('POST', '/api/keys', { body })
    expect([answer.status, answer.body]).toEqual([400, { success: false, error, code: 'invalid_parameter' }])
    expect((await person.call('GET', '/api/keys')).body.data.apiKeys).toEqual([])
  })

  test('treats a missing body as an empty one', async () => {
    expect((await person.call('POST', '/api/keys')).body.error).toBe('name: is required')
  })

  test.each([
    ['broken JSON', '{"name":', {}, 400, 'bad_json'],
    ['too large a body', `{"name":"${'x'.repeat(2_000_000)}"}`, {}, 413, 'payload_too_large'],
    ['another content type', 'name=a', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ])('refuses %s', async (_name, body, headers, status, code) => {
    const answer = await person.call('POST', '/api/keys', { body, headers })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('stops at 1,000 keys and says what to do', async () => {
    await create()
    await server.db.pool.query(
      `insert into api_keys (public_id, account_id, name, hash, start)
       select gen_random_uuid(), account_id, 'x', sha256(random()::text::bytea), 'fm_xxxxx' from api_keys, generate_series(1, 998)
       where account_id = (select id from accounts where personal_of = $1)`,
      [person.userId],
    )
    const last = await Promise.all(Array.from({ length: 5 }, () => create()))
    expect(last.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409])
    expect(last.find((answer) => answer.status === 409)?.body.error).toContain('Delete one first.')
    expect((await person.call('GET', '/api/keys')).body.data.apiKeys).toHaveLength(1_000)
  })
})

describe('GET /api/keys and /api/keys/{id}', () => {
  test('show the same keys in full, oldest first', async () => {
    const made = [await create('first'), await create('second')].map((answer) => answer.body.data.apiKey)
    const list = await person.call('GET', '/api/keys')
    expect([list.status, list.body]).toEqual([200, { success: true, data: { apiKeys: made } }])
    const one = await person.call('GET', `/api/keys/${made[1].id}`)
    expect([one.status, one.body]).toEqual([200, { success: true, data: { apiKey: made[1] } }])
  })

  test('tell a list from a single key in the audit log: what was sent, how many, without the key', async () => {
    const { id } = (await create()).body.data.apiKey
    await create()
    await person.call('GET', '/api/keys')
    await person.call('GET', `/api/keys/${id}`)
    const session = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect((await revealRows(person)).slice(2)).toEqual([
      { action: 'key.listed', target: null, detail: { keys: 2, session } },
      { action: 'key.revealed', target: id, detail: { keys: 1, session } },
    ])
  })

  test('record repeats of a session once an hour, and other sessions and keys at once', async () => {
    const { id } = (await create()).body.data.apiKey
    const sent = ['key.listed', 'key.revealed']
    const rows = async () => (await revealRows(person)).filter(({ action }) => sent.includes(action)).length
    const look = () => Promise.all([person.call('GET', '/api/keys'), person.call('GET', `/api/keys/${id}`)])
    for (const _ of [1, 2, 3]) await look()
    expect(await rows()).toBe(2)
    const elsewhere = await startSession(server, { userId: person.userId, email: person.email })
    await elsewhere.call('GET', '/api/keys')
    expect(await rows()).toBe(3)
    await create()
    await person.call('GET', `/api/keys/${id}`)
    expect(await rows()).toBe(4)
    await server.db.pool.query(`update audit_log set at = at - interval '61 minutes'`)
    await look()
    expect(await rows()).toBe(6)
  })

  test('keep the key encrypted: no database column contains it', async () => {
    const key = (await create()).body.data.apiKey
    const { rows } = await server.db.pool.query(`select k::text from api_keys k where public_id = $1`, [key.id])
    expect(rows[0].k).not.toContain(key.unkey.slice(8))
    expect(rows[0].k).not.toContain(Buffer.from(key.unkey).toString('hex').slice(16))
  })

  test('mask a key whose copy was moved to another row, instead of failing', async () => {
    const [one, two] = [await create('one'), await create('two')].map((answer) => answer.body.data.apiKey)
    await server.db.pool.query(
      `update api_keys set ciphertext = (select ciphertext from api_keys where public_id = $1) where public_id = $2`,
      [one.id, two.id],
    )
    const { body } = await person.call('GET', '/api/keys')
    expect(body.data.apiKeys.map((key: { unkey: string }) => key.unkey)).toEqual([
      one.unkey,
      `${two.unkey.slice(0, 8)}...`,
    ])
  })
})

describe('DELETE /api/keys/{id}', () => {
  test('deletes for good', async () => {
    const key = (await create()).body.data.apiKey
    const answer = await person.call('DELETE', `/api/keys/${key.id}`)
    expect([answer.status, answer.body]).toEqual([200, { success: true, data: { id: key.id, deleted: true } }])
    expect((await person.call('GET', '/api/keys')).body.data.apiKeys).toEqual([])
    expect((await person.call('DELETE', `/api/keys/${key.id}`)).status).toBe(404)
    const { rows } = await server.db.pool.query(
      `select ciphertext, live from api_keys k join meter_keys m on m.key_id = k.id where public_id = $1`,
      [key.id],
    )
    expect(rows).toEqual([{ ciphertext: null, live: false }])
    expect((await revealRows(person)).at(-1)).toEqual({ action: 'key.deleted', target: key.id, detail: {} })
  })

  test('takes the empty JSON body that browsers send', async () => {
    const key = (await create()).body.data.apiKey
    const answer = await person.call('DELETE', `/api/keys/${key.id}`, {
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(200)
  })
})

describe("another's key", () => {
  test.each(['GET', 'DELETE'])(
    'and a missing, deleted or malformed one get byte-identical replies to %s',
    async (method) => {
      const stranger = await startSession(server)
      const foreign = (await create()).body.data.apiKey.id
      const deleted = (await stranger.call('POST', '/api/keys', { body: { name: 'x' } })).body.data.apiKey.id
      await stranger.call('DELETE', `/api/keys/${deleted}`)
      const ids = [foreign, randomUUID(), deleted, 'abc', encodeURIComponent("' or 1=1 --"), '%00']
      const replies = await Promise.all(ids.map((id) => stranger.call(method, `/api/keys/${id}`)))
      const reply = '{"success":false,"error":"The requested API key could not be found.","code":"not_found"}'
      expect(replies.map((answer) => [answer.status, answer.text])).toEqual(ids.map(() => [404, reply]))
      const headers = replies.map((answer) => [...answer.headers.keys()].sort().join())
      expect(new Set(headers).size).toBe(1)
      expect((await person.call('GET', `/api/keys/${foreign}`)).status).toBe(200)
    },
  )
})

describe('roles', () => {
  test("an admin manages the workspace's keys, a member sees names without values", async () => {
    const [admin, member] = await Promise.all([startSession(server), startSession(server)])
    const headers = { 'x-workspace-id': await joinWorkspace(server, person, admin, 'admin') }
    await joinWorkspace(server, person, member, 'member')
    const key = (await admin.call('POST', '/api/keys', { body: { name: 'Shared' }, headers })).body.data.apiKey
    expect((await person.call('GET', '/api/keys')).body.data.apiKeys).toEqual([key])

    const start = `${key.unkey.slice(0, 8)}...`
    const seen = { ...key, unkey: start, apiKey: start }
    expect((await member.call('GET', '/api/keys', { headers })).body.data.apiKeys).toEqual([seen])
    expect((await member.call('GET', `/api/keys/${key.id}`, { headers })).body.data.apiKey).toEqual(seen)
    const refused = [
      await member.call('POST', '/api/keys', { body: { name: 'x' }, headers }),
      await member.call('DELETE', `/api/keys/${key.id}`, { headers }),
    ]
    expect(refused.map((answer) => [answer.status, answer.body.code])).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
    ])
    expect((await admin.call('DELETE', `/api/keys/${key.id}`, { headers })).status).toBe(200)
  })
})

describe('KEYS_REVEAL=once', () => {
  test('shows the key when it is created, stores no copy, and logs no reveal', async () => {
    const strict = await closeAfterTests(startTestServer({ env: { KEYS_REVEAL: 'once' } }))
    const user = await startSession(strict)
    const key = (await user.call('POST', '/api/keys', { body: { name: 'Once' } })).body.data.apiKey
    expect(key.unkey).toMatch(/^fm_[0-9A-Za-z]{38}$/)
    const start = `${key.unkey.slice(0, 8)}...`
    const seen = { ...key, unkey: start, apiKey: start }
    expect((await user.call('GET', '/api/keys')).body.data.apiKeys).toEqual([seen])
    expect((await user.call('GET', `/api/keys/${key.id}`)).body.data.apiKey).toEqual(seen)
    expect(await strict.deps.keys.verify(key.unkey)).not.toBeNull()
    const { rows } = await strict.db.pool.query(`select ciphertext from api_keys`)
    expect(rows).toEqual([{ ciphertext: null }])
    // Nor one that was stored while the setting was another.
    await strict.db.pool.query(`update api_keys set ciphertext = $1`, [
      strict.deps.secrets.encrypt('api-key', key.unkey, key.id),
    ])
    expect((await user.call('GET', '/api/keys')).body.data.apiKeys).toEqual([seen])
    expect(
      (await strict.db.pool.query(`select from audit_log where action in ('key.listed', 'key.revealed')`)).rowCount,
    ).toBe(0)
  })
})
