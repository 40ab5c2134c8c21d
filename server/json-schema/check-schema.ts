import type { SchemaIndex } from './index-schema.ts'
import type { JsonSchema, Node } from './node.ts'

type Shape = [is: (value: unknown, isDraft7: boolean) => boolean, what: string]

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
/** Documents that describe schemas themselves: what refers to them is left for the upstream to check. */
const OF_SCHEMAS = /^https?:\/\/json-schema\.org\/(draft-07|draft\/2020-12)\//

/** Reading this many takes about 25 ms of the thread, once. */
export const MOST_PARTS = 10_000
/** Names, entries and values. Constants and lists of allowed values are compared, and no budget counts the other side. */
const MOST_VALUES = 100_000
/** Characters of references and addresses, where each step of a pointer is looked up. */
const MOST_REFERENCED = 2_000_000
const CHARACTERS_OF_STEP = 20

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isSchema = (value: unknown): boolean => isObject(value) || typeof value === 'boolean'
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string')
const isSchemas = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isSchema)
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0

const schema: Shape = [isSchema, 'a schema']
const schemas: Shape = [isSchemas, 'a list of schemas']
const map: Shape = [(value) => isObject(value) && Object.values(value).every(isSchema), 'an object of schemas']
const count: Shape = [isCount, 'a whole number from 0']
const number: Shape = [(value) => typeof value === 'number', 'a number']
const text: Shape = [(value) => typeof value === 'string', 'text']
const yes: Shape = [(value) => typeof value === 'boolean', 'true or false']

const SHAPES = new Map<string, Shape>(
  Object.entries({
    type: [(value) => value !== undefined && [value].flat().every((one) => TYPES.has(String(one))), 'a type of JSON'],
    enum: [(value) => Array.isArray(value) && value.length > 0, 'a list of values'],
    multipleOf: [(value) => typeof value === 'number' && value > 0, 'a number above 0'],
    required: [isNames, 'a list of names'],
    items: [(value, isDraft7) => isSchema(value) || (isDraft7 && isSchemas(value)), 'a schema'],
    dependentRequired: [
      (value) => isObject(value) && Object.values(value).every(isNames),
      'an object of lists of names',
    ],
    dependencies: [
      (value) => isObject(value) && Object.values(value).every((one) => isSchema(one) || isNames(one)),
      'an object of schemas or lists of names',
    ],
    ...Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, schemas])),
    ...Object.fromEntries(
      ['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalProperties', 'additionalItems'].map(
        (name) => [name, schema],
      ),
    ),
    unevaluatedItems: schema,
    unevaluatedProperties: schema,
    ...Object.fromEntries(
      ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].map((name) => [name, map]),
    ),
    ...Object.fromEntries(
      [
        'maxLength',
        'minLength',
        'maxItems',
        'minItems',
        'maxProperties',
        'minProperties',
        'minContains',
        'maxContains',
      ].map((name) => [name, count]),
    ),
    ...Object.fromEntries(['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'].map((name) => [name, number])),
    ...Object.fromEntries(
      ['$ref', '$dynamicRef', '$anchor', '$dynamicAnchor', '$id', 'format', 'pattern'].map((name) => [name, text]),
    ),
    uniqueItems: yes,
  } satisfies Record<string, Shape>),
)

/** Throws an Error for a schema whose reading would take too long, before it is read. */
export function requireSmall(schema: JsonSchema | boolean): void {
  const waiting: unknown[] = [schema]
  let values = 0
  let referenced = 0
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (one === null || typeof one !== 'object') continue
    for (const [name, value] of Object.entries(one)) {
      if (++values > MOST_VALUES) throw new Error(`it has more than ${MOST_VALUES} values`)
      waiting.push(value)
      if (typeof value !== 'string') continue
      if (name === '$ref' || name === '$dynamicRef')
        referenced += value.length + value.split('/').length * CHARACTERS_OF_STEP
    }
    if (referenced > MOST_REFERENCED) throw new Error('its references are too long')
  }
}

/** Throws an Error that names the first keyword whose value is none, or the first reference that leads nowhere. */
export function checkSchema(index: SchemaIndex): void {
  const { $schema } = index.root.schema as JsonSchema
  if ($schema !== undefined && !/draft-07|2020-12/.test(String($schema)))
    throw new Error(`$schema must be 2020-12 or draft-07, and is ${String($schema).slice(0, 100)}`)
  // Following a reference can find more: the index ends at the limit.
  for (let at = 0; at < index.nodes.length; at++) checkNode(index, index.nodes[at]!)
}

function checkNode(index: SchemaIndex, node: Node): void {
  if (typeof node.schema === 'boolean') return
  for (const [keyword, value] of Object.entries(node.schema)) {
    const shape = SHAPES.get(keyword)
    if (shape && !shape[0](value, index.isDraft7)) throw new Error(`${keyword} must be ${shape[1]}`)
    if (
      (keyword === '$ref' || keyword === '$dynamicRef') &&
      !OF_SCHEMAS.test(String(value)) &&
      !index.resolve(node, String(value))
    )
      throw new Error(`${keyword} leads nowhere: ${String(value).slice(0, 100)}`)
  }
}
