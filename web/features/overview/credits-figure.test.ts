import { expect, test } from 'vitest'
import { creditsFigure } from './credits-figure.ts'

const credits = (remaining: number, change: object = {}) => ({
  remaining,
  unlimited: false,
  payAsYouGoEnabled: false,
  ...change,
})
const day = new Date('2026-11-21T12:00:00Z')

test.each([
  [credits(0, { unlimited: true }), 1000, null, '∞', 'Unlimited'],
  [credits(500), 1000, day, '500', 'Run out on Nov 21, 2026'],
  [credits(900), 1000, null, '900', 'of 1,000'],
  [credits(5000), 1000, null, '5,000', 'Ready to spend'],
  [credits(50), null, null, '50', 'Ready to spend'],
  [credits(0), 1000, day, '0', 'Calls need more credits'],
  [credits(0), null, null, '0', 'A plan adds credits'],
  [credits(0, { payAsYouGoEnabled: true }), 1000, null, '0', 'Billed as pay-as-you-go'],
])('%o of %s, out on %s: %s', (left, included, runOutOn, value, note) => {
  expect(creditsFigure(left, included, runOutOn)).toEqual({ value, note })
})
