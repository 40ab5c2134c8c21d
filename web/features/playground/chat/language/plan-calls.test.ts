import { expect, test } from 'vitest'
import type { Listed } from '../look-up/look-up.ts'
import type { Intent } from './grammar.ts'
import { parseCommand } from './parse-command.ts'
import { planCalls } from './plan-calls.ts'

const series = (symbol: string, first: string, last: string, name = symbol): Listed => ({
  symbol,
  name,
  type: 'series',
  first,
  last,
  held: 'series',
  score: 1,
})
const listed: Listed[] = [
  series('OIL.WTI', '1986-01-02', '2026-08-18', 'Crude oil'),
  series('GOLD.USD', '1833-01-01', '2026-06-01', 'Gold'),
  series('US.CPI', '1913-01-01', '2026-05-01'),
  series('US.RATE10Y', '1953-04-01', '2026-06-01'),
  {
    symbol: 'AAPL',
    name: 'Apple Inc.',
    type: 'stock',
    first: '1980-12-12',
    last: '2018-05-11',
    held: 'bars',
    score: 1,
  },
  { symbol: 'MSFT', name: 'Microsoft', type: 'stock', first: '1986-03-13', last: '2016-11-25', held: 'bars', score: 1 },
]
const find = async (query: string) =>
  listed
    .filter(({ symbol, name }) => `${symbol} ${name}`.toLowerCase().includes(query.toLowerCase()))
    .map((one) => ({ ...one, score: one.symbol === query.toUpperCase() ? 1 : 0.8 }))
const plan = (line: string) => planCalls(parseCommand(line, '2026-11-23') as Intent, find)

test.each([
  ['price of AAPL', 'get_quote', { symbols: ['AAPL'] }],
  ['how much is apple', 'get_quote', { symbols: ['AAPL'] }],
  ['quote msft on 2012-03-01', 'get_quote', { symbols: ['MSFT'], on: '2012-03-01' }],
  // The server's refusal names similar symbols.
  ['price of APPL', 'get_quote', { symbols: ['APPL'] }],
  ['oil price', 'get_economic_series', { series_id: 'OIL.WTI', range: '1y', limit: 2000 }],
  ['oil since 2022', 'get_economic_series', { series_id: 'OIL.WTI', from: '2022-01-01', limit: 2000 }],
  [
    'oil since 1990',
    'get_economic_series',
    { series_id: 'OIL.WTI', from: '1990-01-01', frequency: 'quarterly', limit: 2000 },
  ],
  ['gold over 10 years', 'get_economic_series', { series_id: 'GOLD.USD', range: '10y', limit: 2000 }],
  ['gold over 3 years', 'get_economic_series', { series_id: 'GOLD.USD', from: '2023-06-01', limit: 2000 }],
  ['chart gold max', 'get_economic_series', { series_id: 'GOLD.USD', range: 'max', frequency: 'annual', limit: 2000 }],
  ['inflation', 'get_economic_series', { series_id: 'US.CPI', units: 'yoy', range: '5y', limit: 2000 }],
  ['10 year yield', 'get_economic_series', { series_id: 'US.RATE10Y', range: '5y', limit: 2000 }],
  [
    'chart MSFT 2010 to 2012',
    'get_bars',
    { symbol: 'MSFT', interval: '1w', from: '2010-01-01', to: '2012-12-31', limit: 1000 },
  ],
  [
    'chart MSFT 2012-02',
    'get_bars',
    { symbol: 'MSFT', interval: '1d', from: '2012-02-01', to: '2012-02-29', limit: 1000 },
  ],
  ['chart MSFT', 'get_bars', { symbol: 'MSFT', interval: '1d', range: '1y', limit: 1000 }],
  ['how did AAPL do this year', 'get_bars', { symbol: 'AAPL', interval: '1d', from: '2026-01-01', limit: 1000 }],
  [
    'candles AAPL over 3 months',
    'get_bars',
    {
      symbol: 'AAPL',
      interval: '1d',
      range: '3mo',
      columns: ['date', 'open', 'high', 'low', 'close', 'volume'],
      limit: 1000,
    },
  ],
  ['compare AAPL and MSFT', 'summarize_prices', { symbols: ['AAPL', 'MSFT'] }],
  ['compare AAPL and MSFT over 5 years', 'summarize_prices', { symbols: ['AAPL', 'MSFT'], range: '5y' }],
  ['financials of AAPL', 'get_financials', { symbol: 'AAPL', statement: 'income' }],
  ['dividends of MSFT', 'get_corporate_actions', { symbol: 'MSFT', type: 'dividend' }],
  ['company apple', 'get_company', { symbol: 'AAPL' }],
])('%s calls %s', async (line, tool, args) => {
  expect(await plan(line)).toEqual({ calls: [{ tool, arguments: args }] })
})

test('series are compared by their values in one period, which ends where the first of them ends', async () => {
  const period = { from: '2021-06-01', to: '2026-06-01', limit: 2000 }
  expect(await plan('compare oil and gold over 5 years')).toEqual({
    compared: true,
    calls: [
      { tool: 'get_economic_series', arguments: { series_id: 'OIL.WTI', ...period } },
      { tool: 'get_economic_series', arguments: { series_id: 'GOLD.USD', ...period } },
    ],
  })
  const { calls } = (await plan('chart AAPL and MSFT over 1 year'))!
  expect(calls.map((call) => call.arguments)).toEqual([
    { symbol: 'AAPL', interval: '1d', from: '2015-11-25', to: '2016-11-25', limit: 1000 },
    { symbol: 'MSFT', interval: '1d', from: '2015-11-25', to: '2016-11-25', limit: 1000 },
  ])
})

test.each(['price of peace and quiet', 'compare gold and the meaning of life'])(
  '%s means nothing here',
  async (line) => {
    expect(await plan(line)).toBeNull()
  },
)
