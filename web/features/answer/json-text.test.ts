import { expect, test } from 'vitest'
import { jsonText } from './json-text.ts'

test('each row is one line, and reads as the same JSON', () => {
  const body = {
    data: [{ date: '2026-08-18', value: 86.48 }],
    columns: ['a', 'b'],
    meta: { warnings: [], of: { n: 1 } },
  }
  expect(jsonText(body)).toBe(`{
  "data": [
    { "date": "2026-08-18", "value": 86.48 }
  ],
  "columns": ["a", "b"],
  "meta": {
    "warnings": [],
    "of": { "n": 1 }
  }
}`)
  expect(JSON.parse(jsonText(body))).toEqual(body)
})

test.each([[null], ['text'], [{}], [[]], [[[1, [2]], { a: [{ b: 'x'.repeat(500) }] }]]])(
  '%j is the same JSON',
  (value) => {
    expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)))
  },
)
