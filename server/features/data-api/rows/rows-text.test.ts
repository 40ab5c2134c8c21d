import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arrayLayout, csvLayout } from './row-layout.ts'
import { answerText, rowsText } from './rows-text.ts'

const price = fc.integer({ min: 0, max: 2_000_000_00 }).map((cents) => cents / 100)
const number = fc.oneof(
  price,
  fc.constantFrom(0, -0, -12.34, 9_999.99, 10_000, 10_000.01, 0.01, 0.001, 19_999_999.99, 1e21, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const table = fc.array(fc.tuple(number, number, number), { minLength: 1, maxLength: 40 })
const columnsOf = (rows: [number, number, number][]) =>
  [0, 1, 2].map((at) => Float64Array.from(rows, (row) => row[at]!))

test('numbers of rows are written as String writes them', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const text = rowsText(csvLayout(['a', 'b', 'c']), columnsOf(rows), rows.length).toString()
      expect(text).toBe(rows.map((row) => `${row.map(String).join(',')}\r\n`).join(''))
    }),
    { numRuns: 500 },
  )
})

test('a number that is not finite is refused', () => {
  expect(() => rowsText(csvLayout(['a']), [Float64Array.of(1, Number.NaN)], 2)).toThrow('Row 1 holds NaN.')
})

test('unsent answers stay unchanged while others are written', () => {
  const answer = (seed: number) => {
    const rows = Array.from({ length: 1 + ((seed * 37) % 900) }, (_, row): [number, number, number] => [
      seed,
      row,
      0.25,
    ])
    const around = { head: '{"data":[', tail: `],"meta":"${seed}"}`, parted: true }
    const expected = `{"data":[${rows.map((row) => JSON.stringify(row)).join()}],"meta":"${seed}"}`
    return { written: answerText(arrayLayout(['a', 'b', 'c']), columnsOf(rows), rows.length, around)!, expected }
  }
  const answers = Array.from({ length: 200 }, (_, seed) => answer(seed))
  expect(answers.reduce((sum, { written }) => sum + written.length, 0)).toBeGreaterThan(2 ** 20)
  for (const { written, expected } of answers) expect(written.toString()).toBe(expected)
})
