import { describe, expect, it } from 'vitest'
import { addIntervals, day, money, multiply, nextRenewal, prorate } from './money.ts'

const time = (iso: string) => Date.parse(iso) / 1000

describe('money', () => {
  it.each([
    ['0.01', 10_000, 100],
    ['0.01', 12_349, 123],
    ['0.01', 12_350, 124],
    ['0.01', 49, 0],
    ['0.01', 50, 1],
    ['1900', 3, 5700],
    ['0.000000000001', 1_000_000_000, 0],
  ])('%s cents times %d is %d cents', (decimal, quantity, cents) => expect(multiply(decimal, quantity)).toBe(cents))

  it.each([
    [1900, 1, 2, 950],
    [1901, 1, 2, 950],
    [-1901, 1, 2, -951],
    [1900, 2, 3, 1267],
    [-1900, 2, 3, -1267],
    [1900, 0, 3, 0],
    [1900, 3, 3, 1900],
  ])('%d cents for %d of %d seconds is %d', (cents, seconds, of, share) =>
    expect(prorate(cents, seconds, of)).toBe(share),
  )

  it('keeps the day of the month, or uses the last day', () => {
    expect(addIntervals(time('2027-01-31T10:00:00Z'), 'month', 1)).toBe(time('2027-02-28T10:00:00Z'))
    expect(addIntervals(time('2027-01-31T10:00:00Z'), 'month', 2)).toBe(time('2027-03-31T10:00:00Z'))
    expect(addIntervals(time('2028-02-29T00:00:00Z'), 'year', 1)).toBe(time('2029-02-28T00:00:00Z'))
    expect(nextRenewal(time('2027-01-31T00:00:00Z'), 'month', 1, time('2027-02-28T00:00:00Z'))).toBe(
      time('2027-03-31T00:00:00Z'),
    )
    expect([money(1900), money(-1267), day(time('2026-11-21T23:59:59Z'))]).toEqual([
      '$19.00',
      '-$12.67',
      'Nov 21, 2026',
    ])
  })
})
