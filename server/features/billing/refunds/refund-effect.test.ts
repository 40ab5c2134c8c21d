import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refundEffect, unburnedCents } from './refund-effect.ts'

const figures = { paid_cents: 400, refunded_cents: 0, granted: 20_000, left: 5_000, accounted: 0 }

test.each([
  [figures, 100, { taken: 5_000, kept: 0 }],
  [figures, 300, { taken: 5_000, kept: 10_000 }],
  [figures, 1, { taken: 50, kept: 0 }],
  [{ ...figures, refunded_cents: 100, left: 0, accounted: 5_000 }, 100, { taken: 0, kept: 5_000 }],
  [{ ...figures, granted: 0, left: 0 }, 100, { taken: 0, kept: 0 }],
])('%j refunded by %i cents', (given, cents, effect) => {
  expect(refundEffect(given, cents)).toEqual(effect)
})

test.each([
  [figures, 100],
  [{ ...figures, left: 20_000 }, 400],
  [{ ...figures, left: 4_999 }, 99],
  [{ ...figures, left: 0 }, 0],
  [{ ...figures, granted: 0, left: 0 }, 0],
  [{ ...figures, refunded_cents: 350 }, 50],
])('the money of the unburned part of %j is %i cents', (given, cents) => {
  expect(unburnedCents(given)).toBe(cents)
})

test('the money of the unburned part never leaves a burned credit for free', () => {
  const sale = fc
    .tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 1_000_000 }))
    .chain(([paid_cents, granted]) =>
      fc.record({
        paid_cents: fc.constant(paid_cents),
        granted: fc.constant(granted),
        left: fc.integer({ min: 0, max: granted }),
        refunded_cents: fc.constant(0),
        accounted: fc.constant(0),
      }),
    )
  fc.assert(fc.property(sale, (given) => refundEffect(given, unburnedCents(given)).kept === 0))
})
