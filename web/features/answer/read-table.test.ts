import { expect, test } from 'vitest'
import { barsOf, metaOf, readTable, seriesOf } from './read-table.ts'

const structured = (structuredContent: unknown) => readTable({ content: [], structuredContent })
const text = (...texts: string[]) => readTable({ content: texts.map((one) => ({ type: 'text', text: one })) })

test('columns and rows are a table', () => {
  expect(structured({ columns: ['a', 'b'], rows: [[1, 2]], meta: {} })).toEqual({ columns: ['a', 'b'], rows: [[1, 2]] })
})

test('a list of objects is a table, by itself, as the only list of an object, and as text', () => {
  const list = [{ a: 1 }, { a: 2, b: 'x' }]
  const table = {
    columns: ['a', 'b'],
    rows: [
      [1, undefined],
      [2, 'x'],
    ],
  }
  expect(structured(list)).toEqual(table)
  expect(structured({ count: 2, items: list })).toEqual(table)
  expect(text(JSON.stringify(list))).toEqual(table)
})

test.each([
  ['nothing', null],
  ['no rows', { columns: ['a'], rows: [] }],
  ['rows of another form', { columns: ['a'], rows: [{ a: 1 }] }],
  ['two lists', { a: [{ x: 1 }], b: [{ x: 1 }] }],
  ['a list of numbers', [1, 2]],
  ['an empty list', []],
  ['an object without values', {}],
  ['an object of lists of objects', { a: { b: [{ c: 1 }] } }],
])('%s is not a table', (_name, value) => {
  expect(structured(value)).toBeNull()
})

test('an object of plain values is a table of two columns, also below data, where REST puts it', () => {
  const company = {
    symbol: 'AAPL',
    aliases: ['APPLE', 'APC'],
    bars: { first: '1980-12-12', last: null },
    warnings: ['Old.'],
  }
  const table = {
    columns: ['field', 'value'],
    rows: [
      ['symbol', 'AAPL'],
      ['aliases', 'APPLE, APC'],
      ['bars_first', '1980-12-12'],
      ['bars_last', null],
    ],
  }
  expect(structured(company)).toEqual(table)
  expect(structured({ data: company, meta: {}, next_cursor: null })).toEqual(table)
  expect(metaOf({ structuredContent: { data: company, meta: {} } }).warnings).toEqual(['Old.'])
})

test('text, two blocks and a missing result are not tables', () => {
  expect([text('hello'), text('[{"a":1}]', '[{"a":1}]'), readTable(undefined), readTable('x')]).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test('rows with dates and a number are a line over time, in its order', () => {
  const rows = [
    ['2020-01-03', 3],
    ['2020-01-01', 1],
    ['2020-01-02', 2],
  ]
  expect(seriesOf({ columns: ['date', 'close'], rows })?.points.map(({ value }) => value)).toEqual([1, 2, 3])
  expect(seriesOf({ columns: ['date', 'close'], rows: rows.slice(1) })).toBeNull()
  expect(seriesOf({ columns: ['name', 'close'], rows })).toBeNull()
})

test('rows with open, high, low and close are price bars, in the order of their dates', () => {
  const columns = ['date', 'open', 'high', 'low', 'close', 'volume']
  const rows = [3, 1, 2].map((day) => [`2020-01-0${day}`, day, day + 2, day - 1, day + 1, 100])
  expect(barsOf({ columns, rows })?.map(({ open, close }) => [open, close])).toEqual([
    [1, 2],
    [2, 3],
    [3, 4],
  ])
  expect(barsOf({ columns, rows: rows.slice(1) })).toBeNull()
  expect(barsOf({ columns: ['date', 'close'], rows: rows.map(([date, open]) => [date, open]) })).toBeNull()
  expect(barsOf({ columns, rows: [...rows, ['2020-01-04', null, 1, 1, 1, 1]] })).toBeNull()
  expect(barsOf({ columns, rows: Array.from({ length: 201 }, () => rows[0]!) })).toBeNull()
})
