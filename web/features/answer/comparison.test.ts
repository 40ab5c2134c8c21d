import { expect, test } from 'vitest'
import { compareResults, comparisonIn } from './comparison.ts'

const result = (symbol: string, points: [string, number][]) => ({
  content: [],
  structuredContent: { columns: ['date', 'value'], rows: points, meta: { series_id: symbol } },
})
const monthly = result('GOLD.USD', [
  ['2026-01-01', 2000],
  ['2026-02-01', 2200],
  ['2026-03-01', 2500],
  ['2026-04-01', 2600],
])
const daily = result('OIL.WTI', [
  ['2025-12-15', 10],
  ['2026-01-15', 50],
  ['2026-01-30', 60],
  ['2026-02-27', 75],
  ['2026-03-10', 40],
])

test('both start at 100 on the first day that both have, and end on the last one', () => {
  const { from, to, members } = compareResults([monthly, daily])!
  expect([from, to]).toEqual(['2026-01-01', '2026-03-01'])
  expect(members.map(({ symbol, first, last }) => [symbol, first, last])).toEqual([
    ['GOLD.USD', 2000, 2500],
    ['OIL.WTI', 10, 75],
  ])
  expect(members[0]!.changePercent).toBeCloseTo(25)
  expect(members.map(({ points }) => points.map(({ value }) => Math.round(value)))).toEqual([
    [100, 110, 125],
    [100, 600, 750],
  ])
})

test('where the one with fewer values begins earlier, the later one sets the start', () => {
  const late = result(
    'LATE',
    Array.from({ length: 60 }, (_, day) => [
      new Date(Date.UTC(2026, 0, 20 + day)).toISOString().slice(0, 10),
      10 + day,
    ]),
  )
  const { from, to, members } = compareResults([monthly, late])!
  expect([from, to, members[0]!.first, members[1]!.first]).toEqual(['2026-02-01', '2026-03-01', 2200, 22])
})

test('without a shared period, a positive start or dates there is no comparison', () => {
  const old = result('OLD', [
    ['2020-01-01', 1],
    ['2020-02-01', 2],
    ['2020-03-01', 3],
  ])
  const negative = result('NEG', [
    ['2026-01-01', -37],
    ['2026-02-01', 5],
    ['2026-03-01', 6],
  ])
  expect([
    compareResults([monthly, old]),
    compareResults([monthly, negative]),
    compareResults([monthly, null]),
  ]).toEqual([null, null, null])
})

const columns = ['symbol', 'from', 'to', 'first', 'last', 'return_percent']

test('a price summary of one period is a comparison; of different periods it is none', () => {
  const rows = [
    ['AAPL', '2015-11-25', '2016-11-25', 118, 111.8, -3.2],
    ['MSFT', '2015-11-25', '2016-11-25', 53.7, 60.5, 15.4],
  ]
  expect(comparisonIn({ columns, rows })).toMatchObject({
    from: '2015-11-25',
    to: '2016-11-25',
    members: [{ symbol: 'AAPL', changePercent: -3.2, points: [] }, { symbol: 'MSFT' }],
  })
  expect(comparisonIn({ columns, rows: [rows[0]!, ['YHOO', '1998-01-02', '1999-01-04', 1, 2, 100]] })).toBeNull()
  expect(comparisonIn({ columns: ['symbol'], rows })).toBeNull()
})
