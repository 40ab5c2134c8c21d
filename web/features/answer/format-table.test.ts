import { expect, test } from 'vitest'
import { decimalsFor, formatNumber, readableHeader, readableTable } from './format-table.ts'

test.each([
  ['close', 'Close'],
  ['previous_close', 'Previous close'],
  ['change_percent', 'Change %'],
  ['cagr_percent', 'Growth per year %'],
  ['age_days', 'Age (days)'],
  ['high_celsius', 'High (°C)'],
  ['wind_kmh', 'Wind (km/h)'],
  ['week52_high', '52-week high'],
  ['first_date', 'First date'],
  ['customerId', 'Customer ID'],
  ['eps', 'EPS'],
  ['2015-12-31', '2015-12-31'],
  ['USD', 'USD'],
  ['Already readable', 'Already readable'],
  ['constructor', 'Constructor'],
])('%s reads as %s', (name, header) => {
  expect(readableHeader(name)).toBe(header)
})

test('the values of a column have the same decimals, as few as their size needs', () => {
  expect([
    decimalsFor([1, 2]),
    decimalsFor([76.08, 75.1]),
    decimalsFor([1234.5678]),
    decimalsFor([0.081234567]),
  ]).toEqual([0, 2, 2, 6])
  expect([formatNumber(1234567.5, 2), formatNumber(-3, 0), formatNumber(0.5, 2)]).toEqual([
    '1,234,567.50',
    '−3',
    '0.50',
  ])
})

test('numbers are aligned to the right, years have no separator, nothing is a dash', () => {
  const table = readableTable(
    {
      columns: ['symbol', 'fiscal_year', 'revenue', 'note'],
      rows: [
        ['XOM', 2015, 259_488_000_000, null],
        ['CVX', 2015, 1.5, { a: 1 }],
      ],
    },
    10,
  )
  expect(table.columns.map(({ header, isNumber }) => [header, isNumber])).toEqual([
    ['Symbol', false],
    ['Fiscal year', true],
    ['Revenue', true],
    ['Note', false],
  ])
  expect(table.rows).toEqual([
    ['XOM', '2015', '259,488,000,000.0', '–'],
    ['CVX', '2015', '1.5', '{"a":1}'],
  ])
})

test('where lines are rows, each number has its own decimals', () => {
  const rows = [
    ['fiscal_year', 2015],
    ['net_income', 12_022_000_000],
    ['eps', 11.9],
  ]
  expect(readableTable({ columns: ['line', '2015-12-31'], rows }, 10).rows).toEqual([
    ['Fiscal year', '2015'],
    ['Net income', '12,022,000,000'],
    ['EPS', '11.9'],
  ])
})

test('only the first rows are made readable', () => {
  const rows = Array.from({ length: 5 }, (_, index) => [index])
  expect(readableTable({ columns: ['n'], rows }, 2).rows).toEqual([['0'], ['1']])
})

test('the values of an object are shown as they are: a number may be that of an order', () => {
  const table = {
    columns: ['field', 'value'],
    rows: [
      ['order_id', 7001],
      ['price', 12.5],
    ],
  }
  expect(readableTable(table, 10).rows).toEqual([
    ['Order ID', '7001'],
    ['Price', '12.5'],
  ])
})
