import { expect, test } from 'vitest'
import type { Subscription } from '#contract/billing.ts'
import { creditsFigure } from './credits-figure.ts'

const now = new Date('2026-11-11T00:00:00Z')
const plan = {
  plan: { credits_included: 1000, interval: 'month' },
  current_period_end: Date.parse('2026-12-01T00:00:00Z') / 1000,
} as Subscription
const credits = (remaining: number, change: object = {}) => ({
  remaining,
  unlimited: false,
  payAsYouGoEnabled: false,
  ...change,
})

test.each([
  [credits(0, { unlimited: true }), plan, '∞', 'Unlimited'],
  [credits(500), plan, '500', 'Run out on Nov 21, 2026 at this pace'],
  [credits(900), plan, '900', 'of 1,000'],
  [credits(5000), plan, '5,000', 'Ready to spend'],
  [credits(50), null, '50', 'Ready to spend'],
  [credits(0), plan, '0', 'Calls need more credits'],
  [credits(0), null, '0', 'A plan adds credits'],
  [credits(0, { payAsYouGoEnabled: true }), plan, '0', 'Billed as pay-as-you-go'],
])('%o: %s', (left, subscription, value, note) => {
  expect(creditsFigure(left, subscription, now)).toEqual({ value, note })
})
