import { expect, test } from 'vitest'
import { parseCommand } from './commands.ts'

test.each([
  ['add 2 + 3', { a: 2, b: 3 }],
  ['Add 2+3', { a: 2, b: 3 }],
  ['calculate 1.5 + -2', { a: 1.5, b: -2 }],
  ['compute -1 + 4', { a: -1, b: 4 }],
  ['math: 10 + 20', { a: 10, b: 20 }],
  ['add .5 + 1', { a: 0.5, b: 1 }],
  ['please calculate this. 2 + 3.', { a: 2, b: 3 }],
  ['echo add 2 + 3', { a: 2, b: 3 }],
  // Sums match before echo and time.
  ['add 2 + 3 in time', { a: 2, b: 3 }],
])('%s is a sum', (line, args) => {
  expect(parseCommand(line)).toEqual({ tool: 'add', arguments: args })
})

test.each([
  ['echo hello', 'hello'],
  ['say  good day ', 'good day'],
  ['please echo yo', 'yo'],
  ['repeat two\nlines', 'two\nlines'],
  ['Echo what time is it', 'what time is it'],
])('%s is an echo', (line, text) => {
  expect(parseCommand(line)).toEqual({ tool: 'echo', arguments: { text } })
})

test.each(['what time is it', 'timestamp', 'TIME', 'sometimes I wonder', 'chart AAPL all the time'])(
  '%s asks for the time',
  (line) => {
    expect(parseCommand(line)).toEqual({ tool: 'timestamp', arguments: {} })
  },
)

test.each([
  ['price of AAPL', 'get_quote', { symbols: ['AAPL'] }],
  ["what's the price of ^gspc?", 'get_quote', { symbols: ['^GSPC'] }],
  ['quote msft on 2012-03-01', 'get_quote', { symbols: ['MSFT'], on: '2012-03-01' }],
  [
    'chart MSFT 2010 to 2012',
    'get_bars',
    { symbol: 'MSFT', interval: '1w', from: '2010-01-01', to: '2012-12-31', limit: 500 },
  ],
  [
    'chart MSFT 2012-02',
    'get_bars',
    { symbol: 'MSFT', interval: '1d', from: '2012-02-01', to: '2012-02-29', limit: 500 },
  ],
  ['chart MSFT', 'get_bars', { symbol: 'MSFT', interval: '1w', limit: 500 }],
  ['convert 100 EUR to USD', 'convert_currency', { amount: '100', from: 'EUR', to: 'USD' }],
  ['convert 2,5 gbp into jpy', 'convert_currency', { amount: '2.5', from: 'GBP', to: 'JPY' }],
  ['search apple', 'search_symbols', { query: 'apple' }],
  ['company AAPL', 'get_company', { symbol: 'AAPL' }],
  ['compare AAPL and MSFT', 'summarize_prices', { symbols: ['AAPL', 'MSFT'] }],
  ['usage', 'get_usage', {}],
])('%s calls %s', (line, tool, args) => {
  expect(parseCommand(line)).toEqual({ tool, arguments: args })
})

test.each(['add 2 + 3 + 4', 'calculate 12 + 34 * 2', 'compute 2 * 3 + 4', 'add 2 + 3.5 - 1'])(
  '%s is not the sum of two numbers',
  (line) => {
    expect(parseCommand(line)).toEqual({ tool: null })
  },
)

test.each([
  'hello',
  'add two and three',
  'echo',
  'I said price of AAPL yesterday',
  'sentiment of AAPL',
  'add',
  'convert EUR',
])('%s is a plain message', (line) => {
  expect(parseCommand(line)).toEqual({ tool: null })
})
