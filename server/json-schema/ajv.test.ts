import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createValidator } from './create-validator.ts'
import type { JsonSchema } from './node.ts'

const { oneof, record, constantFrom, integer, array, dictionary, boolean } = fc

/** Those of every object of JavaScript are in the official tests: ajv takes them for given ones. */
const name = constantFrom('a', 'b', 'c', 'ä', 'x/y~z')
const word = constantFrom('', 'a', 'ab', 'abc', '💥', '2026-02-30', '2026-02-28', 'a@example.com')
/** From 1e21 on, ajv takes no number for a multiple of 1. */
const number = constantFrom(-1, 0, 1, 1.5, 2, 3, 10, 0.3, 2 ** 31)
const count = integer({ min: 0, max: 3 })
const type = constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object')

const { value } = fc.letrec((tie) => ({
  value: oneof(
    { maxDepth: 3, withCrossShrink: true },
    oneof(word, number, boolean(), fc.constant(null)),
    array(tie('value'), { maxLength: 3 }),
    dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

/** Ajv does not check what follows the schemas of first entries where a list is empty. */
const rulesThatAjvKnows = (keys: string[]): string[] =>
  keys.includes('prefixItems') || keys.includes('items') ? keys.filter((key) => key !== 'contains') : keys

/** Ordinary rules, many at once; of `unevaluated*`, ajv has an understanding of its own, and the official tests have more. References lead to a part that may lead back. */
const schemas = (isDraft7: boolean) =>
  fc.letrec((tie) => {
    const one = tie('schema')
    const list = array(one, { minLength: 1, maxLength: 3 })
    const map = dictionary(name, one, { maxKeys: 3, noNullPrototype: true })
    const names = fc.uniqueArray(name, { maxLength: 2 })
    const same = {
      items: isDraft7 ? oneof(one, list) : one,
      ...(isDraft7
        ? {
            additionalItems: one,
            dependencies: dictionary(name, oneof(one, names), { maxKeys: 2, noNullPrototype: true }),
          }
        : {
            prefixItems: list,
            minContains: count,
            maxContains: count,
            dependentRequired: dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
            dependentSchemas: map,
          }),
    }
    const rules: Record<string, fc.Arbitrary<unknown>> = {
      type: oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
      const: value,
      minimum: number,
      maximum: number,
      exclusiveMinimum: number,
      exclusiveMaximum: number,
      multipleOf: constantFrom(1, 2, 0.5, 0.1),
      minLength: count,
      maxLength: count,
      format: constantFrom('date', 'email', 'int32', 'unheard-of'),
      minItems: count,
      maxItems: count,
      minProperties: count,
      maxProperties: count,
      required: names,
      properties: map,
      additionalProperties: oneof(boolean(), one),
      propertyNames: one,
      contains: one,
      not: one,
      allOf: list,
      anyOf: list,
      oneOf: list,
      if: one,
      // biome-ignore lint/suspicious/noThenProperty: a keyword
      then: one,
      else: one,
      ...same,
    }
    const some = fc.subarray(Object.keys(rules), { maxLength: 4 })
    return {
      schema: oneof(
        { maxDepth: 4, withCrossShrink: true },
        constantFrom<unknown>(true, false, { type: 'string' }, { $ref: '#/$defs/part' }),
        some.chain((keys) => record(Object.fromEntries(rulesThatAjvKnows(keys).map((key) => [key, rules[key]!])))),
      ),
    }
  }).schema as fc.Arbitrary<JsonSchema | boolean>

/** A part that refers to itself by way of a property, so that it ends. */
const documents = (isDraft7: boolean) =>
  fc.tuple(schemas(isDraft7), schemas(isDraft7)).map(
    ([schema, inner]): JsonSchema => ({
      ...(isDraft7 && { $schema: 'http://json-schema.org/draft-07/schema#' }),
      allOf: [schema],
      $defs: { part: { properties: { a: withoutPart(inner), b: { $ref: '#/$defs/part' } } } },
    }),
  )
const withoutPart = (schema: JsonSchema | boolean): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/part"', '"type":"number"'))

function compiled(schema: JsonSchema, allErrors: boolean) {
  // Without a precision, 0.3 is no multiple of 0.1 for ajv.
  const options = { strict: false, logger: false, allErrors, multipleOfPrecision: 9 } as const
  const ajv = '$schema' in schema ? new Ajv(options) : new Ajv2020(options)
  formats.default(ajv)
  return ajv.compile(schema)
}

const said = ({ instancePath, keyword, message }: ErrorObject): unknown[] => [
  instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  keyword,
  message,
]

/** Undefined where the code that ajv 8 makes is broken: for `not: true` beside an `anyOf` with a reference, "props0 is not defined". */
function askAjv(validate: ReturnType<typeof compiled>, value: unknown): boolean | undefined {
  try {
    return validate(value)
  } catch (error) {
    if (error instanceof ReferenceError) return undefined
    throw error
  }
}

const { NIGHTLY } = process.env
/** Ajv tells of a wrong type, of two schemas that fit, and of a list without such an entry only after what else is wrong. */
const TOLD_EARLIER = ['type', 'oneOf', 'contains']

test.each([
  ['2020-12', false],
  ['draft-07', true],
])(
  '%s: the verdict and the first broken rule are those of ajv',
  { timeout: NIGHTLY ? 3_600_000 : 180_000 },
  (_, isDraft7) => {
    const seen = { valid: 0, invalid: 0 }
    fc.assert(
      fc.property(documents(isDraft7), fc.array(value, { minLength: 8, maxLength: 8 }), (schema, values) => {
        const validate = compiled(schema, false)
        const ours = createValidator(schema)
        ours.check()
        for (const one of values) {
          const verdict = ours.validate(one)
          // Ajv 8 takes an empty list for the one before it: contains, not, contains, type boolean refuses [[false], []].
          if (JSON.stringify(schema).includes('"contains"') && JSON.stringify(one).includes('[]')) continue
          const isValid = askAjv(validate, one)
          if (isValid === undefined) continue
          expect(verdict.outcome).toBe(isValid ? 'valid' : 'invalid')
          seen[isValid ? 'valid' : 'invalid']++
          if (verdict.outcome !== 'invalid') continue
          const { path, keyword, message } = verdict.problem
          if (TOLD_EARLIER.includes(keyword)) {
            const validateAll = compiled(schema, true)
            if (askAjv(validateAll, one) === undefined) continue
            expect(validateAll.errors!.map(said)).toContainEqual([path, keyword, message])
          } else expect([path, keyword, message]).toEqual(said(validate.errors![0]!))
        }
      }),
      {
        numRuns: NIGHTLY ? 5_000 : 150,
        examples: isDraft7 ? [[{ dependencies: { b: false, a: ['x'] } }, [{ a: 1, b: 2 }]]] : [],
      },
    )
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(200)
  },
)
