import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { openDatabase } from '#server/db/database.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { call, startSession } from '#server/testing/session.ts'
import { AppError } from '../../http/errors.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { foldUsage } from '../metering/fold.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { createRefusals } from './refusals.ts'

const server = await closeAfterTests(startTestServer({ env: { LOG_LEVEL: 'silent' } }))
const person = await startSession(server)
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })

const makeKey = async (name: string, controls: object = {}): Promise<{ id: string; unkey: string }> =>
  (await person.call('POST', '/api/keys', { body: { name, ...controls } })).body.data.apiKey
const rest = (key: string, path: string) => call(server, 'GET', path, { headers: { 'x-api-key': key } })
const mcp = (key: string, args: object) =>
  call(server, 'POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_quote', arguments: args } },
    headers: { 'x-api-key': key },
  })
const usageOf = async (id: string) => (await person.call('GET', `/api/keys/${id}/analytics`)).body.data

test('refusals are counted by key within moments, over REST and MCP, and not as requests or calls', async () => {
  const key = await makeKey('Refused', { monthlyBudget: 1 })
  expect((await rest(key.unkey, '/v1/quotes')).status).toBe(400)
  expect((await rest(key.unkey, '/v1/quotes?symbols=AAPL&nonsense=1')).status).toBe(400)
  expect((await mcp(key.unkey, {})).body.result.isError).toBe(true)
  expect((await rest(key.unkey, '/v1/quotes?symbols=AAPL')).status).toBe(200)
  expect((await rest(key.unkey, '/v1/quotes?symbols=AAPL')).status).toBe(402)
  await expect.poll(async () => (await usageOf(key.id)).refusedRequests).toBe(4)
  expect(await usageOf(key.id)).toMatchObject({
    refusals: [{ time: `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`, refused: 4 }],
    totalRequests: 1,
    successfulRequests: 1,
    failedRequests: 0,
    avgSuccessRate: 100,
    requestsThisMonth: 1,
  })
  expect(await checkInvariants(server.db)).toEqual([])
})

test('a key that was only refused has no calls: not listed, never used', async () => {
  const key = await makeKey('Only refused', { rateLimit: 1 })
  const before = (await person.call('GET', '/api/usage')).body.data
  expect((await rest(key.unkey, '/v1/quotes')).status).toBe(400)
  await expect.poll(async () => (await usageOf(key.id)).refusedRequests).toBe(1)
  const after = (await person.call('GET', '/api/usage')).body.data
  const [today] = before.refusals
  expect(after).toEqual({
    ...before,
    refusedRequests: before.refusedRequests + 1,
    refusals: [{ time: today.time, refused: today.refused + 1 }],
  })
  await foldUsage(server.db)
  const listed = (await person.call('GET', `/api/keys/${key.id}`)).body.data.apiKey
  expect(listed).toMatchObject({ usage_count: 0, last_used_at: null })
})

test('unknown callers are not counted: no key, a wrong key, the demo key', async () => {
  const count = async () =>
    (await server.db.pool.query('select coalesce(sum(refused), 0)::int as n from usage_by_day')).rows[0].n
  const before = await count()
  for (const key of ['fm_nonsense', 'demo']) await rest(key, '/v1/quotes')
  await call(server, 'GET', '/v1/quotes?symbols=AAPL')
  server.deps.refusals.count({ accountId: 4_000_000_001, bucket: 0, keyId: 9 }, new AppError('rate_limited'), null)
  server.deps.refusals.count({ accountId: 4_000_000_001, bucket: 0, keyId: 9 }, new AppError('internal_error'), null)
  await expect.poll(count).toBe(before + 1)
})

test('counts that cannot be written are retried later; closing writes the rest', async () => {
  const db = openDatabase(server.databaseUrl, 1, () => {})
  const refusals = createRefusals(db, pino({ level: 'silent' }), 1)
  const count = async () =>
    (
      await server.db.pool.query(
        'select coalesce(sum(refused), 0)::int as n from usage_by_hour where account_id = 4000000002 and key_id = 0',
      )
    ).rows[0].n
  const of = { accountId: 4_000_000_002, bucket: 0, keyId: null }
  const query = vi.spyOn(db.pool, 'query').mockRejectedValueOnce(new Error('down'))
  refusals.count(of, new AppError('rate_limited'), null)
  await vi.waitFor(() => expect(query).toHaveBeenCalled(), 30_000)
  refusals.count(of, new AppError('insufficient_credits'), null)
  await expect.poll(count).toBe(2)
  refusals.count(of, new AppError('rate_limited'), null)
  await refusals.close()
  expect(await count()).toBe(3)
  await db.close()
})

test('calls that brought an error are counted by tool and cause, of all accounts, and a success is not', async () => {
  const failed = async () =>
    (
      await server.db.pool.query(
        `select tool, cause, calls::int, last_at >= hour as dated from failed_calls where tool = 'search_symbols' order by cause`,
      )
    ).rows
  const key = await makeKey('Failing')
  expect((await rest(key.unkey, '/v1/symbols?other=1')).status).toBe(400)
  expect((await rest(key.unkey, '/v1/symbols?nonsense=1')).status).toBe(400)
  expect((await rest(key.unkey, '/v1/symbols?q=apple')).status).toBe(200)
  expect((await rest('fm_live_nobody', '/v1/symbols')).status).toBe(401)
  server.deps.refusals.count({ accountId: 1, bucket: 0, keyId: 9 }, new AppError('tool_timeout'), 'search_symbols')
  await expect.poll(failed).toEqual([
    { tool: 'search_symbols', cause: 'invalid_parameter', calls: 2, dated: true },
    { tool: 'search_symbols', cause: 'tool_timeout', calls: 1, dated: true },
  ])
})
