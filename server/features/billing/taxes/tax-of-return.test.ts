import fc from 'fast-check'
import { expect, test } from 'vitest'
import { taxOfReturn } from './tax-of-return.ts'

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
