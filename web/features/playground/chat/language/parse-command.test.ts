import { expect, test } from 'vitest'
import { parseCommand } from './parse-command.ts'

const today = '2026-11-23'
const read = (line: string) => parseCommand(line, today)

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
  expect(read(line)).toEqual({ kind: 'call', call: { tool: 'add', arguments: args } })
})

test.each([
  ['echo hello', 'hello'],
  ['say  good day ', 'good day'],
  ['please echo yo', 'yo'],
  ['repeat two\nlines', 'two\nlines'],
  ['Echo what time is it', 'what time is it'],
])('%s is an echo', (line, text) => {
  expect(read(line)).toEqual({ kind: 'call', call: { tool: 'echo', arguments: { text } } })
})

test.each(['what time is it', 'timestamp', 'TIME', 'sometimes I wonder', 'chart AAPL all the time'])(
  '%s asks for the time',
  (line) => {
    expect(read(line)).toEqual({ kind: 'call', call: { tool: 'timestamp', arguments: {} } })
  },
)

test.each([
  ['convert 100 EUR to USD', 'convert_currency', { amount: '100', from: 'EUR', to: 'USD' }],
  ['convert 2,5 gbp into jpy', 'convert_currency', { amount: '2.5', from: 'GBP', to: 'JPY' }],
  ['EUR to USD', 'convert_currency', { amount: '1', from: 'EUR', to: 'USD' }],
  ['eur/usd', 'convert_currency', { amount: '1', from: 'EUR', to: 'USD' }],
  ['how much is 250 euros in dollars?', 'convert_currency', { amount: '250', from: 'EUR', to: 'USD' }],
  ['exchange rate euro to yen', 'convert_currency', { amount: '1', from: 'EUR', to: 'JPY' }],
  ['search apple', 'search_symbols', { query: 'apple' }],
  ['find natural gas', 'search_symbols', { query: 'natural gas' }],
  ['usage', 'get_usage', {}],
  ['how many credits do I have left?', 'get_usage', {}],
  ['what data do you have?', 'list_datasets', {}],
  [
    'top companies in sector Energy',
    'screen_stocks',
    { filters: [{ field: 'sector', op: 'contains', value: 'Energy' }], sort: '-revenue', limit: 10 },
  ],
  [
    'largest 5 tech companies',
    'screen_stocks',
    { filters: [{ field: 'sector', op: 'contains', value: 'Information Technology' }], sort: '-revenue', limit: 5 },
  ],
  [
    'top companies',
    'screen_stocks',
    { filters: [{ field: 'revenue', op: 'gt', value: 0 }], sort: '-revenue', limit: 10 },
  ],
])('%s calls %s', (line, tool, args) => {
  expect(read(line)).toEqual({ kind: 'call', call: { tool, arguments: args } })
})

test.each([
  ['price of AAPL', { name: 'AAPL' }],
  ["what's the price of ^gspc?", { name: '^gspc' }],
  ['quote msft on 2012-03-01', { name: 'msft', on: '2012-03-01' }],
  ['gold price today', { name: 'gold' }],
  ['What is the current price of crude oil?', { name: 'crude oil' }],
  ['how much is Apple stock', { name: 'Apple' }],
  ['what is VIX trading at', { name: 'VIX' }],
  ['OIL.WTI', { name: 'OIL.WTI' }],
  ['VIX', { name: 'VIX' }],
])('%s asks for a price', (line, asked) => {
  expect(read(line)).toEqual({ kind: 'price', ...asked })
})

test.each([
  ['chart MSFT 2010 to 2012', { name: 'MSFT', period: { from: '2010-01-01', to: '2012-12-31' } }],
  ['chart MSFT 2012-02', { name: 'MSFT', period: { from: '2012-02-01', to: '2012-02-29' } }],
  ['chart MSFT', { name: 'MSFT' }],
  ['candles VIX over 3 months', { name: 'VIX', candles: true, period: { months: 3 } }],
  ['oil since 2022', { name: 'oil', period: { from: '2022-01-01' } }],
  ['how did gold do this year?', { name: 'gold', period: { from: '2026-01-01' } }],
  ['how has the S&P 500 performed over the last 5 years', { name: 'S&P 500', period: { months: 60 } }],
  ['1 year chart of OIL.WTI', { name: 'OIL.WTI', period: { months: 12 } }],
  ['natural gas chart over 10 years', { name: 'natural gas', period: { months: 120 } }],
  ['inflation', { name: 'inflation' }],
  ["what's inflation?", { name: 'inflation' }],
  ['inflation since 2020', { name: 'inflation', period: { from: '2020-01-01' } }],
  ['10 year yield', { name: '10 year yield' }],
  ['history of gold', { name: 'gold' }],
  ['gold last year', { name: 'gold', period: { from: '2025-01-01', to: '2025-12-31' } }],
])('%s asks for a history', (line, asked) => {
  expect(read(line)).toEqual({ kind: 'history', ...asked })
})

test.each([
  ['compare AAPL and MSFT', { names: ['AAPL', 'MSFT'] }],
  ['compare oil and gold over 5 years', { names: ['oil', 'gold'], period: { months: 60 } }],
  ['WTI vs Brent since 2020', { names: ['WTI', 'Brent'], period: { from: '2020-01-01' } }],
  ['chart AAPL and MSFT over 1 year', { names: ['AAPL', 'MSFT'], chart: true, period: { months: 12 } }],
])('%s asks for a comparison', (line, asked) => {
  expect(read(line)).toEqual({ kind: 'compare', ...asked })
})

test.each([
  ['company AAPL', { kind: 'company', name: 'AAPL' }],
  ['tell me about General Electric', { kind: 'company', name: 'General Electric' }],
  ['revenue of IBM', { kind: 'financials', name: 'IBM' }],
  ['dividends of MSFT', { kind: 'actions', name: 'MSFT', type: 'dividend' }],
  ['AAPL splits', { kind: 'actions', name: 'AAPL', type: 'split' }],
])('%s asks about a company', (line, intent) => {
  expect(read(line)).toEqual(intent)
})

test.each([
  'add 2 + 3 + 4',
  'calculate 12 + 34 * 2',
  'compute 2 * 3 + 4',
  'add 2 + 3.5 - 1',
  'hello',
  'hello there',
  'add two and three',
  'echo',
  'I said price of AAPL yesterday',
  'sentiment of AAPL',
  'add',
  'convert EUR',
  'how to fly',
  'Is AAPL above MSFT?',
  'And AAPL alone?',
  'I think that we were all born after the year 1990',
])('%s is a plain message', (line) => {
  expect(read(line)).toEqual({ kind: 'plain' })
})

test('help is understood', () => {
  expect([read('help'), read('Help!'), read('?')]).toEqual([{ kind: 'help' }, { kind: 'help' }, { kind: 'help' }])
})
