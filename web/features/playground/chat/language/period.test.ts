import { expect, test } from 'vitest'
import { monthsBefore, PERIOD, readPeriod, yearsOf } from './period.ts'

test.each([
  ['2012', { from: '2012-01-01', to: '2012-12-31' }],
  ['in 2012-02', { from: '2012-02-01', to: '2012-02-29' }],
  ['from 2010 to 2012', { from: '2010-01-01', to: '2012-12-31' }],
  ['2020-03-01 - 2020-04-15', { from: '2020-03-01', to: '2020-04-15' }],
  ['since 2022', { from: '2022-01-01' }],
  ['over 5 years', { months: 60 }],
  ['over the last ten years', { months: 120 }],
  ['past 6 months', { months: 6 }],
  ['1 year', { months: 12 }],
  ['5y', { months: 60 }],
  ['over the past year', { months: 12 }],
  ['this year', { from: '2026-01-01' }],
  ['so far this year', { from: '2026-01-01' }],
  ['ytd', { from: '2026-01-01' }],
  ['last year', { from: '2025-01-01', to: '2025-12-31' }],
  ['max', { all: true }],
])('%s is a period', (text, period) => {
  expect(text).toMatch(new RegExp(`^${PERIOD}$`))
  expect(readPeriod(text, '2026-11-23')).toEqual(period)
})

test.each(['yesterday', 'over years', 'since then', '12', '0 years'])('%s is none', (text) => {
  expect(new RegExp(`^${PERIOD}$`).test(text) ? readPeriod(text, '2026-11-23') : null).toBeNull()
})

test('counting back ends on the last day of a shorter month', () => {
  expect(monthsBefore('2026-05-31', 3)).toBe('2026-02-28')
  expect(monthsBefore('2026-01-15', 1)).toBe('2025-12-15')
})

test('the length of a period counts from its start, or from where the data begin', () => {
  expect(yearsOf({ months: 18 }, '1986-01-02', '2026-08-18')).toBe(1.5)
  expect(yearsOf({ from: '2020-01-01' }, '1986-01-02', '2026-01-01')).toBeCloseTo(6)
  expect(yearsOf({ all: true }, '1986-01-01', '2026-01-01')).toBeCloseTo(40)
})
