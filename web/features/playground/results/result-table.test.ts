import { expect, test } from 'vitest'
import { readTable, seriesOf } from './result-table.ts'

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
  ['an object', { a: 1 }],
])('%s is not a table', (_name, value) => {
  expect(structured(value)).toBeNull()
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
