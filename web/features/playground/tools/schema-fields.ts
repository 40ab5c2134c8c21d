import { visible } from '../../../lib/visible.ts'

export interface Choice {
  /** The fields that the form shows and stores. */
  text: string
  value: unknown
}

export interface Field {
  /** The path of the value in the arguments. */
  path: readonly string[]
  /** The path as shown: `filter.min`. */
  name: string
  kind: 'string' | 'number' | 'integer' | 'boolean' | 'list' | 'numbers' | 'json'
  required: boolean
  about: string | undefined
  choices: Choice[] | undefined
  /** The default, as text. */
  standard: string | undefined
  hint: string | undefined
}

type Schema = Record<string, unknown>

const maxDepth = 3
const maxReferences = 8
/** Limits the number of inputs a hostile schema can create. */
const maxFields = 200

/**
 * A tool's input schema as form fields. Objects become nested fields; references and nullable values are resolved.
 * Lists of objects, unions and deeper levels are edited as JSON.
 */
export function fieldsOf(schema: Schema): Field[] {
  return fieldsIn(schema, { root: schema, path: [], required: true }).slice(0, maxFields)
}

interface Place {
  root: Schema
  path: readonly string[]
  /** Whether all parents are required. */
  required: boolean
}

function fieldsIn(schema: Schema, place: Place): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(objectOf(schema.properties)).flatMap(([key, given]) => {
    const property = withItems(simplify(objectOf(given), place.root), place.root)
    const at = { ...place, path: [...place.path, key], required: place.required && required.includes(key) }
    if (property.type === 'object' && property.properties && at.path.length < maxDepth) return fieldsIn(property, at)
    return [fieldOf(property, at)]
  })
}

function fieldOf(property: Schema, { path, required }: Place): Field {
  const kind = kindOf(property)
  return {
    path,
    name: path.join('.'),
    kind,
    required,
    about: typeof property.description === 'string' ? visible(property.description) : undefined,
    choices: choicesOf(property),
    standard: property.default === undefined ? undefined : shown(property.default),
    hint: hintOf(kind, property),
  }
}

function kindOf({ type, items }: Schema): Field['kind'] {
  if (type === 'string' || type === 'number' || type === 'integer' || type === 'boolean') return type
  const inner = objectOf(items).type
  if (type !== 'array') return 'json'
  return inner === 'string' ? 'list' : inner === 'number' || inner === 'integer' ? 'numbers' : 'json'
}

function choicesOf(property: Schema): Choice[] | undefined {
  const { type, enum: values } = property
  if (type === 'boolean') return [true, false].map((value) => ({ text: String(value), value }))
  if (Array.isArray(values)) return values.map((value) => ({ text: shown(value), value }))
  const titled = alternatives(property)
  if (titled.length === 0 || !titled.every((one) => 'const' in one)) return undefined
  return titled.map((one) => ({ text: typeof one.title === 'string' ? one.title : shown(one.const), value: one.const }))
}

const dates: Record<string, string> = { date: 'YYYY-MM-DD', 'date-time': 'YYYY-MM-DDTHH:MM:SSZ' }

function hintOf(kind: Field['kind'], { type, items, format, ...rest }: Schema): string | undefined {
  const inner = objectOf(items).enum
  if (kind === 'list') return Array.isArray(inner) ? `some of ${inner.join(', ')}` : 'a, b, c'
  if (kind === 'numbers') return '1, 2, 3'
  if (kind === 'json') return shapeOf(type === 'array' ? objectOf(items) : rest, type === 'array')
  return typeof format === 'string' ? dates[format] : undefined
}

const maxNames = 4

/** How the JSON of an object, or of a list of them, begins: `[{"symbol": ..., "count": ...}]`. */
function shapeOf({ properties }: Schema, inList: boolean): string {
  const names = Object.keys(objectOf(properties)).slice(0, maxNames)
  if (names.length === 0) return inList ? '[...]' : 'JSON'
  const shape = `{${names.map((name) => `${JSON.stringify(visible(name))}: ...`).join(', ')}}`
  return inList ? `[${shape}]` : shape
}

/** Items that a list refers to are part of it. */
const withItems = (schema: Schema, root: Schema): Schema =>
  schema.type === 'array' ? { ...schema, items: simplify(objectOf(schema.items), root) } : schema

/** Unwraps a local reference, or a union whose other branch is null. */
function simplify(schema: Schema, root: Schema): Schema {
  let now = schema
  for (let count = 0; count < maxReferences; count++) {
    const only = alternatives(now).filter((one) => one.type !== 'null')
    const { $ref, anyOf: _, oneOf: __, ...rest } = now
    if (typeof $ref === 'string') now = { ...target($ref, root), ...rest }
    else if (only.length === 1 && !('const' in only[0]!)) now = { ...only[0], ...rest }
    else break
  }
  if (!Array.isArray(now.type)) return now
  const types = now.type.filter((one) => one !== 'null')
  return types.length === 1 ? { ...now, type: types[0] } : { ...now, type: undefined }
}

const alternatives = ({ anyOf, oneOf }: Schema): Schema[] => {
  const all = oneOf ?? anyOf
  return Array.isArray(all) ? all.map(objectOf) : []
}

/** Resolves a reference within the same schema; nothing is ever fetched. */
function target(reference: string, root: Schema): Schema {
  if (!reference.startsWith('#/')) return {}
  const steps = reference.slice(2).split('/')
  return steps.reduce((at, step) => objectOf(Object.hasOwn(at, step) ? at[step] : undefined), root)
}

const objectOf = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}

export const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
