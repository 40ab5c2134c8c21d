export interface Field {
  name: string
  kind: 'string' | 'number' | 'integer' | 'boolean' | 'list' | 'numbers' | 'json'
  required: boolean
  about: string | undefined
  choices: string[] | undefined
  /** The default, as text. */
  standard: string | undefined
  hint: string | undefined
}

type Schema = Record<string, unknown>
export type Made = { ok: true; value: Record<string, unknown> } | { ok: false; error: string }

/** The inputs of a tool as form fields. Objects, unions and lists of objects are written as JSON. */
export function fieldsOf(schema: Schema): Field[] {
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(properties).map(([name, property]) => {
    const kind = kindOf(property)
    return {
      name,
      kind,
      required: required.includes(name),
      about: typeof property.description === 'string' ? property.description : undefined,
      choices: choicesOf(property),
      standard: property.default === undefined ? undefined : shown(property.default),
      hint: kind === 'list' ? 'a, b, c' : kind === 'numbers' ? '1, 2, 3' : kind === 'json' ? 'JSON' : undefined,
    }
  })
}

function kindOf({ type, items, enum: choices }: Schema): Field['kind'] {
  if (choices) return 'string'
  if (type === 'string' || type === 'number' || type === 'integer' || type === 'boolean') return type
  const inner = (items as Schema | undefined)?.type
  if (type !== 'array') return 'json'
  return inner === 'string' ? 'list' : inner === 'number' || inner === 'integer' ? 'numbers' : 'json'
}

function choicesOf({ type, enum: choices }: Schema): string[] | undefined {
  if (type === 'boolean') return ['true', 'false']
  return Array.isArray(choices) && choices.every((choice) => typeof choice === 'string') ? choices : undefined
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The arguments that the form stands for; what is empty is not sent. */
export function readArguments(fields: Field[], values: Record<string, string>): Made {
  const value: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const text = values[name]?.trim() ?? ''
    if (text === '') continue
    const read = readValue(kind, text)
    if (read === undefined) return { ok: false, error: `${name}: ${wanted[kind]}` }
    value[name] = read
  }
  return { ok: true, value }
}

const wanted: Record<Field['kind'], string> = {
  string: 'expected text.',
  number: 'expected a number, such as 1.5.',
  integer: 'expected a whole number.',
  boolean: 'expected true or false.',
  list: 'expected values separated by commas.',
  numbers: 'expected numbers separated by commas.',
  json: 'expected JSON.',
}

function readValue(kind: Field['kind'], text: string): unknown {
  switch (kind) {
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'integer':
      return Number.isSafeInteger(Number(text)) ? Number(text) : undefined
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'list':
      return itemsOf(text)
    case 'numbers': {
      const numbers = itemsOf(text).map(Number)
      return numbers.every(Number.isFinite) ? numbers : undefined
    }
    case 'json':
      return parse(text)
    default:
      return text
  }
}

const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((item) => item !== '')

/** Plain words are text: a union of text and object may be filled in by hand. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^[[{"]/.test(text) ? undefined : text
  }
}
