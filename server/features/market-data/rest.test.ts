import { expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import { marketDataTools } from './tools.ts'

const server = await closeAfterTests(startToolServer(marketDataTools))
const key = await server.key({ credits: 100 })

async function get(path: string) {
  const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key.value}` } })
  return { status: answer.status, charged: answer.headers.get('x-credits-charged'), body: await answer.json() }
}

test('the first line that a developer runs returns rows and costs one credit', async () => {
  const { status, charged, body } = await get('/v1/bars/AAPL?range=1mo')
  expect([status, charged]).toEqual([200, '1'])
  expect(body.data.length).toBe(22)
  expect(Object.keys(body.data[0])).toEqual(['date', 'open', 'high', 'low', 'close', 'volume'])
  expect(body.meta).toMatchObject({ symbol: 'AAPL', as_of: '2018-05-11' })
})

test('columns, limit and cursor come from the query; the next page has the same parameters', async () => {
  const first = await get('/v1/bars/%5EGSPC?range=1y&columns=date,close&limit=5')
  expect(first.body.data).toHaveLength(5)
  const next = await get(`/v1/bars/%5EGSPC?range=1y&columns=date,close&limit=5&cursor=${first.body.next_cursor}`)
  expect(next.status).toBe(200)
  expect(next.body.data[0].date > first.body.data[4].date).toBe(true)
  expect(Object.keys(next.body.data[0])).toEqual(['date', 'close'])
})

test('more than 1,000 rows cost one credit per 1,000, rounded up; no rows are free', async () => {
  expect((await get('/v1/bars/GE?range=max&limit=2001')).charged).toBe('3')
  const empty = await get('/v1/bars/AAPL?from=9999-12-31')
  expect(empty).toMatchObject({ status: 200, charged: '0', body: { data: [], next_cursor: null } })
})

test('quotes of several symbols cost one credit', async () => {
  const { charged, body } = await get('/v1/quotes?symbols=AAPL,MSFT,NOPE')
  expect(charged).toBe('1')
  expect(body.data.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['AAPL', 'MSFT'])
})

test('symbols are free to list', async () => {
  const { charged, body } = await get('/v1/symbols?q=nasdaq')
  expect(charged).toBe('0')
  expect(body.data[0].symbol).toBe('NDX')
})

test.each([
  ['/v1/bars/APPL', 404, { code: 'unknown_symbol', suggestions: ['AAPL'] }],
  [`/v1/bars/${'A'.repeat(300)}`, 400, { code: 'invalid_parameter', param: 'symbol' }],
  ['/v1/bars/BRK%2FB', 404, { code: 'unknown_symbol' }],
  [
    '/v1/bars/AAPL?interval=2h',
    400,
    { param: 'interval', allowed: ['1m', '5m', '15m', '30m', '1h', '1d', '1w', '1mo', '1q', '1y'] },
  ],
  ['/v1/bars/AAPL?from=2018-02-01&to=2018-01-01', 400, { param: 'to' }],
  ['/v1/bars/AAPL?from=yesterday', 400, { param: 'from' }],
  ['/v1/bars/AAPL?cursor=AAAAAAAAAAAAAAAAAAAAAA', 400, { param: 'cursor' }],
  ['/v1/quotes', 400, { param: 'symbols' }],
])('%s is refused with a way forward and charges nothing', async (path, status, problem) => {
  const before = await server.spending(key.accountId)
  const answer = await get(path)
  expect(answer.status).toBe(status)
  expect(answer.body).toMatchObject(problem)
  expect(await server.spending(key.accountId)).toEqual(before)
})
