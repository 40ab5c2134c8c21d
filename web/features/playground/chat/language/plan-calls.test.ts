import { expect, test } from 'vitest'
import type { Listed } from '../look-up/look-up.ts'
import { parseCommand } from './parse-command.ts'
import { planCalls, withoutWords } from './plan-calls.ts'

const stock = (symbol: string, name: string, first: string, last: string): Listed => ({
  symbol,
  name,
  type: 'stock',
  first,
  last,
  held: 'bars',
  score: 1,
})
const series = (symbol: string, name: string, first: string, last: string): Listed => ({
  ...stock(symbol, name, first, last),
  type: 'series',
  held: 'series',
})
const listed: Listed[] = [
  series('OIL.WTI', 'Crude oil', '1986-01-02', '2026-08-18'),
  series('GOLD.USD', 'Gold', '1833-01-01', '2026-06-01'),
  stock('AAPL', 'Apple Inc.', '1980-12-12', '2018-05-11'),
  stock('MSFT', 'Microsoft', '1986-03-13', '2016-11-25'),
  stock('BRNT', 'Brent', '2001-01-02', '2026-11-20'),
]
const find = async (query: string) =>
  listed
    .filter(({ symbol, name }) => `${symbol} ${name}`.toLowerCase().includes(query.toLowerCase()))
    .map((one) => ({ ...one, score: one.symbol === query.toUpperCase() ? 1 : 0.6 }))
const plan = (line: string) => planCalls(parseCommand(line, '2026-11-23'), find, async () => null)

test('series are compared by their values in one period, which ends where the first of them ends', async () => {
  const period = { from: '2021-06-01', to: '2026-06-01', limit: 2000 }
  expect(await plan('compare oil and gold over 5 years')).toMatchObject({
    compared: true,
    calls: [
      { tool: 'get_economic_series', arguments: { series_id: 'OIL.WTI', ...period } },
      { tool: 'get_economic_series', arguments: { series_id: 'GOLD.USD', ...period } },
    ],
  })
  const { calls } = await plan('chart AAPL and MSFT over 1 year')
  expect(calls.map((call) => call.arguments)).toEqual([
    { symbol: 'AAPL', interval: '1d', from: '2015-11-25', to: '2016-11-25', limit: 1000 },
    { symbol: 'MSFT', interval: '1d', from: '2015-11-25', to: '2016-11-25', limit: 1000 },
  ])
})

test('long periods are asked for in coarser steps, so that the newest value is among them', async () => {
  const { calls } = await plan('oil since 1990')
  expect(calls[0]!.arguments).toEqual({
    series_id: 'OIL.WTI',
    from: '1990-01-01',
    frequency: 'quarterly',
    limit: 2000,
  })
  expect((await plan('chart gold max')).calls[0]!.arguments).toMatchObject({ range: 'max', frequency: 'annual' })
})

test('what a well-known name usually means is looked up by the name where the server does not have it', async () => {
  expect(await plan('brent')).toMatchObject({
    calls: [{ tool: 'get_quote', arguments: { symbols: ['BRNT'] } }],
    leftOut: [],
  })
  expect(await plan('AAPL inflation')).toMatchObject({ leftOut: ['inflation'] })
})

test('a symbol in capitals is never replaced by a similar one', async () => {
  expect(await plan('price of MICRO')).toMatchObject({ calls: [{ arguments: { symbols: ['MICRO'] } }] })
  expect(await plan('price of MICRO and AAPL')).toMatchObject({ calls: [], leftOut: ['MICRO'], instead: [{}] })
})

test('words are taken out of a line whole, wherever they stand', () => {
  expect(withoutWords('is (apple) a Good good buy?', ['good', 'good', 'buy'])).toBe('is (apple) a ?')
  expect(withoutWords('goods of good+', ['good+'])).toBe('goods of')
})
