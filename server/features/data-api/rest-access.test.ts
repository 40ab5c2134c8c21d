import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../keys/key-format.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer()
})
afterAll(() => server?.close())

const PATH = '/v1/test/rows/A'
const ask = async (headers: Record<string, string>, path = PATH) => {
  const answer = await fetch(`${server.url}${path}`, { headers })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

test('a key is taken from each of the three places', async () => {
  const { value } = await server.key({ credits: 50 })
  expect((await ask({ authorization: `Bearer ${value}` })).status).toBe(200)
  expect((await ask({ 'x-api-key': value })).status).toBe(200)
  expect((await ask({}, `${PATH}?apikey=${value}&rows=1`)).status).toBe(200)
  expect((await ask({}, `${PATH}?%61pi%4Bey=${value}`)).status).toBe(200)
})

test('no key is 401 key_missing, without a hint that starts OAuth', async () => {
  const { status, headers, body } = await ask({})
  expect(status).toBe(401)
  expect(body.code).toBe('key_missing')
  expect(headers.get('www-authenticate')).toBe('Bearer realm="Finmeter API key"')
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
})

test('malformed, mistyped, unknown, deleted and expired keys get the same reply', async () => {
  const live = await server.key({ credits: 50 })
  const deleted = await server.key({ credits: 50 })
  const expired = await server.key({ credits: 50 })
  await server.db.pool.query('update api_keys set deleted_at = app_now() where id = $1', [deleted.id])
  await server.db.pool.query(`update api_keys set expires_at = app_now() - interval '1 s' where id = $1`, [expired.id])
  const last = live.value.at(-1) === 'a' ? 'b' : 'a'
  const unknown = makeKey()
  const replies = []
  for (const value of [
    'not-a-key',
    `${live.value.slice(0, -1)}${last}`,
    unknown,
    deleted.value,
    expired.value,
    'zq'.repeat(3000),
  ]) {
    const { status, body } = await ask({ 'x-api-key': value })
    expect(JSON.stringify(body)).not.toContain(value)
    replies.push({ status, ...body, request_id: '' })
  }
  expect(replies[0]).toMatchObject({ status: 401, code: 'key_invalid' })
  for (const reply of replies) expect(reply).toEqual(replies[0])
})

test('a key without the scope of this surface is 403', async () => {
  const key = await server.key({ credits: 50 })
  await server.db.pool.query(`update api_keys set scopes = '{mcp}' where id = $1`, [key.id])
  expect(await ask({ 'x-api-key': key.value })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
})

test('an empty account is 402 with a link to more credits; free tables are still served', async () => {
  const key = await server.key({ credits: 2 })
  for (const _ of [1, 2]) {
    const { status, body, headers } = await ask({ 'x-api-key': key.value })
    expect({ status, code: body.code }).toEqual({ status: 402, code: 'insufficient_credits' })
    expect(body.docs).toMatch(/\/dashboard\/billing\/$/)
    expect([headers.get('x-credits-charged'), headers.get('x-credits-remaining')]).toEqual(['0', '2'])
  }
  const empty = await server.key({ credits: 0 })
  for (const _ of ['decided', 'known by then']) {
    const { headers } = await ask({ 'x-api-key': empty.value })
    expect([headers.get('x-credits-charged'), headers.get('x-credits-remaining')]).toEqual(['0', '0'])
  }
  expect((await ask({ 'x-api-key': key.value }, `${PATH}?rows=0`)).headers.get('x-credits-charged')).toBe('0')
  expect((await server.spending(key.accountId)).credits).toBe(0)
})

test('above the limit is 429 with Retry-After and the limit headers; nothing is charged', async () => {
  const key = await server.key({ credits: 50, rateLimit: 3 })
  for (const _ of [1, 2, 3]) expect((await ask({ 'x-api-key': key.value })).status).toBe(200)
  const { status, headers, body } = await ask({ 'x-api-key': key.value })
  expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
  const wait = Number(headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(body.retry_after).toBe(wait)
  expect(headers.get('ratelimit')).toBe(`"account";r=0;t=${wait}`)
  expect(headers.get('ratelimit-policy')).toBe('"account";q=3;w=60')
  expect(await server.spending(key.accountId)).toMatchObject({ rows: 3, credits: 9 })
})

test('a suspended account is 403', async () => {
  const key = await server.key({ credits: 50 })
  await server.db.pool.query('update credit_accounts set blocked = true where account_id = $1', [key.accountId])
  expect(await ask({ 'x-api-key': key.value })).toMatchObject({ status: 403, body: { code: 'account_suspended' } })
})
