import { beforeEach, expect, test } from 'vitest'
import type { StoredRows, TimeForm } from '../../tools/rows/row-columns.ts'
import { forgetText, KEPT_BYTES, keptBytes } from './kept-text.ts'
import { storedText } from './stored-text.ts'

beforeEach(forgetText)

const ALL = 1000
const form: TimeForm = {
  text: (time) => `d${time}`,
  write(view, at, time) {
    const text = `d${time}`
    for (let i = 0; i < text.length; i++) view.setUint8(at + i, text.charCodeAt(i))
    return at + text.length
  },
}
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
    return [{ times: Int32Array.from(places), form }, Float64Array.from(places, (place) => (place * scale) / 4)]
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
])('rows from %i, %i of them, are the same text in every format, cached or not', (first, count) => {
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
    for (const owner of [null, of, of, of])
      expect(storedText(names, source(owner, first, count), format, around).toString()).toBe(`<${expected[format]}>`)
})

test('text is cached from the second request on, per object', () => {
  const of = {}
  const read = (owner: object) => {
    reads = 0
    storedText(names, source(owner, 10, 600), 'json', around)
    return reads
  }
  expect([read(of), read(of), read(of), read({})]).toEqual([1, 5, 0, 1])
})

test('partly cached rows give the same text as new ones', () => {
  const of = {}
  for (const [first, count] of [
    [256, 128],
    [256, 128],
    [100, 700],
    [0, ALL],
  ] as const)
    expect(storedText(names, source(of, first, count), 'csv', around).toString()).toBe(
      `<${rowsOf(first, count)
        .map((row) => `d${row},${row / 4}\r\n`)
        .join('')}>`,
    )
})

test('another object of the same shape never gets the first one’s text', () => {
  const first = {}
  for (let time = 0; time < 3; time++) storedText(names, source(first, 0, 3), 'csv', around)
  expect(storedText(names, source({}, 0, 3, 8), 'csv', around).toString()).toBe('<d0,0\r\nd1,2\r\nd2,4\r\n>')
})

test('the cache stays within its bound, however much is requested', () => {
  const wide = Array.from({ length: 200 }, (_, i) => `column_with_a_long_name_${i}`)
  const rows = (of: object): StoredRows => ({
    ...source(of, 0, ALL),
    read: (from, end) => wide.map(() => new Float64Array(end - from).fill(0.25)),
  })
  let written = 0
  while (written < 2 * KEPT_BYTES) {
    const of = {}
    storedText(wide, rows(of), 'json', around)
    written += storedText(wide, rows(of), 'json', around).length
  }
  expect(keptBytes()).toBeLessThanOrEqual(KEPT_BYTES)
  expect(keptBytes()).toBeGreaterThan(KEPT_BYTES / 4)
})

test('NaN is refused, not sent', () => {
  const rows = {
    ...source({}, 0, 1),
    read: () => [{ times: new Int32Array(1), form }, Float64Array.of(Number.NaN)],
  }
  expect(() => storedText(names, rows, 'json', around)).toThrow('Row 0 holds NaN')
})
