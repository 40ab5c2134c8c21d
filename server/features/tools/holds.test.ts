import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../http/errors.ts'
import { type Cell, defineTool, tableOutput } from './define-tool.ts'
import { json, operation } from './testing/body-tools.ts'
import { table } from './testing/test-tools.ts'
import { startToolServer, type ToolServer } from './testing/tool-server.ts'

const holdModes = ['ok', 'dear', 'throw', 'refuse'] as const
const holding = defineTool({
  name: 'test_holding',
  title: 'Holds credits',
  description: 'Holds 5 credits while it works, and costs 1 per row.',
  input: z.strictObject({ mode: z.enum(holdModes).describe('How it ends') }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'rows', credits: 1, perRows: 1 },
  holds: 5,
  rest: { method: 'GET', path: '/v1/test/holding' },
  async run({ mode }) {
    if (mode === 'throw') throw new AppError('upstream_failed')
    if (mode === 'refuse') throw new AppError('unknown_symbol')
    return table(Array.from({ length: mode === 'dear' ? 8 : 2 }, (_, n): Cell[] => ['A', n, '', true]))
  },
})

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer([holding])
  await server.deps.tools.replace('upstreams', [
    operation('order', () => json({ ok: true }), {
      method: 'POST',
      plans: ['pro'],
      credits: { kind: 'fixed', credits: 5 },
    }),
  ])
})
afterAll(() => server?.close())
afterEach(async () => {
  expect(await server.invariants()).toEqual([])
})

const get = (mode: string, key: { value: string }, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/v1/test/holding?mode=${mode}`, { headers: { 'x-api-key': key.value, ...headers } })

test('a tool with a hold is refused without work if its maximum is not available, even if its price is', async () => {
  const key = await server.key({ credits: 4 })
  const answer = await get('ok', key)
  expect([answer.status, (await answer.json()).code]).toEqual([402, 'insufficient_credits'])
  expect(await server.spending(key.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
})

test('it pays its price and the rest is released; a price above the hold depends on the balance', async () => {
  const key = await server.key({ credits: 12 })
  const cheap = await get('ok', key)
  expect([cheap.headers.get('x-credits-charged'), cheap.headers.get('x-credits-remaining')]).toEqual(['2', '10'])
  const dear = await get('dear', key)
  expect([dear.headers.get('x-credits-charged'), dear.headers.get('x-credits-remaining')]).toEqual(['8', '2'])
  expect((await get('dear', await server.key({ credits: 7 }))).status).toBe(402)
})

test('an account without the plan of an operation is refused before credits are held', async () => {
  const key = await server.key({ credits: 4 })
  const headers = { 'x-api-key': key.value, 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/v1/acme/order`, { method: 'POST', headers, body: '{}' })
  expect([answer.status, (await answer.json()).code]).toEqual([403, 'not_entitled'])
})

test('failures, refusals and unchanged answers are free', async () => {
  const key = await server.key({ credits: 7 })
  expect((await get('throw', key)).status).toBe(502)
  expect((await get('refuse', key)).status).toBe(404)
  const etag = (await get('ok', key)).headers.get('etag')!
  expect((await get('ok', key, { 'if-none-match': etag })).status).toBe(304)
  const { rows } = await server.db.pool.query('select count(*)::int as open from credit_holds')
  expect(rows[0].open).toBe(0)
  expect(await server.spending(key.accountId)).toEqual({ rows: 2, failedRows: 1, credits: 2 })
})
