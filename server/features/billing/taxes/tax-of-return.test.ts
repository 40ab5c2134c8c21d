import fc from 'fast-check'
import { expect, test } from 'vitest'
import { divide, eachTaxOfReturn, taxOfReturn } from './tax-of-return.ts'

test.each([
  [{ cents: 2_261, tax: 361, returned: 0, credited: null }, 0],
  [{ cents: 2_261, tax: 361, returned: 2_261, credited: null }, 361],
  [{ cents: 1_190, tax: 190, returned: 595, credited: null }, 95],
  [{ cents: 200, tax: 3, returned: 100, credited: null }, 2],
  [{ cents: 1_190, tax: 190, returned: 595, credited: { cents: 595, taxCents: 94 } }, 94],
  [{ cents: 1_190, tax: 190, returned: 1_190, credited: { cents: 595, taxCents: 94 } }, 190],
  [{ cents: 1_190, tax: 190, returned: 0, credited: { cents: 595, taxCents: 95 } }, 0],
  [{ cents: 1_900, tax: 0, returned: 950, credited: null }, 0],
])('%j: %i cents of tax', (given, tax) => {
  expect(taxOfReturn(given)).toBe(tax)
})

const payment = fc
  .tuple(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 0, max: 30 }))
  .map(([net, percent]) => ({ cents: net + Math.round((net * percent) / 100), tax: Math.round((net * percent) / 100) }))

test('parts in any number give back all of the tax, never more, and never less than before', () => {
  fc.assert(
    fc.property(payment, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }), (paid, shares) => {
      const steps = [...shares.map((share) => Math.floor(share * paid.cents)).sort((a, b) => a - b), paid.cents]
      const taxes = steps.map((returned) => taxOfReturn({ ...paid, returned, credited: null }))
      expect(taxes.at(-1)).toBe(paid.tax)
      for (const [at, tax] of taxes.entries()) {
        expect(tax).toBeGreaterThanOrEqual(taxes[at - 1] ?? 0)
        expect(tax).toBeLessThanOrEqual(steps[at]!)
      }
    }),
  )
})

test.each([
  [10, [1, 1, 1], [3, 4, 3]],
  [-10, [1, 1, 1], [-3, -4, -3]],
  [1, [29, 48], [0, 1]],
  [5, [0, 0], [5, 0]],
  [77, [29, 48], [29, 48]],
  [-3, [], []],
  [6, [9, -3], [9, -3]],
])('%i divided like %j is %j', (cents, parts, shares) => {
  expect(divide(cents, parts)).toEqual(shares)
})

test.each([
  // Credit notes say 10 and 20 of 29 and 48; of the rest a share of what they left.
  [30, [29, 48], [10, 20], [10, 20]],
  [31, [29, 48], [10, 20], [10, 21]],
  [77, [29, 48], [10, 20], [29, 48]],
  [0, [29, 48], [0, 0], [0, 0]],
])('%i cents of returned tax, paid %j and noted %j, are %j', (cents, paid, noted, each) => {
  expect(eachTaxOfReturn(cents, paid, noted)).toEqual(each)
})
