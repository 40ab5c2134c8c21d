import { expect, test } from 'vitest'
import { createValidator, LIMITS } from './create-validator.ts'
import type { JsonSchema } from './node.ts'

const nested = (levels: number, name = 'not', inner: unknown = {}): unknown => {
  let value = inner
  for (let level = 0; level < levels; level++) value = { [name]: value }
  return value
}
/** Two branches that overlap and refer to themselves: without memory, twice the work for each level. */
const filter = (keyword: 'oneOf' | 'anyOf'): JsonSchema => ({
  $ref: '#/$defs/filter',
  $defs: {
    filter: {
      [keyword]: ['a', 'b'].map((name) => ({
        type: 'object',
        properties: { not: { $ref: '#/$defs/filter' }, [name]: { type: 'string' } },
        required: keyword === 'oneOf' ? [name] : [],
      })),
    },
  },
})

test.each([
  ['oneOf', 20],
  ['oneOf', 99],
  ['anyOf', 99],
] as const)('overlapping %s at depth %i is decided in few steps', (keyword, levels) => {
  const verdict = createValidator(filter(keyword)).validate(nested(levels, 'not', { not: 1 }))
  expect(verdict.outcome).toBe('invalid')
  expect(verdict.steps).toBeLessThan(5_000)
})

test('without memory the same value takes more than the limit', () => {
  const { validate } = createValidator(filter('anyOf'))
  const value = nested(20, 'not', { not: 1 })
  expect(validate(value, { rememberedFrom: Number.POSITIVE_INFINITY })).toEqual({
    outcome: 'over',
    limit: 'steps',
    steps: 100_001,
  })
})

test('30,000 levels end at the limit of depth, and do not use up the stack', () => {
  expect(createValidator(filter('anyOf')).validate(nested(30_000))).toMatchObject({ outcome: 'over', limit: 'depth' })
})

test.each([
  ['a schema that is itself', { $ref: '#' }, 1],
  ['branches that are the schema itself', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }, 1],
  ['a constant as deep as the value', { const: nested(10_000) }, nested(10_000)],
])('%s ends at the limit of depth', (_, schema, value) => {
  expect(createValidator(schema).validate(value)).toMatchObject({ outcome: 'over', limit: 'depth' })
})

test.each<[string, JsonSchema, unknown, number]>([
  ['a text', { type: 'string' }, 'x', 1],
  ['one more for each 64 characters that are counted', { maxLength: 700 }, 'x'.repeat(640), 11],
  ['one for each entry', { items: { type: 'integer' } }, [1, 2, 3], 4],
  ['one for each declared property, and each schema that meets one', { properties: { a: {}, b: {} } }, { a: 1 }, 4],
  ['one for each name that could be too much', { additionalProperties: true }, { a: 1, b: 2 }, 5],
  ['one for each branch', { anyOf: [{ type: 'null' }, { type: 'object' }, true] }, {}, 3],
])('steps are counted exactly: %s', (_, schema, value, steps) => {
  const { validate } = createValidator(schema)
  expect(validate(value)).toEqual({ outcome: 'valid', steps })
  expect(validate(value, { steps })).toEqual({ outcome: 'valid', steps })
  expect(validate(value, { steps: steps - 1 })).toMatchObject({ outcome: 'over', limit: 'steps' })
})

test('depth is counted exactly', () => {
  const { validate } = createValidator({ properties: { not: { $ref: '#' } } })
  // Each level is the property's schema and the one that it refers to.
  expect(validate(nested(10), { depth: 21 }).outcome).toBe('valid')
  expect(validate(nested(10), { depth: 20 })).toMatchObject({ outcome: 'over', limit: 'depth' })
})

test('a large ordinary value is within the limits', () => {
  const row = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } }, required: ['id'] }
  const rows = Array.from({ length: 7_000 }, (_, id) => ({ id, name: `name ${id}` }))
  const { outcome, steps } = createValidator({ type: 'array', items: row }).validate(rows)
  expect(JSON.stringify(rows).length).toBeGreaterThan(200_000)
  expect([outcome, steps]).toEqual(['valid', 42_001])
  expect(steps).toBeLessThan(LIMITS.steps)
})

const many = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at))
const named = (count: number) => Object.fromEntries(many(count, (at) => [`k${at}`, {}]))
test.each<[string, JsonSchema, string]>([
  ['a constant of a million names', { const: named(1_000_000) }, 'more than 100000 values'],
  ['a million allowed values', { enum: many(1_000_000, String) }, 'more than 100000 values'],
  ['parts that only a reference finds', { $ref: '#/x/0', x: [{ properties: named(20_000) }] }, 'more than 10000 parts'],
  [
    'addresses within addresses',
    many(300, (at) => at).reduce<JsonSchema>((not) => ({ not, $id: `${'a'.repeat(200)}/` }), {}),
    '$id leads to an address of more than 500 characters',
  ],
  ['long pointers', { anyOf: many(9_000, () => ({ $ref: `#${'/not'.repeat(600)}` })) }, 'its references are too long'],
])('%s are not read', (_, schema, problem) => {
  expect(() => createValidator(schema).check()).toThrow(problem)
})

test('each resource on the way of a dynamic reference counts', () => {
  const chain = (length: number) =>
    many(length, (at) => [
      `c${at}`,
      { $id: `c${at}`, $dynamicAnchor: 'x', $ref: at < length - 1 ? `c${at + 1}` : 'end' },
    ])
  const steps = (length: number) =>
    createValidator({
      $id: 'root',
      $ref: 'c0',
      $defs: { ...Object.fromEntries(chain(length)), end: { $id: 'end', not: { $dynamicRef: 'c0#x' }, type: 'null' } },
    }).validate(1).steps
  // Two steps for each resource, and one for each 16 that are copied: 1 + ... + 12 times 16 at 200.
  expect(steps(200) - 2 * steps(100)).toBeGreaterThan(500)
})

test.each([
  [0.01, 19.99, 'valid'],
  [0.1, 0.3, 'valid'],
  [0.01, 19.991, 'invalid'],
  [0.1, 1e-9, 'invalid'],
])('a multiple of %d is found in spite of binary fractions: %d is %s', (multipleOf, value, outcome) => {
  expect(createValidator({ multipleOf }).validate(value).outcome).toBe(outcome)
})
