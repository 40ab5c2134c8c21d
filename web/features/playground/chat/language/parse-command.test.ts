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
  ['convert 2,5 gbp into jpy', { amount: '2.5', from: 'GBP', to: 'JPY' }],
  ['100€ in $', { amount: '100', from: 'EUR', to: 'USD' }],
  ['usd/chf', { amount: '1', from: 'USD', to: 'CHF' }],
  ['1 bitcoin in dollars', { amount: '1', from: 'BTC', to: 'USD' }],
])('%s is a conversion', (line, args) => {
  expect(read(line)).toMatchObject({
    question: { call: { tool: 'convert_currency', arguments: args }, names: [], leftOut: [] },
  })
})

test('a sentence without any name, and one that is too long, are plain', () => {
  for (const line of ['price', 'quarterly revenue', '...', 'word '.repeat(17)])
    expect(read(line)).toEqual({ kind: 'plain' })
})

test('help is understood', () => {
  expect([read('help'), read('Help!'), read('?')]).toEqual([{ kind: 'help' }, { kind: 'help' }, { kind: 'help' }])
})
