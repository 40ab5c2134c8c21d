import { CHARACTERS_PER_STEP, equal } from './equal.ts'
import type { Check, JsonSchema, Kind, Node } from './node.ts'
import { readFormat } from './read-format.ts'

/** The kind of a value, as far as schemas tell them apart. */
export function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'object' ? type : 'other'
}

type Checks = (Check | false)[]

/** `type`, which is checked before everything else. `nullable` is of OpenAPI 3.0. */
export function typeOf(node: Node, schema: JsonSchema): Check | false {
  const given = [schema.type].flat().filter((type) => typeof type === 'string')
  if (given.length === 0) return false
  const types = new Set(schema.nullable === true ? [...given, 'null'] : given)
  return (_run, value) => {
    const kind = kindOf(value)
    const fits = types.has(kind) || (kind === 'number' && types.has('integer') && Number.isInteger(value))
    return fits ? null : { node, keyword: 'type' }
  }
}

/** 19.99 is a multiple of 0.01, although their quotient has an error in its last digits. */
const isWhole = (quotient: number): boolean =>
  Number.isInteger(quotient) || Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 2 * Number.EPSILON

export function ofNumbers(node: Node, schema: JsonSchema): Checks {
  const bound = (keyword: string, holds: (value: number, limit: number) => boolean): Check | false => {
    const limit = schema[keyword]
    if (typeof limit !== 'number') return false
    return (_run, value) => (holds(value, limit) ? null : { node, keyword })
  }
  return [
    bound('maximum', (value, limit) => value <= limit),
    bound('minimum', (value, limit) => value >= limit),
    bound('exclusiveMaximum', (value, limit) => value < limit),
    bound('exclusiveMinimum', (value, limit) => value > limit),
    bound('multipleOf', (value, unit) => isWhole(value / unit)),
    format(node, schema, 'number'),
  ]
}

export function ofText(node: Node, schema: JsonSchema): Checks {
  const bound = (keyword: string, holds: (length: number, limit: number) => boolean): Check | false => {
    const limit = schema[keyword]
    if (typeof limit !== 'number') return false
    return (run, value: string) => {
      run.spend(Math.trunc(value.length / CHARACTERS_PER_STEP))
      return holds(lengthOf(value), limit) ? null : { node, keyword }
    }
  }
  return [
    bound('maxLength', (length, limit) => length <= limit),
    bound('minLength', (length, limit) => length >= limit),
    format(node, schema, 'string'),
  ]
}

function format(node: Node, schema: JsonSchema, kind: 'string' | 'number'): Check | false {
  const found = readFormat(schema.format)
  if (found?.kind !== kind) return false
  const { stepsPerCharacter, test } = found
  return (run, value: string | number) => {
    if (typeof value === 'string') run.spend(Math.trunc(value.length * stepsPerCharacter))
    return test(value as never) ? null : { node, keyword: 'format' }
  }
}

/** In characters as people count them: two units of UTF-16 can be one. */
function lengthOf(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      length--
      at++
    }
  }
  return length
}

export function ofAnything(node: Node, schema: JsonSchema): Checks {
  return [
    'const' in schema && ((run, value) => (equal(run, value, schema.const) ? null : { node, keyword: 'const' })),
    Array.isArray(schema.enum) && oneOfValues(node, schema.enum),
  ]
}

function oneOfValues(node: Node, allowed: unknown[]): Check {
  const plain = new Set(allowed.filter((one) => one === null || typeof one !== 'object'))
  const others = allowed.filter((one) => one !== null && typeof one === 'object')
  return (run, value) => {
    if (typeof value === 'string') run.spend(Math.trunc((value as string).length / CHARACTERS_PER_STEP))
    const isOne = plain.has(value) || others.some((one) => equal(run, value, one))
    return isOne ? null : { node, keyword: 'enum' }
  }
}

export function ofLists(node: Node, schema: JsonSchema): Checks {
  return [bounded(node, schema, 'maxItems', lengthOfList), bounded(node, schema, 'minItems', lengthOfList)]
}

const lengthOfList = (value: object): number => (value as unknown[]).length

export function ofObjects(node: Node, schema: JsonSchema): Checks {
  const count = (value: object) => Object.keys(value).length
  return [
    bounded(node, schema, 'maxProperties', count),
    bounded(node, schema, 'minProperties', count),
    Array.isArray(schema.required) &&
      required(
        node,
        schema.required.filter((name) => typeof name === 'string'),
      ),
  ]
}

function bounded(node: Node, schema: JsonSchema, keyword: string, count: (value: object) => number): Check | false {
  const limit = schema[keyword]
  if (typeof limit !== 'number') return false
  const isMost = keyword.startsWith('max')
  return (run, value: object) => {
    const length = count(value)
    run.spend(Array.isArray(value) ? 0 : length)
    return (isMost ? length <= limit : length >= limit) ? null : { node, keyword }
  }
}

function required(node: Node, names: readonly string[]): Check {
  return (run, value: object) => {
    run.spend(names.length)
    for (const name of names) if (!has(value, name)) return { node, keyword: 'required', detail: name }
    return null
  }
}

/** `dependentRequired`, and the same in draft-07. */
export function requiredWith(node: Node, keyword: string, name: string, others: readonly unknown[]): Check {
  return (run, value: object) => {
    run.spend(1)
    if (!has(value, name)) return null
    run.spend(others.length)
    return others.every((other) => has(value, String(other))) ? null : { node, keyword, detail: name }
  }
}

/** In JSON, a property without a value does not exist. */
export const has = (value: object, name: string): boolean =>
  Object.hasOwn(value, name) && Reflect.get(value, name) !== undefined
