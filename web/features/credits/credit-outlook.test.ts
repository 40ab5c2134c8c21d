import { expect, test } from 'vitest'
import { creditForecast, creditHint, upToNow } from './credit-outlook.ts'

test.each([
  [5001, 'Plenty of credits available'],
  [5000, 'Good amount remaining'],
  [501, 'Good amount remaining'],
  [500, 'Consider topping up soon'],
  [0, 'Consider topping up soon'],
])('%i credits: %s', (remaining, hint) => expect(creditHint(remaining)).toBe(hint))

const now = new Date('2026-11-21T12:00:00Z')
/** What was spent on each day up to Nov 21. */
const daysOf = (...spent: number[]) =>
  spent.map((one, index) => ({
    date: new Date(Date.UTC(2026, 10, 21 - (spent.length - 1 - index))).toISOString().slice(0, 10),
    remaining: 0,
    spent: one,
  }))
const renewing = { included: 1000, renewsAtSeconds: Date.UTC(2026, 11, 1) / 1000 }

test('the pace is that of the last seven days, not of a quiet month before', () => {
  const days = daysOf(1, ...Array(20).fill(0), 100, 100, 100, 100, 100, 100, 100, 50)
  expect(creditForecast({ days, remaining: 500, plan: null, now })).toEqual({
    perDay: 100,
    runOutOn: new Date('2026-11-26T12:00:00Z'),
  })
})

test('an account that began two days ago is not averaged over a week', () => {
  const days = daysOf(0, 0, 0, 0, 0, 0, 40, 20)
  expect(creditForecast({ days, remaining: 400, plan: null, now })).toEqual({
    perDay: 40,
    runOutOn: new Date('2026-12-01T12:00:00Z'),
  })
})

test('credits of a plan that last until it renews do not run out; bought ones do', () => {
  const days = daysOf(40, 40, 40, 40, 40, 40, 40, 20)
  expect(creditForecast({ days, remaining: 900, plan: renewing, now })).toEqual({ perDay: 40, runOutOn: null })
  expect(creditForecast({ days, remaining: 200, plan: renewing, now })?.runOutOn).toEqual(
    new Date('2026-11-26T12:00:00Z'),
  )
  expect(creditForecast({ days, remaining: 4000, plan: renewing, now })?.runOutOn).toEqual(
    new Date('2027-03-01T12:00:00Z'),
  )
})

test('nothing is said about years, without spending, or after less than a day', () => {
  expect(creditForecast({ days: daysOf(1, 1), remaining: 10_000, plan: null, now })?.runOutOn).toBeNull()
  expect(creditForecast({ days: daysOf(0, 0, 0), remaining: 10, plan: null, now })).toBeNull()
  expect(creditForecast({ days: daysOf(0, 0, 5), remaining: 10, plan: null, now })).toBeNull()
  expect(creditForecast({ days: [], remaining: 10, plan: null, now })).toBeNull()
  const quiet = daysOf(9, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  expect(creditForecast({ days: quiet, remaining: 10, plan: null, now })).toBeNull()
})

test('today has the balance of now: what was spent since is spent, and what was bought is there', () => {
  const days = [
    { date: '2026-11-20', remaining: 900, spent: 0 },
    { date: '2026-11-21', remaining: 800, spent: 100 },
  ]
  expect(upToNow(days, 750)).toEqual([days[0], { date: '2026-11-21', remaining: 750, spent: 150 }])
  expect(upToNow(days, 10_800)).toEqual([days[0], { date: '2026-11-21', remaining: 10_800, spent: 100 }])
})
