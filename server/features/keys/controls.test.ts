import { beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { call, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

let person: TestSession
const server = await closeAfterTests(startTestServer({ env: { TRUST_PROXY: '127.0.0.1,::1', LOG_LEVEL: 'silent' } }))
const other = await closeAfterTests(startTestServer({ databaseUrl: server.databaseUrl }))
beforeAll(async () => {
  person = await startSession(server)
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  await server.db.pool.query('update accounts set rate_limit_per_minute = 0')
})

type Key = { id: string; unkey: string } & Record<string, unknown>
const create = async (controls: object = {}): Promise<Key> =>
  (await person.call('POST', '/api/keys', { body: { name: 'Mine', ...controls } })).body.data.apiKey
const change = (id: string, body: unknown) => person.call('PUT', `/api/keys/${id}`, { body })
const rotate = (id: string, body: unknown = {}) => person.call('POST', `/api/keys/${id}/rotate`, { body })

const quote = (key: string, headers: Record<string, string> = {}, at: TestServer = server) =>
  call(at, 'GET', '/v1/quotes?symbols=AAPL', { headers: { 'x-api-key': key, ...headers } })
const listTools = (key: string, headers: Record<string, string> = {}) =>
  call(server, 'POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    headers: { 'x-api-key': key, ...headers },
  })

async function moveClock(interval: string): Promise<void> {
  await server.db.pool.query(
    `insert into app_clock (offset_by) values ($1::interval) on conflict (only_row) do update set offset_by = excluded.offset_by`,
    [interval],
  )
}

describe('scopes', () => {
  test('a key for MCP only opens MCP and not REST, and the other way round', async () => {
    const [mcp, rest] = [await create({ scopes: ['mcp'] }), await create({ scopes: ['rest'] })]
    expect([(await listTools(mcp.unkey)).status, (await quote(rest.unkey)).status]).toEqual([200, 200])
    const refused = await quote(mcp.unkey)
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      403,
      'forbidden',
      'This API key is not allowed to use the REST API.',
    ])
    expect((await listTools(rest.unkey)).status).toBe(403)
  })

  test('a key for reading opens GET requests, also in an address, and neither POST requests nor MCP', async () => {
    const { unkey } = await create({ scopes: ['read'] })
    expect((await quote(unkey)).status).toBe(200)
    const csv = await fetch(`${server.url}/v1/quotes?symbols=AAPL&columns=symbol&format=csv&apikey=${unkey}`)
    expect([csv.status, csv.headers.get('content-type'), await csv.text()]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'symbol\r\nAAPL\r\n',
    ])
    const post = await fetch(`${server.url}/v1/portfolio/analyze?apikey=${unkey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(post.status).toBe(403)
    expect(await post.json()).toMatchObject({
      code: 'forbidden',
      detail: 'This API key is not allowed to use anything but GET requests of the REST API.',
    })
    expect((await listTools(unkey)).status).toBe(403)
  })
})

describe('expiry', () => {
  test('a key ends at its time, on an instance that has it in memory too', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const key = await create({ expiresAt })
    expect(key.expires_at).toBe(expiresAt)
    expect((await quote(key.unkey)).status).toBe(200)
    const soon = new Date(Date.now() + 3_000).toISOString()
    expect((await change(key.id, { expiresAt: soon })).body.data.apiKey.expires_at).toBe(soon)
    await vi.waitFor(async () => expect((await quote(key.unkey)).status).toBe(401), { timeout: 120_000 })
    expect((await change(key.id, { expiresAt: null })).body.data.apiKey.expires_at).toBeNull()
    await vi.waitFor(async () => expect((await quote(key.unkey)).status).toBe(200), { timeout: 120_000 })
  })
})

describe('monthly budget', () => {
  test('ends the calls of the key, not of the account, and begins anew with the month', async () => {
    const key = await create({ monthlyBudget: 2 })
    const free = await create()
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await quote(key.unkey)).status)
    expect(statuses).toEqual([200, 200, 402])
    expect((await quote(key.unkey)).body.code).toBe('key_budget_exceeded')
    expect((await quote(free.unkey)).status).toBe(200)
    const read = async () => (await person.call('GET', `/api/keys/${key.id}`)).body.data.apiKey
    expect(await read()).toMatchObject({ monthly_budget: 2, budget_left: 0 })
    await change(key.id, { monthlyBudget: 5 })
    expect(await read()).toMatchObject({ monthly_budget: 5, budget_left: 5 })
    await quote(key.unkey)
    expect(await read()).toMatchObject({ budget_left: 4 })
    await moveClock('32 days')
    try {
      expect(await read()).toMatchObject({ budget_left: 5 })
    } finally {
      await moveClock('0')
    }
  })

  test('ten calls at once on two instances spend it exactly', async () => {
    const key = await create({ monthlyBudget: 4 })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => quote(key.unkey, {}, i % 2 ? server : other)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, ...Array(6).fill(402)])
  })
})

describe('rate limit', () => {
  test("of the key applies in addition to the account's, and the error names which was hit", async () => {
    const key = await create({ rateLimit: 2 })
    const first = await quote(key.unkey)
    expect([first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
      '"key";q=2;w=60',
      expect.stringMatching(/^"key";r=1;t=\d+$/),
    ])
    await quote(key.unkey)
    const refused = await quote(key.unkey)
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(refused.body.detail).toMatch(/^This API key may make 2 requests per minute\. Try again in \d+ s\.$/)
    expect(refused.headers.get('ratelimit-policy')).toBe('"key";q=2;w=60')
    expect((await quote((await create()).unkey)).status).toBe(200)
    const overMcp = await call(server, 'POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
      headers: { 'x-api-key': key.unkey },
    })
    expect(overMcp.body.result).toMatchObject({ isError: true, _meta: { 'finmeter/error': 'rate_limited' } })
  })
})

describe('networks', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })

  test('admit only listed IPv4 and IPv6 callers, over REST and MCP', async () => {
    const key = await create({ allowedNetworks: ['203.0.113.0/24', '203.0.113.7', '2001:db8::/32'] })
    expect(key.allowed_networks).toEqual(['203.0.113.0/24', '2001:db8::/32'])
    for (const address of ['203.0.113.9', '2001:db8::9', '::ffff:203.0.113.9']) {
      expect((await quote(key.unkey, from(address))).status).toBe(200)
      expect((await listTools(key.unkey, from(address))).status).toBe(200)
    }
    const refused = await quote(key.unkey, from('198.51.100.1'))
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      403,
      'forbidden',
      "This API key may not be used from 198.51.100.1. The key's owner can change its allowed networks.",
    ])
    expect((await listTools(key.unkey, from('198.51.100.1'))).status).toBe(403)
    expect((await quote(key.unkey)).status).toBe(403)
  })

  test('X-Forwarded-For counts only behind a trusted proxy', async () => {
    const key = await create({ allowedNetworks: ['203.0.113.0/24'] })
    expect((await quote(key.unkey, from('203.0.113.9'))).status).toBe(200)
    expect((await quote(key.unkey, from('203.0.113.9'), other)).status).toBe(403)
    // What a caller puts in front of the proxy's entry is not trusted.
    expect((await quote(key.unkey, from('203.0.113.9, 198.51.100.1'))).status).toBe(403)
  })

  test('a change reaches an instance that has the key cached', async () => {
    const key = await create()
    expect([(await quote(key.unkey)).status, (await quote(key.unkey, {}, other)).status]).toEqual([200, 200])
    await change(key.id, { allowedNetworks: ['203.0.113.0/24'] })
    for (const at of [server, other])
      await vi.waitFor(async () => expect((await quote(key.unkey, {}, at)).status).toBe(403), { timeout: 120_000 })
  })
})

describe('rotation', () => {
  test('issues a new value; the old one works until its grace period ends; it stays the same key', async () => {
    const key = await create({ monthlyBudget: 10 })
    await quote(key.unkey)
    const { status, body } = await rotate(key.id, { graceSeconds: 3600 })
    const next = body.data.apiKey
    expect(status).toBe(200)
    expect(next).toMatchObject({ id: key.id, usage_count: 1, monthly_budget: 10, budget_left: 9 })
    expect(next.unkey).not.toBe(key.unkey)
    expect(Date.parse(next.previous_until) - Date.now()).toBeGreaterThan(3_500_000)
    const left = async (value: string) => Number((await quote(value)).headers.get('x-credits-remaining'))
    const before = await left(key.unkey)
    expect(await left(next.unkey)).toBe(before - 1)
    expect((await person.call('GET', `/api/keys/${key.id}`)).body.data.apiKey).toMatchObject({
      unkey: next.unkey,
      budget_left: 7,
      usage_count: 3,
    })
    await rotate(key.id, { graceSeconds: 0 })
    for (const value of [key.unkey, next.unkey])
      await vi.waitFor(async () => expect((await quote(value)).status).toBe(401), { timeout: 120_000 })
  })

  test('the grace period ends on time on an instance that has the old value cached', async () => {
    const key = await create()
    await rotate(key.id, { graceSeconds: 5 })
    expect((await quote(key.unkey, {}, other)).status).toBe(200)
    await vi.waitFor(async () => expect((await quote(key.unkey, {}, other)).status).toBe(401), { timeout: 120_000 })
  })

  test('deleting the key ends both values', async () => {
    const key = await create()
    const next = (await rotate(key.id)).body.data.apiKey
    expect([(await quote(key.unkey)).status, (await quote(next.unkey)).status]).toEqual([200, 200])
    await person.call('DELETE', `/api/keys/${key.id}`)
    for (const value of [key.unkey, next.unkey]) {
      await vi.waitFor(async () => expect((await quote(value)).status).toBe(401), { timeout: 120_000 })
      // Where nothing is charged, the meter refuses nothing.
      expect((await listTools(value)).status).toBe(401)
      expect(await other.deps.keys.verify(value)).toBeNull()
    }
    const { rows } = await server.db.pool.query(
      'select live from meter_keys where key_id = (select id from api_keys where public_id = $1)',
      [key.id],
    )
    expect(rows).toEqual([{ live: false }])
  })

  test('a deleted, a missing and a foreign key get the same reply; an expired one is a conflict', async () => {
    const key = await create()
    await person.call('DELETE', `/api/keys/${key.id}`)
    const stranger = await startSession(server)
    const mine = await create({ expiresAt: new Date(Date.now() + 3_000).toISOString() })
    const replies = [
      await rotate(key.id),
      await rotate('00000000-0000-4000-8000-000000000000'),
      await stranger.call('POST', `/api/keys/${mine.id}/rotate`, { body: {} }),
    ]
    expect(replies.map(({ status, text }) => [status, text])).toEqual(
      Array(3).fill([404, '{"success":false,"error":"The requested API key could not be found.","code":"not_found"}']),
    )
    await vi.waitFor(async () => expect((await rotate(mine.id)).status).toBe(409), { timeout: 120_000 })
  })

  test('the audit log records it, without a value', async () => {
    const key = await create()
    const next = (await rotate(key.id, { graceSeconds: 60 })).body.data.apiKey
    const { rows } = await server.db.pool.query(
      `select action, detail::text from audit_log where target = $1 and action = 'key.rotated'`,
      [key.id],
    )
    expect(rows).toEqual([{ action: 'key.rotated', detail: '{"graceSeconds": 60}' }])
    expect(JSON.stringify(rows)).not.toContain(next.unkey.slice(8))
  })
})

test('the audit log has the former name of a renamed key, and only what was changed', async () => {
  const key = await create({ name: 'Old' })
  await change(key.id, { name: 'New' })
  await change(key.id, { rateLimit: 30 })
  const { rows } = await server.db.pool.query(
    `select detail from audit_log where target = $1 and action = 'key.updated' order by id`,
    [key.id],
  )
  expect(rows).toEqual([{ detail: { name: 'New', formerName: 'Old' } }, { detail: { rateLimit: 30 } }])
})

describe('bad input', () => {
  // Somebody else: the tests above and these together are more than 120 writes in a minute.
  beforeAll(async () => {
    person = await startSession(server)
    await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
    await server.db.pool.query('update accounts set rate_limit_per_minute = 0')
  })

  test.each([
    [{ monthlyBudget: -1 }, 'monthlyBudget: must be at least 1; to stop a key, delete it'],
    [{ monthlyBudget: 0 }, 'monthlyBudget: must be at least 1; to stop a key, delete it'],
    [{ monthlyBudget: 1.5 }, 'monthlyBudget: must be a whole number of credits, or null'],
    [{ monthlyBudget: 1e15 }, 'monthlyBudget: must be at most 1000000000000'],
    [{ monthlyBudget: '5' }, 'monthlyBudget: must be a whole number of credits, or null'],
    [{ rateLimit: 0 }, 'rateLimit: must be at least 1; to stop a key, delete it'],
    [{ rateLimit: -5 }, 'rateLimit: must be at least 1; to stop a key, delete it'],
    [{ rateLimit: 0.5 }, 'rateLimit: must be a whole number of requests per minute, or null'],
    [{ rateLimit: 1e9 }, 'rateLimit: must be at most 1000000'],
    [{ scopes: [] }, 'scopes: must name rest, mcp or read; null allows everything'],
    [{ scopes: ['admin'] }, 'scopes.0: must be rest, mcp or read'],
    [{ scopes: ['mcp', 'mcp'] }, 'scopes: names a scope twice'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt: must be a time such as 2030-01-31T00:00:00Z, or null'],
    [{ expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt: is in the past. To stop a key now, delete it.'],
    [{ allowedNetworks: [] }, 'allowedNetworks: must name an address or network; null allows every address'],
    [
      { allowedNetworks: ['10.0.0.1/8'] },
      'allowedNetworks: 10.0.0.1/8 has bits beyond /8: write 10.0.0.0/8 for the network, or the address alone.',
    ],
    [{ allowedNetworks: Array(101).fill('10.0.0.1') }, 'allowedNetworks: must name at most 100 addresses and networks'],
  ])('%j is refused on creation and on change, naming the field', async (controls, error) => {
    const before = (await person.call('GET', '/api/keys')).body.data.apiKeys.length
    const made = await person.call('POST', '/api/keys', { body: { name: 'x', ...controls } })
    expect([made.status, made.body]).toEqual([400, { success: false, error, code: 'invalid_parameter' }])
    expect((await person.call('GET', '/api/keys')).body.data.apiKeys).toHaveLength(before)
    const key = await create()
    const changed = await change(key.id, controls)
    expect([changed.status, changed.body.error]).toEqual([400, error])
  })

  test('an empty change and invalid grace periods are refused', async () => {
    const key = await create()
    expect((await change(key.id, {})).body.error).toBe('The request: names nothing to change')
    for (const graceSeconds of [-1, 1.5, 2_592_001, '5'])
      expect((await rotate(key.id, { graceSeconds })).status).toBe(400)
    expect((await quote(key.unkey)).status).toBe(200)
  })
})

describe('last use', () => {
  test('tells when, from where and by what client a key was used', async () => {
    const fresh = await closeAfterTests(startTestServer({ env: { TRUST_PROXY: '127.0.0.1,::1' } }))
    const user = await startSession(fresh)
    const key = (await user.call('POST', '/api/keys', { body: { name: 'Mine' } })).body.data.apiKey
    const headers = { 'x-forwarded-for': '203.0.113.9', 'user-agent': `client/1.0 ${'x'.repeat(500)}` }
    await quote(key.unkey, headers, fresh)
    await fresh.deps.keys.close()
    expect((await user.call('GET', `/api/keys/${key.id}`)).body.data.apiKey).toMatchObject({
      last_used_address: '203.0.113.9',
      last_used_client: expect.stringMatching(/^client\/1\.0 x{189}$/),
    })
  })
})
