import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCents, readWhole } from './read-number.ts'

test.each([
  ['1', 1],
  [' 1,000 ', 1000],
  ['1000', 1000],
  ['0', null],
  ['1001', null],
  ['1.5', null],
  ['-3', null],
  ['', null],
  ['ten', null],
  ['1e2', null],
  ['10,00', null],
])('%s reads as %s packs', (typed, value) => expect(readWhole(typed, { min: 1, max: 1000 })).toBe(value))

test.each([
  ['50', 5000],
  ['$49.90', 4990],
  ['1,000', 100_000],
  ['0.01', 1],
  ['0', null],
  ['1.005', null],
  ['-5', null],
  ['', null],
  ['2000000', null],
  ['1,2', null],
])('%s reads as %s cents', (typed, value) => expect(readCents(typed, 'usd')).toBe(value))

test('every amount up to a million dollars parses back to its cents', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000_000 }), (cents) => {
      expect(readCents((cents / 100).toFixed(2), 'usd')).toBe(cents)
    }),
  )
})

test.each([
  ['4500', 'jpy', 4500],
  ['4500.5', 'jpy', null],
  ['1.250', 'kwd', 1250],
  ['49.90', 'eur', 4990],
])('%s in %s reads as %s', (typed, currency, value) => expect(readCents(typed, currency)).toBe(value))
