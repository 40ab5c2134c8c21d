import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exponentOf, formatMoney } from './currency.ts'
import { readMoney, typedMoney } from './typed-money.ts'

/** As people see it: Intl puts a space that does not break after codes. */
const shown = (minor: number, currency: string, exact?: boolean) =>
  formatMoney(minor, currency, exact).replaceAll('\u00a0', ' ')

describe('prices', () => {
  test.each([
    [1900, 'usd', '$19'],
    [0, 'usd', '$0'],
    [100_000, 'usd', '$1,000'],
    [1, 'usd', '$0.01'],
    [150, 'usd', '$1.50'],
    [0.01, 'usd', '$0.0001'],
    [0.015, 'usd', '$0.0002'],
    [234.5, 'usd', '$2.345'],
    [500, 'eur', '€5'],
    [1750, 'eur', '€17.50'],
    [2900, 'jpy', '¥2,900'],
    [0.5, 'jpy', '¥0.5'],
    [5500, 'kwd', 'KWD 5.500'],
    [5000, 'kwd', 'KWD 5'],
    [3000, 'usdc', '$0.003'],
    [5_000_001, 'usdc', '$5.000001'],
    [2_000_000, 'usdc', '$2.00'],
  ])('%s %s shows as %s', (minor, currency, text) => expect(shown(minor, currency)).toBe(text))

  test('has no decimals for whole amounts, else two to four', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 9999 }), (whole, fraction) => {
        const text = shown(whole * 100 + fraction / 100, 'usd')
        expect(text).toMatch(fraction === 0 ? /^\$[\d,]+$/ : /^\$[\d,]+\.\d{2,4}$/)
      }),
    )
  })
})

test.each([
  [1900, 'usd', '$19.00'],
  [5, 'usd', '$0.05'],
  [-1900, 'usd', '-$19.00'],
  [1900, 'eur', '€19.00'],
  [1900, 'jpy', '¥1,900'],
  [1900, 'kwd', 'KWD 1.900'],
  [1900, 'isk', 'ISK 19.00'],
])('on an invoice, %s %s is %s', (minor, currency, text) => expect(shown(minor, currency, true)).toBe(text))

test('an amount of any currency is read back as it is shown and typed, to the smallest unit', () => {
  const currency = fc.constantFrom('usd', 'eur', 'jpy', 'krw', 'kwd', 'bhd', 'huf')
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999_999 }), currency, (minor, code) => {
      expect(readMoney(typedMoney(minor, code), code)).toBe(minor)
      const digits = shown(minor, code, true).replaceAll(/[^\d.]/g, '')
      expect(Math.round(Number(digits) * 10 ** exponentOf(code))).toBe(minor)
    }),
  )
})

test.each([
  ['1.5', 'jpy'],
  ['1.005', 'usd'],
  ['1.0005', 'kwd'],
  ['-1', 'eur'],
  ['1e3', 'eur'],
  ['1,00', 'eur'],
  ['', 'usd'],
])('%j in %s is no amount', (typed, currency) => expect(readMoney(typed, currency)).toBeNull())
