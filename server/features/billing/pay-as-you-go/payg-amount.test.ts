import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paygAmount } from './payg-amount.ts'

// $0.01 per 100 requests, at least $1.00.
test.each([
  [0, 0, 100],
  [1, 0, 100],
  [49, 0, 100],
  [50, 1, 99],
  [100, 1, 99],
  [9_999, 100, 0],
  [10_000, 100, 0],
  [10_049, 100, 0],
  [10_050, 101, 0],
  [1_000_000, 10_000, 0],
])('%i requests cost %i cents and %i to the minimum', (units, usageCents, minimumCents) => {
  expect(paygAmount(units, '0.01')).toEqual({ usageCents, minimumCents })
})

test('never below the minimum, never off by a cent', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (units) => {
      const { usageCents, minimumCents } = paygAmount(units, '0.01')
      expect(usageCents).toBe(Math.floor((units + 50) / 100))
      expect(usageCents + minimumCents).toBe(Math.max(100, usageCents))
    }),
  )
})

test.each([
  [3, '33.333333333333', 100],
  [2, '1900', 3800],
  [1, '0.5', 1],
])('%i at %s cents cost %i', (units, price, cents) => {
  expect(paygAmount(units, price).usageCents).toBe(cents)
})

test('in any currency: whole steps, never below its minimum, and at most half a step from the exact amount', () => {
  const digits = fc.integer({ min: 1, max: 10 ** 9 })
  fc.assert(
    fc.property(fc.nat(10 ** 8), digits, fc.constantFrom(1, 10), fc.nat(100_000), (units, micros, step, tens) => {
      const least = tens * step
      const decimal = `${Math.floor(micros / 10 ** 6)}.${String(micros % 10 ** 6).padStart(6, '0')}`
      const { usageCents, minimumCents } = paygAmount(units, decimal, { least, step })
      expect([usageCents % step, minimumCents % step]).toEqual([0, 0])
      expect(usageCents + minimumCents).toBe(Math.max(least, usageCents))
      const off = BigInt(usageCents) * 10n ** 6n - BigInt(units) * BigInt(micros)
      expect(off > -(BigInt(step) * 10n ** 6n) / 2n && off <= (BigInt(step) * 10n ** 6n) / 2n).toBe(true)
    }),
  )
})
