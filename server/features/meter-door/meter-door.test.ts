import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, expect, test } from 'vitest'
import { runAdmin } from '#server/testing/run-admin.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { endExpiredHolds } from '../metering/holds.ts'
import { startDoorServer } from './testing/door-server.ts'

const server = await closeAfterTests(startDoorServer())
afterEach(async () => {
  expect(await server.invariants()).toEqual([])
})

const query = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows
const expireHolds = async (accountId: number) => {
  await query('update credit_holds set expires_at = app_now() where account_id = $1', [accountId])
  await endExpiredHolds(server.db)
}
const code = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]

test('a call is authorized, worked on and settled; the customer sees its receipt and pays what it came to', async () => {
  const key = await server.key({ credits: 100, rateLimit: 60 })
  const held = await server.post('authorize', { key: key.value, operation: 'acme_search', units: 45 })
  const [account] = await query('select public_id from accounts where id = $1', [key.accountId])
  expect(held).toEqual({
    status: 200,
    body: {
      hold: expect.stringMatching(/^hold_/),
      account: account.public_id,
      credits_held: 15,
      remaining: 85,
      limits: { policy: 'account', limit: 60, remaining: 59, reset_seconds: expect.any(Number) },
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  })
  expect(await server.holds(key.accountId)).toBe(1)
  const settled = await server.post('settle', { hold: held.body.hold, units: 21 })
  expect(settled).toEqual({
    status: 200,
    body: { receipt: expect.stringMatching(/^rcpt_/), credits_charged: 9, remaining: 91, replayed: false },
  })
  expect(await server.holds(key.accountId)).toBe(0)
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 9 })
  const { out } = await runAdmin(server.databaseUrl, ['call', settled.body.receipt])
  expect(out).toContain('acme_search')
})

test('a settlement that is sent again, also at the same time, charges once and names the same receipt', async () => {
  const key = await server.key({ credits: 10 })
  const { hold } = (await server.post('authorize', { key: key.value, operation: 'acme_price' })).body
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.post('settle', { hold })))
  const later = await server.post('settle', { hold })
  const other = await server.post('settle', { hold, credits: 1 })
  const failed = await server.post('settle', { hold, status: 'failed' })
  const all = [...answers, later, other, failed].map(({ body }) => body)
  expect(new Set(all.map(({ receipt }) => receipt)).size).toBe(1)
  expect(all.filter(({ replayed }) => !replayed)).toMatchObject([{ credits_charged: 2, remaining: 8 }])
  expect(later.body).toMatchObject({ credits_charged: 0, remaining: 8, replayed: true })
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 2 })
})

test('calls with one idempotency key are charged once, and refused if they differ', async () => {
  const key = await server.key({ credits: 10 })
  const ask = async (credits: number) => {
    const given = { key: key.value, operation: 'acme_price', credits, idempotency_key: 'order-1' }
    const { hold } = (await server.post('authorize', given)).body
    return server.post('settle', { hold })
  }
  const first = await ask(2)
  expect((await ask(2)).body).toEqual({ ...first.body, credits_charged: 0, replayed: true })
  expect(code(await ask(3))).toEqual([422, 'idempotency_mismatch'])
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 2 })
  expect(await server.holds(key.accountId)).toBe(0)
  // The same key of another service belongs to another call.
  const given = { key: key.value, operation: 'acme_price', credits: 2, idempotency_key: 'order-1' }
  const { hold } = (await server.post('authorize', given, server.serviceKeys.acme)).body
  expect((await server.post('settle', { hold }, server.serviceKeys.acme)).body.replayed).toBe(false)
})

test('an account without credits repeats what it has paid for', async () => {
  const key = await server.key({ credits: 2 })
  const given = { key: key.value, operation: 'acme_price', idempotency_key: 'last' }
  const settle = async () => server.post('settle', { hold: (await server.post('authorize', given)).body.hold })
  const first = await settle()
  expect(first.body.remaining).toBe(0)
  expect((await settle()).body).toEqual({ ...first.body, credits_charged: 0, replayed: true })
  expect(code(await server.post('authorize', { ...given, idempotency_key: 'next' }))).toEqual([
    402,
    'insufficient_credits',
  ])
})

test('failed calls are recorded and cost nothing; released ones leave nothing', async () => {
  const key = await server.key({ credits: 5 })
  const held = async () => (await server.post('authorize', { key: key.value, operation: 'acme_price' })).body.hold
  const failed = await server.post('settle', { hold: await held(), status: 'failed' })
  expect(failed.body).toMatchObject({ credits_charged: 0, remaining: 5, replayed: false })
  const hold = await held()
  expect([await server.post('release', { hold }), await server.post('release', { hold })]).toEqual([
    { status: 200, body: { released: true } },
    { status: 200, body: { released: false } },
  ])
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 1, credits: 0 })
  expect(await server.holds(key.accountId)).toBe(0)
})

test('a service that dies leaves its hold, which ends by itself and never charges', async () => {
  const key = await server.key({ credits: 5 })
  const given = { key: key.value, operation: 'acme_price', credits: 5, hold_seconds: 60 }
  expect((await server.post('authorize', given)).status).toBe(200)
  expect(code(await server.post('authorize', given))).toEqual([402, 'insufficient_credits'])
  await expireHolds(key.accountId)
  // The server forgets that the account was empty once it hears of the release.
  await expect.poll(async () => (await server.post('authorize', given)).body.remaining).toBe(0)
  expect(await server.spending(key.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
})

test('an operation whose work cannot be taken back is charged if its service dies, and not again by a late settlement', async () => {
  const key = await server.key({ credits: 9 })
  const given = { key: key.value, operation: 'acme_price', credits: 5, unsettled: 'charge' }
  const { hold } = (await server.post('authorize', given)).body
  await expireHolds(key.accountId)
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 5 })
  const late = await server.post('settle', { hold, credits: 1 })
  expect(late.body).toMatchObject({ credits_charged: 0, remaining: 4, replayed: true })
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 5 })
})

test('a plan without a count has no remaining credits, and pays nothing', async () => {
  const key = await server.key()
  await query('update credit_accounts set unlimited = true where account_id = $1', [key.accountId])
  const held = await server.post('authorize', { key: key.value, operation: 'acme_price' })
  expect(held.body.remaining).toBeNull()
  expect((await server.post('settle', { hold: held.body.hold })).body).toMatchObject({
    credits_charged: 0,
    remaining: null,
  })
})

test('every refusal of a customer has its status and problem', async () => {
  const ask = async (given: object) => code(await server.post('authorize', { operation: 'acme_price', ...given }))
  const rich = await server.key({ credits: 100 })
  expect(await ask({ key: 'fm_nonsense' })).toEqual([401, 'key_invalid'])
  expect(await ask({ key: 'demo' })).toEqual([401, 'key_invalid'])
  expect(await ask({ key: server.serviceKeys.every })).toEqual([401, 'key_invalid'])
  expect(await ask({ key: (await server.key()).value })).toEqual([402, 'insufficient_credits'])
  expect(await ask({ key: rich.value, operation: 'nothing' })).toEqual([404, 'unknown_tool'])
  expect(await ask({ key: rich.value, units: 51 })).toEqual([402, 'insufficient_credits'])
  expect(await ask({ key: rich.value, operation: 'acme_gold' })).toEqual([403, 'not_entitled'])
  expect(await server.holds(rich.accountId)).toBe(0)

  const budget = await server.key({ credits: 100 })
  await query('update meter_keys set monthly_budget = 1 where key_id = $1', [budget.id])
  expect(await ask({ key: budget.value })).toEqual([402, 'key_budget_exceeded'])

  const restricted = await server.key({ credits: 100 })
  await query(`update api_keys set scopes = '{mcp}' where id = $1`, [restricted.id])
  expect(await ask({ key: restricted.value })).toEqual([403, 'forbidden'])
  const bound = await server.key({ credits: 100 })
  await query(`update api_keys set allowed_networks = '{203.0.113.0/24}' where id = $1`, [bound.id])
  expect(await ask({ key: bound.value })).toEqual([403, 'forbidden'])
  expect(await ask({ key: bound.value, address: '198.51.100.1' })).toEqual([403, 'forbidden'])
  expect((await ask({ key: bound.value, address: '203.0.113.9' }))[0]).toBe(200)

  const suspended = await server.key({ credits: 100 })
  await query('update credit_accounts set blocked = true where account_id = $1', [suspended.accountId])
  expect(await ask({ key: suspended.value })).toEqual([403, 'account_suspended'])
  const busy = await server.key({ credits: 100, rateLimit: 1 })
  expect((await ask({ key: busy.value }))[0]).toBe(200)
  expect(await ask({ key: busy.value })).toEqual([429, 'rate_limited'])
})

test.each([
  [{ units: -1 }, 'units'],
  [{ units: 1.5 }, 'units'],
  [{ units: 1, credits: 1 }, 'units'],
  [{ units: 1_000_000_001 }, 'units'],
  [{ credits: '5' }, 'credits'],
  [{ hold_seconds: 3601 }, 'hold_seconds'],
  [{ hold_seconds: 0 }, 'hold_seconds'],
  [{ idempotency_key: 'with space' }, 'idempotency_key'],
  [{ unsettled: 'maybe' }, 'unsettled'],
  [{ unsettled: 'charge', idempotency_key: 'x' }, 'unsettled'],
  [{ operation: undefined }, 'operation'],
])('authorize refuses %j and names %s', async (given, param) => {
  const { value } = await server.key({ credits: 100 })
  const answer = await server.post('authorize', { key: value, operation: 'acme_price', ...given })
  expect([...code(answer), answer.body.param]).toEqual([400, 'invalid_parameter', param])
})

test('a settlement for more than was held is refused, and the right one still works', async () => {
  const key = await server.key({ credits: 10 })
  const { hold } = (await server.post('authorize', { key: key.value, operation: 'acme_price', units: 2 })).body
  expect(code(await server.post('settle', { hold, units: 3 }))).toEqual([400, 'invalid_parameter'])
  expect(code(await server.post('settle', { hold, credits: 5 }))).toEqual([400, 'invalid_parameter'])
  expect((await server.post('settle', { hold, units: 0 })).body).toMatchObject({ credits_charged: 0, remaining: 10 })
})

test('without a service key, or with a revoked one, nothing is answered', async () => {
  const key = await server.key({ credits: 10 })
  const given = { key: key.value, operation: 'acme_price' }
  const { every } = server.serviceKeys
  const mistyped = `${every.slice(0, -1)}${every.endsWith('0') ? '1' : '0'}`
  for (const verb of ['authorize', 'settle', 'release'])
    for (const wrong of [null, key.value, mistyped])
      expect(code(await server.post(verb, {}, wrong))).toEqual([401, 'service_key_invalid'])
  const { out } = await runAdmin(server.databaseUrl, ['meter-key', '--upstream', 'acme'])
  const made = out.trimEnd().split('\n').at(-1)!
  expect(made).toMatch(/^fms_[0-9A-Za-z]{38}$/)
  const { hold } = (await server.post('authorize', given, made)).body
  const listed = (await runAdmin(server.databaseUrl, ['meter-key', 'list'])).out.trimEnd().split('\n').at(-1)!
  expect(listed).toContain(`${made.slice(0, 9)}...  acme`)
  expect(listed).not.toContain(made)
  const number = listed.split(' ')[0]!
  expect((await runAdmin(server.databaseUrl, ['meter-key', 'revoke', number])).out).toContain('refused everywhere')
  await expect.poll(async () => (await server.post('settle', { hold }, made)).status).toBe(401)
  expect((await runAdmin(server.databaseUrl, ['meter-key', 'revoke', number])).out).toContain('no such key')
  expect(await server.spending(key.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
  expect(await query(`select action from audit_log where action like 'service_key%' order by id desc limit 2`)).toEqual(
    [{ action: 'service_key.revoked' }, { action: 'service_key.created' }],
  )
})

test("another service key's hold looks like a missing one, and so does a forged one", async () => {
  const key = await server.key({ credits: 10 })
  const { acme, other } = server.serviceKeys
  const { hold } = (await server.post('authorize', { key: key.value, operation: 'acme_price' }, acme)).body
  const missing = { status: 404, body: { code: 'not_found', detail: 'There is no such hold.' } }
  const [body, mac] = hold.slice(5).split('.')
  const changed = JSON.parse(Buffer.from(body, 'base64url').toString())
  changed[8] = 1_000
  const forged = `hold_${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${mac}`
  for (const verb of ['settle', 'release']) {
    expect(await server.post(verb, { hold }, other)).toMatchObject(missing)
    for (const given of [forged, 'hold_x.y', '', `${hold}x`])
      expect(await server.post(verb, { hold: given }, acme)).toMatchObject(missing)
  }
  expect(code(await server.post('authorize', { key: key.value, operation: 'other_price' }, acme))).toEqual([
    404,
    'unknown_tool',
  ])
  expect((await server.post('settle', { hold }, acme)).body.credits_charged).toBe(2)
})

test('while the database cannot hold credits, the answer is 503, and nothing is charged', async () => {
  const key = await server.key({ credits: 10 })
  await query('alter table credit_holds rename to credit_holds_away')
  const answer = await server.post('authorize', { key: key.value, operation: 'acme_price' })
  await query('alter table credit_holds_away rename to credit_holds')
  expect(code(answer)).toEqual([503, 'metering_unavailable'])
  expect(await server.spending(key.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
})

test('the description is valid OpenAPI and open to everybody', async () => {
  const document = await (await fetch(`${server.url}/v1/meter/openapi.json`)).json()
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  expect(Object.keys(document.paths)).toEqual([
    '/v1/meter/authorize',
    '/v1/meter/settle',
    '/v1/meter/release',
    '/v1/meter/auth',
  ])
})
