import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeNumber } from './write-number.ts'

const bytes = Buffer.alloc(64)
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
const written = (value: number): string => bytes.toString('latin1', 0, writeNumber(view, 0, value))

test.each([
  [0, '0'],
  [-0, '0'],
  [7, '7'],
  [-42, '-42'],
  [189.49, '189.49'],
  [0.1, '0.1'],
  [27.9, '27.9'],
  [0.0972221, '0.0972221'],
  [1234.5678, '1234.5678'],
  [-0.0001, '-0.0001'],
  [25_806_600, '25806600'],
  [2_147_483_647, '2147483647'],
  [2_147_483_648, '2147483648'],
  [999_999_999_999_999, '999999999999999'],
  [9_007_199_254_740_991, '9007199254740991'],
  [99_999_999_999.99, '99999999999.99'],
  [0.0000012, '0.0000012'],
  [0.00000099, '9.9e-7'],
  [19_999_999.99, '19999999.99'],
  [20_000_000.01, '20000000.01'],
  [10_000_000.123456, '10000000.123456'],
  [1_234_567.12345678, '1234567.12345678'],
  [100_000_000, '100000000'],
  [99_999_999.5, '99999999.5'],
  [0.1 + 0.2, '0.30000000000000004'],
  [1e21, '1e+21'],
  [5e-324, '5e-324'],
  [-2.2250738585072014e-308, '-2.2250738585072014e-308'],
])('%d is written as %s', (value, text) => expect(written(value)).toBe(text))

test('any finite number is written as String writes it', () => {
  const decimals = fc
    .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 8 }))
    .map(([digits, places]) => digits / 10 ** places)
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger(), decimals)
  fc.assert(
    fc.property(number, (value) => {
      expect(written(value)).toBe(String(value))
    }),
    { numRuns: 3000 },
  )
})
