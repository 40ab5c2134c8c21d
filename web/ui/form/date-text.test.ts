import { expect, test } from 'vitest'
import { addDays, addMonths, monthWeeks, readDate, shownDate } from './date-text.ts'

test.each([
  ['', false, ''],
  ['2026-11-23', false, '2026-11-23'],
  [' 2026-1-5 ', false, '2026-01-05'],
  ['2026-02-30', false, null],
  ['2026-13-01', false, null],
  ['11/23/2026', false, null],
  ['2026-11-23 10:00', false, null],
  ['2026-11-23', true, '2026-11-23T23:59'],
  ['2026-11-23 9:05', true, '2026-11-23T09:05'],
  ['2026-11-23T18:30', true, '2026-11-23T18:30'],
  ['2026-11-23 24:00', true, null],
  ['2026-11-23 10:00 UTC', true, null],
])('%j, with a time: %s, is %j', (typed, withTime, value) => {
  expect(readDate(typed, withTime)).toBe(value)
})

test('a value is shown as it is typed', () => {
  expect(shownDate('2026-11-23T09:05')).toBe('2026-11-23 09:05')
})

test('days and months step over ends of months and leap days', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
  expect(addMonths('2028-01-31', 1)).toBe('2028-02-29')
  expect(addMonths('2026-01-15', -1)).toBe('2025-12-15')
  expect(addMonths('2028-02-29', 12)).toBe('2029-02-28')
})

test('the weeks of a month begin on Sunday and contain each day once', () => {
  const weeks = monthWeeks('2026-11-23')
  expect(weeks[0]?.[0]).toBe('2026-11-01')
  expect(weeks.flat().filter(Boolean)).toHaveLength(30)
  expect(weeks.at(-1)).toEqual(['2026-11-29', '2026-11-30', null, null, null, null, null])
  expect(monthWeeks('2026-12-01').at(-1)?.[4]).toBe('2026-12-31')
})
