import { expect, test } from 'vitest'
import { fieldsOf, readArguments } from './tool-fields.ts'

const fields = fieldsOf({
  type: 'object',
  required: ['symbol'],
  properties: {
    symbol: { type: 'string', description: 'Symbol' },
    limit: { type: 'integer', default: 100 },
    scale: { type: 'number' },
    live: { type: 'boolean', default: false },
    interval: { type: 'string', enum: ['1d', '1w'], default: '1d' },
    columns: { type: 'array', items: { type: 'string' } },
    where: { type: 'object' },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
})

test('a schema becomes fields', () => {
  expect(
    fields.map(({ name, kind, required, choices, standard }) => [name, kind, required, choices, standard]),
  ).toEqual([
    ['symbol', 'string', true, undefined, undefined],
    ['limit', 'integer', false, undefined, '100'],
    ['scale', 'number', false, undefined, undefined],
    ['live', 'boolean', false, ['true', 'false'], 'false'],
    ['interval', 'string', false, ['1d', '1w'], '1d'],
    ['columns', 'list', false, undefined, undefined],
    ['where', 'json', false, undefined, undefined],
    ['either', 'json', false, undefined, undefined],
  ])
  expect(fieldsOf({})).toEqual([])
})

test('what is filled in becomes arguments of the right types; what is empty is not sent', () => {
  expect(
    readArguments(fields, {
      symbol: ' AAPL ',
      limit: '5',
      scale: '1.5',
      live: 'true',
      interval: '',
      columns: 'date, close,',
      where: '{"a":1}',
      either: 'plain',
    }),
  ).toEqual({
    ok: true,
    value: {
      symbol: 'AAPL',
      limit: 5,
      scale: 1.5,
      live: true,
      columns: ['date', 'close'],
      where: { a: 1 },
      either: 'plain',
    },
  })
})

test.each([
  [{ limit: '1.5' }, 'limit: expected a whole number.'],
  [{ scale: 'x' }, 'scale: expected a number, such as 1.5.'],
  [{ where: '{"a"' }, 'where: expected JSON.'],
])('%j is refused', (values, error) => {
  expect(readArguments(fields, values as unknown as Record<string, string>)).toEqual({ ok: false, error })
})
