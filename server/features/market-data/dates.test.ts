import { expect, test } from 'vitest'
import { dayOf, dayText, monthsBefore, parseDay } from './dates.ts'

test.each([
  ['2020-03-31', 1, '2020-02-29'],
  ['2019-03-31', 1, '2019-02-28'],
  ['2020-02-29', 12, '2019-02-28'],
  ['2020-01-15', 1, '2019-12-15'],
  ['2020-12-31', 6, '2020-06-30'],
])('%s, %i months before, is %s', (day, months, before) => {
  expect(dayText(monthsBefore(parseDay(day), months))).toBe(before)
})

test.each([
  [1900, 1],
  [2000, 2],
  [2019, 1],
  [2020, 2],
  [2100, 1],
])('from February 28 to March 1 of %i it is %i days', (year, days) => {
  expect(dayOf(year, 3, 1) - dayOf(year, 2, 28)).toBe(days)
})
