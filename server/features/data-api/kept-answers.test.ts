import { afterEach, expect, test, vi } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import type { Verified } from '../keys/credentials.ts'
import { assemble } from '../market-data/market-data.ts'
import { syntheticPart } from '../market-data/testing/synthetic-part.ts'
import { marketDataTools } from '../market-data/tools.ts'
import type { Table } from '../tools/define-tool.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import { type KeptAnswer, keepAnswers } from './kept-answers.ts'

let runs = 0
const tools = marketDataTools.map((tool) =>
  ['get_quote', 'get_bars'].includes(tool.name)
    ? {
        ...tool,
        run: (...call: Parameters<typeof tool.run>) => {
          runs++
          return tool.run(...call)
        },
      }
    : tool,
)
const server = await closeAfterTests(startToolServer(tools))
const key = await server.key({ credits: 5_000 })

afterEach(() => vi.useRealTimers())

async function get(path: string, headers: Record<string, string> = {}) {
  const before = runs
  const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key.value}`, ...headers } })
  const own = [
    'x-request-id',
    'x-receipt-id',
    'x-credits-remaining',
    'x-credits-charged',
    'date',
    'connection',
    'keep-alive',
  ]
  const shown = [...answer.headers].filter(([name]) => !own.includes(name))
  const charged = answer.headers.get('x-credits-charged')
  return { ran: runs - before, status: answer.status, charged, headers: shown, body: await answer.text() }
}

test('a repeated quote is the same bytes and costs the same, without another run', async () => {
  const path = '/v1/quotes?symbols=AAPL,NOPE&on=2018-03-01&precision=1'
  const first = await get(path)
  expect([first.ran, first.status, first.charged]).toEqual([1, 200, '1'])
  expect(await get(path)).toEqual({ ...first, ran: 0 })
  expect((await server.spending(key.accountId)).rows).toBe(2)
})

test.each([
  ['another day', '/v1/quotes?symbols=AAPL&on=2018-03-06', {}],
  ['another format', '/v1/quotes?symbols=AAPL&on=2018-03-05&format=csv', {}],
  ['another accepted type', '/v1/quotes?symbols=AAPL&on=2018-03-05', { accept: 'text/csv' }],
])('%s is another question', async (_, path, headers) => {
  const plain = await get('/v1/quotes?symbols=AAPL&on=2018-03-05')
  const other = await get(path, headers)
  expect(other.ran).toBe(1)
  expect(other.body).not.toBe(plain.body)
})

test('a client that has the kept answer pays nothing', async () => {
  const path = '/v1/quotes?symbols=AAPL&on=2018-03-07'
  const etag = Object.fromEntries((await get(path)).headers).etag!
  const again = await get(path, { 'if-none-match': etag })
  expect([again.status, again.charged, again.body]).toEqual([304, '0', ''])
})

test('a dry run stays one, and a paid call is none after it', async () => {
  const path = '/v1/quotes?symbols=AAPL&on=2018-03-08'
  for (let i = 0; i < 2; i++) expect(await get(`${path}&dry_run=true`)).toMatchObject({ charged: '0', ran: 1 })
  for (let i = 0; i < 2; i++) expect((await get(path)).charged).toBe('1')
  for (let i = 0; i < 2; i++) expect((await get(`${path}&dry_run=true`)).charged).toBe('0')
})

test('a repeat with an idempotency key is free, also of a kept answer', async () => {
  const path = '/v1/quotes?symbols=AAPL&on=2018-03-09'
  await get(path)
  const headers = { 'idempotency-key': 'kept-1' }
  expect([(await get(path, headers)).charged, (await get(path, headers)).charged]).toEqual(['1', '0'])
  expect((await get(path.replace('09', '08'), headers)).status).toBe(422)
})

test('long answers are kept when they are asked for again: the same bytes, the same price', async () => {
  const path = '/v1/bars/AAPL?from=2015-01-01&to=2015-12-31'
  const first = await get(path)
  expect([first.ran, first.status, first.charged, JSON.parse(first.body).data.length]).toEqual([1, 200, '1', 252])
  expect(await get(path)).toEqual(first)
  const etag = Object.fromEntries(first.headers).etag!
  for (let i = 0; i < 2; i++) expect(await get(path)).toEqual({ ...first, ran: 0 })
  expect(await get(path, { 'if-none-match': etag })).toMatchObject({ ran: 0, status: 304, charged: '0' })
  const headers = { 'idempotency-key': 'kept-2' }
  expect([(await get(path, headers)).charged, (await get(path, headers)).charged]).toEqual(['1', '0'])
})

test('a kept answer holds neither the memory that it shared with others nor the bars that it was made of', () => {
  const bars = { of: {}, variant: '', first: 0, count: 1, all: 1, read: vi.fn(() => []) }
  const made = {
    query: { input: {} },
    answered: {
      input: {},
      output: { columns: [], meta: { row_count: 1 }, next_cursor: null, stored: () => bars, rows: null },
    },
    body: { contentType: 'text/csv', content: Buffer.allocUnsafeSlow(1_000_000).subarray(0, 20_000), nextCursor: null },
    etag: '"x"',
  } as unknown as KeptAnswer
  const places = keepAnswers({ of: () => server.deps.market.current })
  const place = () => places({} as Verified, { params: {}, query: '', headers: {} })!
  for (let i = 0; i < 2; i++) place().keep(made)
  const { body, answered } = place().known!
  expect((body.content as Buffer).equals(made.body.content as Buffer)).toBe(true)
  expect((body.content as Buffer).buffer.byteLength).toBeLessThan(100_000)
  const stored = (answered.output as Table).stored!()
  expect([stored.of, stored.count, stored.read(0, 1)]).toEqual([null, 1, []])
  expect(bars.read).not.toHaveBeenCalled()
})

test('answers above 64 KiB are not kept, and all together stay below 8 MB', async () => {
  const large = '/v1/bars/AAPL?from=1990-01-01&to=1993-12-31&limit=1000'
  for (let i = 0; i < 3; i++) expect((await get(large)).ran).toBe(1)
  const path = '/v1/bars/AAPL?from=2016-01-01&to=2016-12-31'
  for (let i = 0; i < 2; i++) await get(path)
  expect((await get(path)).ran).toBe(0)
  const bytes = (await get(path)).body.length
  for (let at = 0; at * bytes < 8 * 1024 * 1024; at++)
    for (let i = 0; i < 2; i++) await get(`${path}&precision=4&limit=${300 + at}`)
  expect((await get(path)).ran).toBe(1)
})

test('refusals are not kept', async () => {
  for (let i = 0; i < 2; i++) expect((await get('/v1/quotes?symbols=NOPE')).ran).toBe(1)
})

test('without a date, the answer is that of the UTC day', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1, 23, 59) })
  const ageOn = async () => JSON.parse((await get('/v1/quotes?symbols=AAPL')).body).data[0].age_days as number
  const first = await ageOn()
  vi.setSystemTime(Date.UTC(2030, 0, 2, 0, 0, 1))
  expect(await ageOn()).toBe(first + 1)
})

test('new data, and data for other readers, have their own answers', async () => {
  const served = server.deps.market.current
  const path = '/v1/quotes?symbols=SYN.LONG&on=2100-01-01'
  try {
    for (const version of ['1', '2']) {
      server.deps.market.replace(assemble([syntheticPart('SYN.LONG', 100, version)]))
      const { ran, body } = await get(path)
      expect([ran, JSON.parse(body).meta.dataset_version]).toEqual([1, server.deps.market.current.version])
    }
    expect((await get(path, { authorization: 'Bearer demo' })).ran).toBe(1)
  } finally {
    server.deps.market.replace(served)
  }
})

test('long questions are asked each time, and only so many answers are kept', async () => {
  const long = `/v1/quotes?symbols=${'AAPL,'.repeat(70)}MSFT&on=2018-03-01`
  for (let i = 0; i < 2; i++) expect((await get(long)).ran).toBe(1)
  const first = '/v1/quotes?symbols=AAPL&on=2018-03-12'
  await get(first)
  const days = Array.from({ length: 1_000 }, (_, i) => new Date(Date.UTC(2010, 0, 1 + i)).toISOString().slice(0, 10))
  for (let at = 0; at < days.length; at += 20)
    await Promise.all(days.slice(at, at + 20).map((day) => get(`/v1/quotes?symbols=AAPL&on=${day}`)))
  expect((await get(first)).ran).toBe(1)
})
