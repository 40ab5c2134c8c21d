import { beforeEach, expect, test } from 'vitest'
import { forgetText, KEPT_BYTES, keptBytes } from './kept-text.ts'
import type { StoredRows } from './row-columns.ts'
import { storedText } from './stored-text.ts'

beforeEach(forgetText)

const ALL = 1000
let reads = 0
const source = (of: object | null, first: number, count: number, scale = 1): StoredRows => ({
  of,
  variant: 'v',
  first,
  count,
  all: ALL,
  read(from, end) {
    reads += 1
    const places = Array.from({ length: end - from }, (_, i) => from + i)
    return [
      { times: Int32Array.from(places), text: (time) => `d${time}` },
      Float64Array.from(places, (place) => (place * scale) / 4),
    ]
  },
})
const names = ['date', 'value']
const around = { head: '<', tail: '>' }
const rowsOf = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

test.each([
  [0, 0],
  [0, 1],
  [255, 2],
  [200, 252],
  [256, 256],
  [3, 990],
  [999, 1],
])('rows from %i, %i of them, read the same in every format, kept or not', (first, count) => {
  const expected = {
    json: rowsOf(first, count)
      .map((row) => `{"date":"d${row}","value":${row / 4}}`)
      .join(','),
    columns: rowsOf(first, count)
      .map((row) => `["d${row}",${row / 4}]`)
      .join(','),
    ndjson: rowsOf(first, count)
      .map((row) => `{"date":"d${row}","value":${row / 4}}\n`)
      .join(''),
    csv: rowsOf(first, count)
      .map((row) => `d${row},${row / 4}\r\n`)
      .join(''),
  }
  const of = {}
  for (const format of ['json', 'columns', 'ndjson', 'csv'] as const)
    for (const owner of [null, of, of])
      expect(storedText(names, source(owner, first, count), format, around).toString()).toBe(`<${expected[format]}>`)
})

test('text is written once for an object, and again for another one', () => {
  const of = {}
  const read = (owner: object) => {
    reads = 0
    storedText(names, source(owner, 10, 600), 'json', around)
    return reads
  }
  expect([read(of), read(of), read({})]).toEqual([3, 0, 3])
})

test('another object of the same shape never answers with the first one’s text', () => {
  storedText(names, source({}, 0, 3), 'csv', around)
  expect(storedText(names, source({}, 0, 3, 8), 'csv', around).toString()).toBe('<d0,0\r\nd1,2\r\nd2,4\r\n>')
})

test('what is kept stays within its bound, however much is asked for', () => {
  const wide = Array.from({ length: 200 }, (_, i) => `column_with_a_long_name_${i}`)
  const rows = (of: object): StoredRows => ({
    ...source(of, 0, ALL),
    read: (from, end) => wide.map(() => new Float64Array(end - from).fill(1 / 3)),
  })
  let written = 0
  while (written < 2 * KEPT_BYTES) written += storedText(wide, rows({}), 'json', around).length
  expect(keptBytes()).toBeLessThanOrEqual(KEPT_BYTES)
  expect(keptBytes()).toBeGreaterThan(KEPT_BYTES / 4)
})

test('a number that is none is refused, not sent', () => {
  const rows = {
    ...source({}, 0, 1),
    read: () => [{ times: new Int32Array(1), text: () => 'd' }, Float64Array.of(Number.NaN)],
  }
  expect(() => storedText(names, rows, 'json', around)).toThrow('Row 0 holds NaN')
})
