import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestKey } from '../../testing/factories.ts'
import { answerHash } from './answer-hash.ts'
import { type CreditRule, defineTool, type Table, tableOutput } from './define-tool.ts'
import { startToolServer, type ToolServer } from './testing/tool-server.ts'

let server: ToolServer
let key: TestKey
let rows: Table['rows']

const changing = (name: string, credits: CreditRule) =>
  defineTool({
    name,
    title: 'Changes',
    description: 'Rows that change.',
    input: z.strictObject({ symbol: z.string().describe('Symbol') }),
    output: tableOutput,
    kind: 'table',
    credits,
    rest: { method: 'GET', path: `/v1/test/${name}` },
    run: () => ({
      columns: ['price'],
      rows,
      meta: { row_count: rows.length, warnings: [] },
      next_cursor: null,
    }),
  })

beforeAll(async () => {
  server = await startToolServer([
    changing('quote', { kind: 'fixed', credits: 3 }),
    changing('many', { kind: 'rows', perRows: 10, credits: 1 }),
    defineTool({
      ...changing('value', { kind: 'fixed', credits: 1 }),
      kind: 'value',
      output: z.object({ price: z.unknown() }),
      run: () => ({ price: rows[0]![0] }),
    }),
  ])
})
beforeEach(async () => {
  key = await server.key({ credits: 100 })
  rows = [[1]]
})
afterAll(() => server?.close())

async function rest(tool: string, query = 'symbol=A') {
  const answer = await fetch(`${server.url}/v1/test/${tool}?${query}`, {
    headers: { 'x-api-key': key.value, 'idempotency-key': 'k' },
  })
  const { data, code, detail } = await answer.json()
  const credits = Number(answer.headers.get('x-credits-charged'))
  return { status: answer.status, credits, ...(code ? { code, detail } : { data }) }
}

async function mcp(tool: string) {
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'x-api-key': key.value,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: { symbol: 'A' }, _meta: { 'finmeter/idempotency-key': 'k' } },
    }),
  })
  const { result } = await answer.json()
  const meta = result._meta
  return { credits: meta['finmeter/credits-charged'], error: meta['finmeter/error'], text: result.content[0].text }
}

const CHANGED = {
  status: 409,
  credits: 0,
  code: 'data_changed',
  detail: 'The data has changed since the first call with this Idempotency-Key. Nothing was charged. Use a new key.',
}

test('a repeat gets the rows of the first call, never newer ones, for 0 credits', async () => {
  expect(await rest('quote')).toEqual({ status: 200, credits: 3, data: [{ price: 1 }] })
  expect(await rest('quote')).toEqual({ status: 200, credits: 0, data: [{ price: 1 }] })
  rows = [[2]]
  expect(await rest('quote')).toEqual(CHANGED)
  expect(await mcp('quote')).toEqual({ credits: 0, error: 'data_changed', text: expect.stringContaining('new key') })
  expect(await rest('quote', 'symbol=B')).toMatchObject({ status: 422, code: 'idempotency_mismatch' })
  rows = [[1]]
  expect(await mcp('quote')).toMatchObject({ credits: 0, error: undefined, text: expect.stringContaining('[[1]]') })
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 3 })
})

test('a key that was charged for nothing does not pay for rows that come later', async () => {
  rows = []
  expect(await rest('quote')).toMatchObject({ status: 200, credits: 0, data: [] })
  rows = [[1]]
  expect(await rest('quote')).toEqual(CHANGED)
})

test('a repeat over REST does not get the rows that a model was not shown, where rows have a price', async () => {
  key = await server.key({ credits: 1_000 })
  rows = Array.from({ length: 5_000 }, (_, n) => ['x'.repeat(50) + n])
  const shown = await mcp('many')
  expect([shown.credits > 0, shown.credits < 500]).toEqual([true, true])
  expect(await rest('many')).toEqual(CHANGED)
})

test('so it is with values', async () => {
  expect(await rest('value')).toMatchObject({ status: 200, credits: 1 })
  rows = [[2]]
  expect(await rest('value')).toEqual(CHANGED)
})

test('a repeat of a charge of an earlier release, which recorded no answer, is still free', async () => {
  await rest('quote')
  await server.db.pool.query('update idempotency set answer = null where account_id = $1', [key.accountId])
  expect(await rest('quote')).toMatchObject({ status: 200, credits: 0 })
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 3 })
})

test('a key can be used anew after a day, for other rows', async () => {
  await rest('quote')
  await server.db.pool.query(`update idempotency set at = at - interval '24 hours' where account_id = $1`, [
    key.accountId,
  ])
  rows = [[2]]
  expect([(await rest('quote')).credits, (await rest('quote')).credits]).toEqual([3, 0])
  rows = [[1]]
  expect(await rest('quote')).toEqual(CHANGED)
})

test('stored rows are those of their data version and place', () => {
  const table = (version: string, first: number) =>
    answerHash(changing('quote', { kind: 'fixed', credits: 1 }), {
      columns: ['close'],
      get rows(): never {
        throw new Error('they are not read')
      },
      meta: { row_count: 2, warnings: [], dataset_version: version },
      next_cursor: null,
      stored: () => ({ of: null, variant: '1d', first, count: 2, all: 9, read: () => [] }),
    })
  expect(table('a', 1)).toBe(table('a', 1))
  expect(new Set([table('a', 1), table('b', 1), table('a', 2)]).size).toBe(3)
})
