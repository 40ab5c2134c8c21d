import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatAgo,
  formatClock,
  formatInterval,
  formatMoment,
  formatUnixDay,
  formatWeekday,
  formatWhole,
  formatZone,
} from './format.ts'

describe('whole numbers', () => {
  test.each([
    [0, '0'],
    [1234567, '1,234,567'],
    [123456789012, '123,456,789,012'],
    [12.6, '13'],
    [-0.2, '0'],
    ['2500', '2,500'],
    [null, '0'],
    [undefined, '0'],
    ['', '0'],
    ['many', '0'],
    [Number.NaN, '0'],
    [Number.POSITIVE_INFINITY, '0'],
    [{}, '0'],
  ])('%s shows as %s', (value, shown) => expect(formatWhole(value)).toBe(shown))

  test('any integer keeps its digits, grouped by three', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(Number(formatWhole(value).replaceAll(',', ''))).toBe(value)
        expect(formatWhole(value)).toMatch(/^-?\d{1,3}(,\d{3})*$/)
      }),
    )
  })
})

test('intervals read as adverbs', () => {
  expect([formatInterval('month'), formatInterval('year'), formatInterval('week'), formatInterval(null)]).toEqual([
    'monthly',
    'yearly',
    'week',
    '',
  ])
})

test('a time has its zone where its date is far from it, and the same zone everywhere', () => {
  const time = '2026-11-26T18:32:10Z'
  expect(formatMoment(time)).toMatch(/^Nov 2[67], 2026, \d{1,2}:\d\d:10 [AP]M (UTC|[A-Z]{2,4}([+-]\d+(:\d\d)?)?)$/)
  expect(formatMoment(time).endsWith(` ${formatZone(new Date(time))}`)).toBe(true)
  expect(formatMoment(time)).toContain(formatClock(time, 'second'))
  expect(formatWeekday(time)).toMatch(/^(Thu, Nov 26|Fri, Nov 27), 2026$/)
  expect(formatClock(time)).toMatch(/^\d{1,2}:\d\d [AP]M$/)
})

test('unix seconds are not milliseconds', () => {
  expect(formatUnixDay(1_797_811_200)).toMatch(/Dec 2[01], 2026/)
  expect(formatUnixDay(null, 'Never')).toBe('Never')
})

describe('how long ago', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  test.each([
    ['2026-11-21T12:00:00Z', 'now'],
    ['2026-11-21T11:59:18Z', '42 seconds ago'],
    ['2026-11-21T11:59:00Z', '1 minute ago'],
    ['2026-11-21T09:00:00Z', '3 hours ago'],
    ['2026-11-20T12:00:00Z', 'yesterday'],
    ['2026-08-21T12:00:00Z', '3 months ago'],
    ['2024-11-21T12:00:00Z', '2 years ago'],
  ])('%s is %s', (value, shown) => expect(formatAgo(value, now)).toBe(shown))

  test('a clock behind the server does not show the future', () =>
    expect(formatAgo('2026-11-21T12:00:09Z', now)).toBe('now'))
  test('missing and invalid dates show the absent text', () => {
    expect(formatAgo(null, now, 'Never')).toBe('Never')
    expect(formatAgo('soon', now, 'Never')).toBe('Never')
  })
})
