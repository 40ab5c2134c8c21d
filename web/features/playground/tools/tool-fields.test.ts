import { expect, test } from 'vitest'
import { fieldsOf } from './schema-fields.ts'
import { readArguments, valuesOf } from './tool-fields.ts'

const fields = fieldsOf({
  type: 'object',
  required: ['symbol', 'page'],
  properties: {
    symbol: { type: 'string', description: 'Symbol' },
    limit: { type: 'integer', default: 100 },
    scale: { type: 'number' },
    live: { type: 'boolean', default: false },
    interval: { type: 'string', enum: ['1d', '1w'], default: '1d' },
    days: { type: 'integer', enum: [1, 5] },
    columns: { type: 'array', items: { type: 'string' } },
    where: { type: 'object' },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    since: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }], default: null },
    most: { type: ['integer', 'null'] },
    side: {
      oneOf: [
        { const: 'b', title: 'Buy' },
        { const: 's', title: 'Sell' },
      ],
    },
    page: { $ref: '#/$defs/page' },
  },
  $defs: {
    page: {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer' }, sort: { type: 'object', properties: { by: { type: 'string' } } } },
    },
  },
})

test('a schema becomes fields', () => {
  expect(
    fields.map(({ name, kind, required, choices, standard }) => [
      name,
      kind,
      required,
      choices?.map(({ text }) => text),
      standard,
    ]),
  ).toEqual([
    ['symbol', 'string', true, undefined, undefined],
    ['limit', 'integer', false, undefined, '100'],
    ['scale', 'number', false, undefined, undefined],
    ['live', 'boolean', false, ['true', 'false'], 'false'],
    ['interval', 'string', false, ['1d', '1w'], '1d'],
    ['days', 'integer', false, ['1', '5'], undefined],
    ['columns', 'list', false, undefined, undefined],
    ['where', 'json', false, undefined, undefined],
    ['either', 'json', false, undefined, undefined],
    ['since', 'string', false, undefined, 'null'],
    ['most', 'integer', false, undefined, undefined],
    ['side', 'json', false, ['Buy', 'Sell'], undefined],
    ['page.size', 'integer', true, undefined, undefined],
    ['page.sort.by', 'string', false, undefined, undefined],
  ])
  expect(fields.find(({ name }) => name === 'since')?.hint).toBe('YYYY-MM-DD')
  expect(fieldsOf({})).toEqual([])
})

test('lists of what the schema refers to, and the shape of what is written as JSON', () => {
  const [tags, lines, filter] = fieldsOf({
    properties: {
      tags: { type: 'array', items: { $ref: '#/$defs/tag' } },
      lines: { type: 'array', items: { $ref: '#/$defs/line' } },
      filter: { type: 'object' },
    },
    $defs: {
      tag: { type: 'string' },
      line: { type: 'object', properties: { symbol: { type: 'string' }, count: { type: 'integer' } } },
    },
  })
  expect([tags!.kind, lines!.kind, filter!.kind]).toEqual(['list', 'json', 'json'])
  expect([tags!.hint, lines!.hint, filter!.hint]).toEqual(['a, b, c', '[{"symbol": ..., "count": ...}]', 'JSON'])
})

const filled = {
  symbol: ' AAPL ',
  limit: '5',
  scale: '1.5',
  live: 'true',
  interval: '',
  days: '5',
  columns: 'date, close,',
  where: '{"a":1}',
  either: 'plain',
  side: 'Sell',
  'page.size': '10',
  'page.sort.by': 'date',
}
const meant = {
  symbol: 'AAPL',
  limit: 5,
  scale: 1.5,
  live: true,
  days: 5,
  columns: ['date', 'close'],
  where: { a: 1 },
  either: 'plain',
  side: 's',
  page: { size: 10, sort: { by: 'date' } },
}

test('filled fields become typed arguments; empty fields are not sent', () => {
  expect(readArguments(fields, filled)).toEqual({ ok: true, value: meant })
})

test.each([
  [{ limit: '1.5' }, 'limit: expected a whole number.'],
  [{ scale: 'x' }, 'scale: expected a number, such as 1.5.'],
  [{ where: '{"a"' }, 'where: expected JSON.'],
  [{ 'page.size': 'x' }, 'page.size: expected a whole number.'],
])('%j is refused', (values, error) => {
  expect(readArguments(fields, values as unknown as Record<string, string>)).toEqual({ ok: false, error })
})

test('arguments fill the form again, if it can represent all of them', () => {
  const values = valuesOf(fields, meant)
  expect(values).toMatchObject({ symbol: 'AAPL', side: 'Sell', columns: 'date, close', 'page.sort.by': 'date' })
  expect(readArguments(fields, values!)).toEqual({ ok: true, value: meant })
  for (const more of [{ unknown: 1 }, { page: { size: 1, more: 2 } }, { limit: 'five' }, { symbol: '' }])
    expect(valuesOf(fields, more)).toBeNull()
})

test('a circular, deep or broken schema terminates', () => {
  const circle = { type: 'object', properties: { a: { $ref: '#/properties/a' }, b: { $ref: '#/$defs/none' } } }
  expect(fieldsOf(circle).map(({ name, kind }) => [name, kind])).toEqual([
    ['a', 'json'],
    ['b', 'json'],
  ])
  const tree = {
    $defs: { t: { type: 'object', properties: { in: { $ref: '#/$defs/t' } } } },
    properties: { t: { $ref: '#/$defs/t' } },
  }
  expect(fieldsOf(tree).map(({ name }) => name)).toEqual(['t.in.in'])
  const wide = { properties: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, { type: 'string' }])) }
  expect(fieldsOf(wide)).toHaveLength(200)
})

test('__proto__ is an argument like any other', () => {
  const odd = fieldsOf(
    JSON.parse('{"properties":{"__proto__":{"type":"object","properties":{"x":{"type":"string"}}}}}'),
  )
  const made = readArguments(odd, { '__proto__.x': '1' })
  expect(JSON.stringify(made)).toBe('{"ok":true,"value":{"__proto__":{"x":"1"}}}')
  expect(({} as { x?: string }).x).toBeUndefined()
})
