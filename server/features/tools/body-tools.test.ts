import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestKey } from '../../testing/factories.ts'
import { json, operation } from './testing/body-tools.ts'
import { startToolServer, type ToolServer } from './testing/tool-server.ts'

let server: ToolServer
let key: TestKey
beforeAll(async () => {
  server = await startToolServer()
})
beforeEach(async () => {
  key = await server.key({ credits: 100 })
})
afterAll(() => server?.close())

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, { ...init, headers: { 'x-api-key': key.value, ...init.headers } })
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })

test('status, headers and body pass through; ours win, and no header of the upstream speaks for us', async () => {
  const sent = {
    'x-acme': 'kept',
    'x-credits-charged': '0',
    'x-credits-remaining': '1000000',
    'set-cookie': 'a=b',
    'access-control-allow-origin': '*',
    'content-length': '3',
    'x-broken': 'a\r\nx-injected: yes',
    'bad name': 'x',
  }
  await server.deps.tools.replace('upstreams', [operation('get', () => json({ ok: true }, 203, sent))])
  const answer = await ask('/v1/acme/get')
  expect([answer.status, await answer.text()]).toEqual([203, '{"ok":true}'])
  expect(answer.headers.get('x-acme')).toBe('kept')
  expect(answer.headers.get('x-credits-charged')).toBe('2')
  expect(answer.headers.get('x-credits-remaining')).toBe('98')
  expect(answer.headers.get('x-receipt-id')).toMatch(/^rcpt_/)
  for (const name of ['set-cookie', 'access-control-allow-origin', 'x-injected', 'x-broken'])
    expect(answer.headers.has(name)).toBe(false)
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; sandbox")
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 2 })
})

test('inputs travel where the binding says; the path is decoded, and a slash in a value stays in it', async () => {
  const properties = {
    id: { type: 'string' },
    limit: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    tenant: { type: 'string' },
    note_input: { type: 'object' },
  }
  const echo = operation('echo', (input) => json(input), {
    method: 'PUT',
    properties,
    rest: {
      method: 'PUT',
      path: '/v1/acme/things/{id}.json',
      names: { tenant: 'x-tenant', note_input: 'note' },
      places: { limit: 'query', tags: 'query', tenant: 'header' },
    },
  })
  await server.deps.tools.replace('upstreams', [echo])
  const answer = await ask('/v1/acme/things/a%2F..%2Fb.json?limit=3&tags=x,y&tags=z', {
    method: 'PUT',
    headers: { 'x-tenant': 'blue', 'content-type': 'application/json' },
    body: '{"note":{"a":1}}',
  })
  expect(await answer.json()).toEqual({
    id: 'a/../b',
    limit: 3,
    tags: ['x', 'y', 'z'],
    tenant: 'blue',
    note_input: { a: 1 },
  })
  const wrong = await ask('/v1/acme/things/a.json?tenant=blue', { method: 'PUT' })
  expect([wrong.status, (await wrong.json()).param]).toEqual([400, 'tenant'])
  const misplaced = await ask('/v1/acme/things/a.json', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"id":"b"}',
  })
  expect([misplaced.status, (await misplaced.json()).detail]).toEqual([
    400,
    'Unknown parameter "id". Known parameters: note.',
  ])
  for (const [name, value] of Object.entries({ tenant: 'red', note_input: {}, 'x-tenant': 'red', limit: 9 })) {
    const replaced = await ask('/v1/acme/things/a.json?limit=3', {
      method: 'PUT',
      headers: { 'x-tenant': 'blue', 'content-type': 'application/json' },
      body: JSON.stringify({ [name]: value }),
    })
    expect([replaced.status, (await replaced.json()).param]).toEqual([400, name])
  }
  expect((await ask('/v1/acme/things/a.json')).status).toBe(405)
})

const choice = {
  properties: { order: { enum: ['up', 'down'] }, size: { type: 'integer', minimum: 1 } },
  required: ['size'],
}
test.each([
  ['size=1&oder=up', 'Unknown parameter "oder". Known parameters: order, size, dry_run.', ['order']],
  ['order=up', 'size is required.', undefined],
  ['size=1&order=dwn', 'order must be one of: up, down.', ['down']],
  ['size=0', 'size must be >= 1.', undefined],
  ['size=many', 'size must be integer.', undefined],
  ['size=1&dry_run=maybe', 'dry_run must be true or false.', undefined],
])('%s is refused by name', async (query, detail, suggestions) => {
  await server.deps.tools.replace('upstreams', [operation('choose', () => json({}), choice)])
  const answer = await ask(`/v1/acme/choose?${query}`)
  const body = await answer.json()
  expect([answer.status, body.detail, body.suggestions]).toEqual([400, detail, suggestions])
  expect(await server.spending(key.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
})

test.each([
  [{ kind: 'rows', at: '/items', per: 2, credits: 3 }, json({ items: [1, 2, 3] }), 6],
  [{ kind: 'rows', at: '/items', per: 2, credits: 3, most: 4 }, json({ items: [1, 2, 3] }), 4],
  [{ kind: 'rows', at: '/a~1b/0', per: 1, credits: 1 }, json({ 'a/b': [[1, 2]] }), 2],
  [{ kind: 'rows', at: '/items', per: 1, credits: 2, most: 9 }, json({ items: [] }), 0],
  // The customer chose another shape.
  [{ kind: 'rows', at: '/items', per: 1, credits: 2, most: 9 }, json({ data: { items: [1, 2, 3] } }), 9],
  [{ kind: 'rows', at: '/items', per: 1, credits: 2, most: 9 }, json({ items: null }), 9],
  [{ kind: 'rows', at: '/items', per: 1, credits: 2, most: 9 }, json({ items: { 0: 1 } }), 9],
  [{ kind: 'rows', at: '/items', per: 1, credits: 2, most: 9, missing: 0 }, json({ other: 1 }), 0],
  // Published by a release that did not ask for the most.
  [{ kind: 'rows', at: '/items', per: 1, credits: 2 }, json({ other: 1 }), 2],
  [{ kind: 'unit', header: 'X-Tokens', per: 1000, credits: 2, most: 40 }, json({}, 200, { 'x-tokens': '1001' }), 4],
  [{ kind: 'unit', header: 'X-Tokens', per: 1000, credits: 2, most: 40 }, json({}, 200, { 'x-tokens': '1e9' }), 40],
  [{ kind: 'unit', header: 'X-Tokens', per: 1000, credits: 2, most: 40 }, json({}, 200, { 'x-tokens': '0' }), 0],
  [{ kind: 'unit', header: 'X-Tokens', per: 1000, credits: 2, most: 40 }, json({}, 200, { 'x-tokens': '-5' }), 40],
  [{ kind: 'unit', header: 'X-Tokens', per: 1000, credits: 2, most: 40 }, json({}), 40],
  [{ kind: 'unit', at: '/usage/total', per: 1, credits: 1, most: 9 }, json({ usage: { total: null } }), 9],
  [{ kind: 'unit', at: '/usage/total', per: 1, credits: 1, most: 9, missing: 0 }, json({}), 0],
  [{ kind: 'unit', at: '/usage/total', per: 1, credits: 1, most: 9 }, json({ usage: { total: 7 } }), 7],
  [{ kind: 'kib', credits: 1, most: 10 }, json('x'.repeat(1500)), 2],
] as const)('the price %o', async (credits, answer, charged) => {
  await server.deps.tools.replace('upstreams', [operation('priced', () => answer, { credits })])
  const { headers } = await ask('/v1/acme/priced')
  expect(headers.get('x-credits-charged')).toBe(String(charged))
  expect(await server.spending(key.accountId)).toMatchObject({ credits: charged, failedRows: 0 })
  const { rows } = await server.db.pool.query('select count(*)::int as open from credit_holds')
  expect(rows[0].open).toBe(0)
})

test('what may vary is held first: an account that cannot hold the most is refused before the upstream is asked', async () => {
  let asked = 0
  const tool = operation('held', () => json({ items: [asked++] }), {
    credits: { kind: 'rows', at: '/items', per: 1, credits: 1, most: 60 },
  })
  await server.deps.tools.replace('upstreams', [tool])
  const poor = await server.key({ credits: 59 })
  const refused = await ask('/v1/acme/held', { headers: { 'x-api-key': poor.value } })
  expect([refused.status, asked]).toEqual([402, 0])
  expect((await ask('/v1/acme/held')).headers.get('x-credits-remaining')).toBe('99')
})

test('statuses that are not charged are recorded as failed with 0 credits, and pass through', async () => {
  const status = (n: number, charge?: string[]) =>
    operation('status', () => json({ n }, n), { ...(charge && { charge }) })
  await server.deps.tools.replace('upstreams', [status(404)])
  const missing = await ask('/v1/acme/status')
  expect([missing.status, missing.headers.get('x-credits-charged'), await missing.json()]).toEqual([
    404,
    '0',
    { n: 404 },
  ])
  await server.deps.tools.replace('upstreams', [status(404, ['2xx', '404'])])
  expect((await ask('/v1/acme/status')).headers.get('x-credits-charged')).toBe('2')
  expect(await server.spending(key.accountId)).toEqual({ rows: 2, failedRows: 1, credits: 2 })
})

test('a body that is not the JSON its price needs is 502 and free', async () => {
  const broken = { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"items":[1,') }
  await server.deps.tools.replace('upstreams', [
    operation('broken', () => broken, { credits: { kind: 'rows', at: '/items', per: 1, credits: 1, most: 5 } }),
  ])
  const answer = await ask('/v1/acme/broken')
  expect([answer.status, (await answer.json()).code]).toEqual([502, 'upstream_failed'])
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 1, credits: 0 })
})

test('a dry run never asks the upstream; an operation with an input of that name keeps it', async () => {
  let asked = 0
  const count = (properties = {}) =>
    operation('count', (input) => json({ ...input, asked: ++asked }), { method: 'POST', properties })
  await server.deps.tools.replace('upstreams', [count()])
  const dry = await post('/v1/acme/count?dry_run=true', {})
  expect([asked, (await dry.json()).data]).toEqual([0, { credits: 2, most_credits: 2, price: '2 credits per call' }])
  await server.deps.tools.replace('upstreams', [count({ dry_run: { type: 'boolean' } })])
  expect(await (await post('/v1/acme/count', { dry_run: true })).json()).toEqual({ dry_run: true, asked: 1 })
})

test('the demo key calls no upstream', async () => {
  await server.deps.tools.replace('upstreams', [operation('get', () => json({}))])
  expect((await ask('/v1/acme/get', { headers: { 'x-api-key': 'demo' } })).status).toBe(403)
})

test('a retry of an operation that acts gets the first answer, and the upstream is asked once', async () => {
  const seen: (string | undefined)[] = []
  await server.deps.tools.replace('upstreams', [
    operation('order', (input, { idempotencyKey }) => json({ ...input, n: seen.push(idempotencyKey) }, 201), {
      method: 'POST',
      properties: { a: {}, b: {} },
    }),
  ])
  const first = await post('/v1/acme/order', { a: 1, b: 2 }, { 'idempotency-key': 'k1' })
  const again = await post('/v1/acme/order', { b: 2, a: 1 }, { 'idempotency-key': 'k1' })
  expect([first.status, await first.json()]).toEqual([201, { a: 1, b: 2, n: 1 }])
  expect([again.status, await again.json()]).toEqual([201, { a: 1, b: 2, n: 1 }])
  expect(again.headers.get('x-receipt-id')).toBe(first.headers.get('x-receipt-id'))
  expect([first, again].map(({ headers }) => headers.get('x-credits-charged'))).toEqual(['2', '0'])
  expect(seen).toEqual(['k1'])
  expect((await post('/v1/acme/order', { a: 2 }, { 'idempotency-key': 'k1' })).status).toBe(422)
  const { rows } = await server.db.pool.query('select answer from kept_answers where account_id = $1', [key.accountId])
  expect(rows[0].answer.toString('latin1')).not.toContain('"n":1')
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 2 })
})

test('while a call acts, another with its key is 409; one that failed frees the key, and one too large is asked again', async () => {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const answers = [() => gate.promise.then(() => json({}, 400)), () => json('x'.repeat(300_000)), () => json('third')]
  await server.deps.tools.replace('upstreams', [operation('act', () => answers[asked++]!(), { method: 'POST' })])
  const send = () => post('/v1/acme/act', {}, { 'idempotency-key': 'k2' })
  const first = send()
  await expect.poll(() => asked).toBe(1)
  expect((await send()).status).toBe(409)
  gate.resolve()
  expect((await first).status).toBe(400)
  expect((await send()).status).toBe(200)
  expect([await (await send()).json(), asked]).toEqual(['third', 3])
  expect(await server.spending(key.accountId)).toEqual({ rows: 3, failedRows: 1, credits: 4 })
})

test('a repeat of a read is free where it gets the kept answer; new work is charged, whatever its key', async () => {
  let asked = 0
  const publish = (text: string) =>
    server.deps.tools.replace('upstreams', [operation('read', () => json(text + ++asked))])
  const read = async (value = key.value) => {
    const answer = await ask('/v1/acme/read', { headers: { 'x-api-key': value, 'idempotency-key': 'k' } })
    return `${answer.status} ${(await answer.text()).slice(-3)} ${answer.headers.get('x-credits-charged')}`
  }
  // Our own tools know the key too; that charge pays for nothing else.
  const own = await ask('/v1/test/rows/A', { headers: { 'idempotency-key': 'k' } })
  expect(own.headers.get('x-credits-charged')).toBe('3')
  await publish('n ')
  expect([await read(), await read(), asked]).toEqual(['200  1" 2', '200  1" 0', 1])
  // Also for an account that has no more credits.
  const poor = await server.key({ credits: 2 })
  expect([await read(poor.value), await read(poor.value), asked]).toEqual(['200  2" 2', '200  2" 0', 2])
  await publish('x'.repeat(300_000))
  key = await server.key({ credits: 4 })
  expect([await read(), await read(), asked]).toEqual(['200 x3" 2', '200 x4" 2', 4])
  expect(await server.spending(key.accountId)).toEqual({ rows: 2, failedRows: 0, credits: 4 })
})

test('a charge of another tool under the same key pays for no work that acts, nor stands in its way', async () => {
  let asked = 0
  await server.deps.tools.replace('upstreams', [
    operation('act', () => json(++asked), { method: 'POST', credits: { kind: 'fixed', credits: 98 } }),
  ])
  await ask('/v1/test/rows/A', { headers: { 'idempotency-key': 'k' } })
  expect([(await post('/v1/acme/act', {}, { 'idempotency-key': 'k' })).status, asked]).toEqual([402, 0])
  key = await server.key({ credits: 101 })
  await ask('/v1/test/rows/A', { headers: { 'idempotency-key': 'k' } })
  const acted = await post('/v1/acme/act', {}, { 'idempotency-key': 'k' })
  expect([acted.status, acted.headers.get('x-credits-charged'), asked]).toEqual([200, '98', 1])
  const again = await post('/v1/acme/act', {}, { 'idempotency-key': 'k' })
  expect([await again.json(), again.headers.get('x-credits-charged')]).toEqual([1, '0'])
})

test('an account whose kept answers reach 64 MiB has no more kept, and is charged for each repeat', async () => {
  let asked = 0
  await server.deps.tools.replace('upstreams', [operation('act', () => json(++asked), { method: 'POST' })])
  const act = async () => (await post('/v1/acme/act', {}, { 'idempotency-key': 'k' })).headers.get('x-credits-charged')
  const fill = (bytes: number) =>
    server.db.pool.query(
      `insert into kept_answers (account_id, key, request_hash, claimed_until, answer)
       values ($1, gen_random_uuid(), '', app_now(), convert_to(repeat('x', $2), 'UTF8'))`,
      [key.accountId, bytes],
    )
  await fill(64 * 1024 * 1024 - 1024)
  expect([await act(), await act(), asked]).toEqual(['2', '2', 2])
  key = await server.key({ credits: 100 })
  await fill(63 * 1024 * 1024)
  expect([await act(), await act(), asked]).toEqual(['2', '0', 3])
})

test('work that cannot be taken back needs a highest price', async () => {
  const credits = { kind: 'rows', at: '/items', per: 1, credits: 1 } as const
  const publish = (method: 'GET' | 'POST', most = {}) =>
    server.deps.tools.replace('upstreams', [
      operation('many', () => json({}), { method, credits: { ...credits, ...most } }),
    ])
  await expect(publish('POST')).rejects.toThrow(
    'Tool acme_many: work that cannot be taken back needs a highest price (most).',
  )
  await publish('POST', { most: 9 })
  await publish('GET')
})

test('versions change under load: every call is one version, in body, headers and price', async () => {
  const version = (n: number) =>
    operation(
      'versioned',
      async () => {
        await new Promise(setImmediate)
        return json({ n }, 200, { 'x-version': String(n) })
      },
      { credits: { kind: 'fixed', credits: n % 2 } },
    )
  await server.deps.tools.replace('upstreams', [version(0)])
  let swapping = true
  const seen = new Set<number>()
  const call = async () => {
    while (swapping) {
      const answer = await ask('/v1/acme/versioned')
      const { n } = await answer.json()
      expect([answer.status, answer.headers.get('x-version')]).toEqual([200, String(n)])
      expect(answer.headers.get('x-credits-charged')).toBe(String(n % 2))
      seen.add(n)
      await server.deps.tools.replace('upstreams', [version(n + 1)])
      swapping = seen.size < 30
    }
  }
  key = await server.key({ credits: 10_000 })
  await Promise.all(Array.from({ length: 6 }, call))
  expect(seen.size).toBeGreaterThanOrEqual(30)
})
