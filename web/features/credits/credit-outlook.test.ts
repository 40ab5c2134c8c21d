import { expect, test } from 'vitest'
import { creditHint, creditsRunOutOn } from './credit-outlook.ts'

test.each([
  [5001, 'Plenty of credits available'],
  [5000, 'Good amount remaining'],
  [501, 'Good amount remaining'],
  [500, 'Consider topping up soon'],
  [0, 'Consider topping up soon'],
])('%i credits: %s', (remaining, hint) => expect(creditHint(remaining)).toBe(hint))

const period = { included: 1000, interval: 'month', periodEndSeconds: Date.UTC(2026, 11, 1) / 1000 } as const

test('the run-out date extrapolates the average pace', () => {
  // 10 days into November, 500 of 1,000 used: the other 500 last 10 more days.
  expect(creditsRunOutOn({ ...period, remaining: 500, now: new Date('2026-11-11T00:00:00Z') })?.toISOString()).toBe(
    '2026-11-21T00:00:00.000Z',
  )
})

test('there is no run-out date when credits last, none were used, or it is too early to tell', () => {
  expect(creditsRunOutOn({ ...period, remaining: 900, now: new Date('2026-11-11T00:00:00Z') })).toBeNull()
  expect(creditsRunOutOn({ ...period, remaining: 1000, now: new Date('2026-11-11T00:00:00Z') })).toBeNull()
  expect(creditsRunOutOn({ ...period, remaining: 10, now: new Date('2026-11-01T05:00:00Z') })).toBeNull()
})
