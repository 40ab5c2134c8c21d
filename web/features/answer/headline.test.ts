import { expect, test } from 'vitest'
import { headlinesOf } from './headline.ts'

const dated = (values: number[]) => ({
  columns: ['date', 'value'],
  rows: values.map((value, index) => [`2026-0${index + 1}-01`, value]),
})

test('values over time begin with the last one and its change since the first', () => {
  const meta = { series_id: 'OIL.WTI', name: 'Crude oil', unit: 'US dollars per barrel' }
  expect(headlinesOf(dated([50, 80, 62.5]), meta)).toEqual([
    {
      symbol: 'OIL.WTI',
      name: 'Crude oil',
      value: '62.50',
      unit: 'US dollars per barrel',
      date: '2026-03-01',
      dateText: 'Mar 1, 2026',
      change: { direction: 'up', amount: '12.50', percent: '25.00', since: 'since Jan 1, 2026' },
    },
  ])
})

test.each([
  ['daily', 'Mar 1, 2026', 'since Jan 1, 2026'],
  ['monthly', 'Mar 2026', 'since Jan 2026'],
  ['quarterly', 'Q1 2026', 'since Q1 2026'],
  ['annual', '2026', 'since 2026'],
])('a %s value is dated by its period', (frequency, dateText, since) => {
  const [headline] = headlinesOf(dated([1, 2, 3]), { series_id: 'X', frequency })
  expect([headline!.dateText, headline!.change!.since]).toEqual([dateText, since])
})

test('a percentage changes by points, and a price below zero by no percentage', () => {
  const yields = headlinesOf(dated([4.5, 4.2, 4.1]), { series_id: 'US.RATE10Y', unit: 'Percent' })
  expect(yields[0]!.change).toEqual({
    direction: 'down',
    amount: '0.40 points',
    percent: null,
    since: 'since Jan 1, 2026',
  })
  const negative = headlinesOf(dated([-37, 10, 20]), { series_id: 'OIL.WTI', unit: 'USD' })
  expect(negative[0]!.change).toMatchObject({ direction: 'up', amount: '57', percent: null })
  expect(headlinesOf(dated([5, 6, 5]), { symbol: 'X' })[0]!.change).toMatchObject({ direction: 'unchanged' })
})

const quote = [
  'symbol',
  'date',
  'close',
  'previous_close',
  'change',
  'change_percent',
  'currency',
  'age_days',
  'delayed',
]

test('each symbol of a quote has a headline; the first day of all has no change', () => {
  const rows = [
    ['SPX', '2020-04-17', 2874.56, 2799.55, 75.01, 2.6793, 'USD', 5, true],
    ['NEW', '2020-04-17', 10, null, null, null, 'USD', 5, true],
  ]
  expect(headlinesOf({ columns: quote, rows }, {})).toEqual([
    {
      symbol: 'SPX',
      name: null,
      value: '2,874.56',
      unit: 'USD',
      date: '2020-04-17',
      dateText: 'Apr 17, 2020',
      change: { direction: 'up', amount: '75.01', percent: '2.68', since: 'since the previous close' },
    },
    {
      symbol: 'NEW',
      name: null,
      value: '10.00',
      unit: 'USD',
      date: '2020-04-17',
      dateText: 'Apr 17, 2020',
      change: null,
    },
  ])
})

test('a conversion begins with the result', () => {
  const columns = ['amount', 'from', 'result', 'to', 'rate', 'rate_date', 'method']
  expect(
    headlinesOf({ columns, rows: [['1250.50', 'EUR', '1361.04', 'USD', 1.0884, '2026-09-29', 'direct']] }, {}),
  ).toEqual([
    {
      symbol: '1250.50 EUR',
      name: '1 EUR = 1.0884 USD',
      value: '1,361.04',
      unit: 'USD',
      date: '2026-09-29',
      dateText: 'Sep 29, 2026',
      change: null,
    },
  ])
})

test('values of an unknown server are named by their column; other tables have no headline', () => {
  expect(headlinesOf({ columns: ['symbol', 'name'], rows: [['AAPL', 'Apple']] }, { symbol: 'AAPL' })).toEqual([])
  const rows = dated([1, 2, 3]).rows
  expect(headlinesOf({ columns: ['time', 'wind_speed'], rows }, {})).toMatchObject([
    { symbol: 'Wind speed', name: null, value: '3', unit: null, dateText: 'Mar 1, 2026' },
  ])
})

test('statements begin with the newest period, against the one before, whatever the orientation', () => {
  const meta = { symbol: 'AAPL', name: 'Apple Inc.', currency: 'USD' }
  const lines = {
    columns: ['line', '2025-09-27', '2024-09-28'],
    rows: [
      ['fiscal_year', 2025, 2024],
      ['revenue', 416_161_000_000, 391_035_000_000],
    ],
  }
  const periods = {
    columns: ['period_end', 'fiscal_year', 'fiscal_quarter', 'net_income'],
    rows: [
      ['2025-12-27', 2026, 1, -42_097_000_000],
      ['2025-09-27', 2025, 4, 27_466_000_000],
    ],
  }
  expect([...headlinesOf(lines, meta), ...headlinesOf(periods, meta)]).toEqual([
    {
      symbol: 'AAPL',
      name: 'Apple Inc.',
      value: '416.2 B',
      unit: 'USD',
      date: '2025-09-27',
      dateText: 'Revenue, FY 2025',
      change: { direction: 'up', amount: '25.1 B', percent: '6.43', since: 'since FY 2024' },
    },
    {
      symbol: 'AAPL',
      name: 'Apple Inc.',
      value: '−42.1 B',
      unit: 'USD',
      date: '2025-12-27',
      dateText: 'Net income, Q1 FY 2026',
      change: { direction: 'down', amount: '69.6 B', percent: '253.27', since: 'since Q4 FY 2025' },
    },
  ])
})

test('what an operator counts is no price: its own decimals, and no percentage', () => {
  const days = [4.7, 8, 3.5].map((high, index) => [`2026-12-0${index + 1}`, high])
  expect(headlinesOf({ columns: ['date', 'high'], rows: days }, {})[0]).toMatchObject({
    symbol: 'High',
    value: '3.5',
    change: { direction: 'down', amount: '1.2', percent: null },
  })
  expect(headlinesOf({ columns: ['date', 'high_celsius'], rows: days }, {})[0]).toMatchObject({
    symbol: 'High',
    value: '3.5',
    unit: '°C',
  })
})
