import fc from 'fast-check'
import { expect, test } from 'vitest'
import { civil, dayOf, dayText, monthsBefore, parseDay } from '../dates.ts'
import { type Interval, intervals, periodEnd, periodStart } from '../periods.ts'
import type { BarColumns } from './bar-series.ts'
import { resample } from './resample.ts'

const MS_PER_DAY = 86_400_000
const anyDay = fc.integer({ min: parseDay('0000-03-01'), max: parseDay('9999-12-31') })

test('days and dates agree with the calendar of JavaScript in every year of four digits', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const text = new Date(day * MS_PER_DAY).toISOString().slice(0, 10)
      expect(dayText(day)).toBe(text)
      expect(parseDay(text)).toBe(day)
      const { year, month, date } = civil(day)
      expect(dayOf(year, month, date)).toBe(day)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['2018-03-31', 1, '2018-02-28'],
  ['2016-03-31', 1, '2016-02-29'],
  ['2018-05-11', 12, '2017-05-11'],
  ['2018-01-15', 1, '2017-12-15'],
  ['2020-02-29', 12, '2019-02-28'],
])('%s minus %i months is %s', (day, months, expected) => {
  expect(dayText(monthsBefore(parseDay(day), months))).toBe(expected)
})

test.each([
  ['1w', '2018-05-11', '2018-05-07', '2018-05-13'],
  ['1w', '1969-12-31', '1969-12-29', '1970-01-04'],
  ['1w', '1950-01-01', '1949-12-26', '1950-01-01'],
  ['1mo', '2016-02-10', '2016-02-01', '2016-02-29'],
  ['1q', '2018-12-31', '2018-10-01', '2018-12-31'],
  ['1y', '2018-05-11', '2018-01-01', '2018-12-31'],
] as [Interval, string, string, string][])('the %s of %s is %s to %s', (interval, day, start, end) => {
  expect(dayText(periodStart(interval, parseDay(day)))).toBe(start)
  expect(dayText(periodEnd(interval, parseDay(day)))).toBe(end)
})

const history = fc
  .uniqueArray(fc.integer({ min: -9000, max: 18_000 }), { minLength: 1, maxLength: 400 })
  .chain((days) =>
    fc
      .array(fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000), fc.nat(1_000_000)), {
        minLength: days.length,
        maxLength: days.length,
      })
      .map((prices): BarColumns => {
        const column = (pick: (cell: [number, number, number, number]) => number) => Float64Array.from(prices, pick)
        return {
          times: Int32Array.from(days.toSorted((a, b) => a - b)),
          open: column(([a, b]) => (a + b) / 2),
          high: column(([a, b]) => Math.max(a, b)),
          low: column(([a, b]) => Math.min(a, b)),
          close: column(([a, b, c]) => Math.min(Math.max(c, Math.min(a, b)), Math.max(a, b))),
          volume: column(([, , , volume]) => volume),
        }
      }),
  )

test.each(intervals)('%s bars keep volume, extremes, first open and last close of any history', (interval) => {
  fc.assert(
    fc.property(history, (daily) => {
      const bars = resample(daily, interval)
      const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0)
      expect(sum(bars.volume)).toBe(sum(daily.volume))
      expect(Math.max(...bars.high)).toBe(Math.max(...daily.high))
      expect(Math.min(...bars.low)).toBe(Math.min(...daily.low))
      expect(bars.open[0]).toBe(daily.open[0])
      expect(bars.close.at(-1)).toBe(daily.close.at(-1))
      expect(bars.times.at(-1)).toBe(daily.times.at(-1))
      // Each bar against a plain recount of its period.
      bars.times.forEach((day, index) => {
        const members = [...daily.times.keys()].filter(
          (i) => periodStart(interval, daily.times[i]!) === periodStart(interval, day),
        )
        expect(bars.high[index]).toBe(Math.max(...members.map((i) => daily.high[i]!)))
        expect(bars.low[index]).toBe(Math.min(...members.map((i) => daily.low[i]!)))
        expect(bars.volume[index]).toBe(members.reduce((total, i) => total + daily.volume[i]!, 0))
        expect(bars.open[index]).toBe(daily.open[members[0]!])
        expect(bars.close[index]).toBe(daily.close[members.at(-1)!])
      })
    }),
    { numRuns: 25 },
  )
})
