import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestKey } from '../../testing/factories.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer()
})
afterAll(() => server?.close())

const get = (path: string, key?: TestKey, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers: { ...(key && { 'x-api-key': key.value }), ...headers } })

test('a table is sent as objects, with the charge and the receipt in headers, after the charge is durable', async () => {
  const key = await server.key({ credits: 100, rateLimit: 120 })
  const answer = await get('/v1/test/rows/AAPL?rows=2&scale=2,1.5&live=true', key)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toBe(
    '{"data":[{"symbol":"AAPL","n":3,"note":"plain","live":true},{"symbol":"AAPL","n":6,"note":"plain","live":true}],"meta":{"row_count":2,"warnings":[]},"next_cursor":null}',
  )
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(answer.headers.get('x-credits-charged')).toBe('3')
  expect(answer.headers.get('x-credits-remaining')).toBe('97')
  expect(answer.headers.get('x-receipt-id')).toMatch(/^\S{8,}$/)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers.get('ratelimit-policy')).toBe('"account";q=120;w=60')
  expect(answer.headers.get('ratelimit')).toMatch(/^"account";r=119;t=\d+$/)
  expect(answer.headers.get('cache-control')).toBe('private, no-cache')
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 3 })
})

test('path parameters are decoded, and the surface has its own default', async () => {
  const key = await server.key({ credits: 100 })
  const answer = await (await get('/v1/test/rows/EUR%2FUSD', key)).json()
  expect(answer.data).toHaveLength(3)
  expect(answer.data[0].symbol).toBe('EUR/USD')
  expect(answer.next_cursor).toBe('next')
})

test('columns, CSV and NDJSON carry the same rows; accounts without a limit get no limit headers', async () => {
  const key = await server.key({ credits: 100 })
  const path = `/v1/test/rows/A?rows=2&note=${encodeURIComponent('say "hi", €\nx')}`
  const columns = await get(`${path}&layout=columns`, key)
  expect(await columns.json()).toMatchObject({
    data: {
      columns: ['symbol', 'n', 'note', 'live'],
      rows: [
        ['A', 1, 'say "hi", €\nx', false],
        ['A', 2, 'say "hi", €\nx', false],
      ],
    },
  })
  expect(columns.headers.has('ratelimit')).toBe(false)
  const csv = await get(`${path}&format=csv`, key)
  expect(csv.headers.get('content-type')).toContain('text/csv')
  expect(await csv.text()).toBe(
    'symbol,n,note,live\r\nA,1,"say ""hi"", €\nx",false\r\nA,2,"say ""hi"", €\nx",false\r\n',
  )
  const lines = await get(path, key, { accept: 'application/x-ndjson' })
  expect(
    (await lines.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).n),
  ).toEqual([1, 2])
})

test('rows are charged as delivered; a table without rows is free', async () => {
  const key = await server.key({ credits: 100 })
  const charged = async (path: string) => (await get(path, key)).headers.get('x-credits-charged')
  expect(await charged('/v1/test/per-rows?rows=10')).toBe('2')
  expect(await charged('/v1/test/per-rows?rows=11')).toBe('4')
  expect(await charged('/v1/test/per-rows?rows=0')).toBe('0')
  expect(await charged('/v1/test/rows/A?rows=0')).toBe('0')
  expect(await server.spending(key.accountId)).toEqual({ rows: 4, failedRows: 0, credits: 6 })
})

test('a POST binding reads its input from the JSON body', async () => {
  const key = await server.key({ credits: 5 })
  const answer = await fetch(`${server.url}/v1/test/sum`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.value}`, 'content-type': 'application/json' },
    body: '{"numbers":[1,2.5]}',
  })
  expect(await answer.text()).toBe('{"data":{"sum":3.5,"unit":""},"meta":{},"next_cursor":null}')
})

test('the same Idempotency-Key is charged once, on 20 parallel retries too; with another request it is 422', async () => {
  const key = await server.key({ credits: 100 })
  const headers = { 'idempotency-key': 'order-1' }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => get('/v1/test/rows/A?rows=2&live=true', key, headers)),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200))
  expect(new Set(answers.map((answer) => answer.headers.get('x-receipt-id'))).size).toBe(1)
  expect(answers.map((answer) => Number(answer.headers.get('x-credits-charged'))).reduce((sum, one) => sum + one)).toBe(
    3,
  )
  const reordered = await get('/v1/test/rows/A?live=true&rows=2', key, headers)
  expect(reordered.headers.get('x-credits-charged')).toBe('0')
  const other = await get('/v1/test/rows/B?rows=2', key, headers)
  expect(other.status).toBe(422)
  expect(await other.json()).toMatchObject({ code: 'idempotency_mismatch' })
  expect((await server.spending(key.accountId)).credits).toBe(3)
})

test('200 parallel calls of 3 credits on a balance of 150 get exactly 50 answers', async () => {
  const key = await server.key({ credits: 150 })
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => (await get('/v1/test/rows/A', key)).status),
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  expect(statuses.filter((status) => status === 402)).toHaveLength(150)
  expect(await server.spending(key.accountId)).toEqual({ rows: 50, failedRows: 0, credits: 150 })
  expect(await server.invariants()).toEqual([])
})
