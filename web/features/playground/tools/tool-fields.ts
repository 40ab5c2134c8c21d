import { type Field, shown } from './schema-fields.ts'

type Arguments = Record<string, unknown>
export type Made = { ok: true; value: Arguments } | { ok: false; error: string }

/** The arguments from the form; empty fields are not sent. */
export function readArguments(fields: readonly Field[], values: Record<string, string>): Made {
  const made: Arguments = {}
  for (const field of fields) {
    const text = values[field.name]?.trim() ?? ''
    if (text === '') continue
    const read = readValue(field, text)
    if (read === undefined) return { ok: false, error: `${field.name}: ${wanted[field.kind]}` }
    put(made, field.path, read)
  }
  return { ok: true, value: made }
}

/** The form for these arguments; null if the form cannot represent all of them. */
export function valuesOf(fields: readonly Field[], args: Arguments): Record<string, string> | null {
  const values: Record<string, string> = {}
  for (const { path, name, kind, choices } of fields) {
    const value = path.reduce<unknown>(valueAt, args)
    if (value === undefined) continue
    const choice = choices?.find((one) => shown(one.value) === shown(value))
    const items = (kind === 'list' || kind === 'numbers') && Array.isArray(value)
    values[name] = choice?.text ?? (items ? value.join(', ') : shown(value))
  }
  const made = readArguments(fields, values)
  return made.ok && canonical(made.value) === canonical(args) ? values : null
}

const valueAt = (at: unknown, key: string): unknown =>
  typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Arguments)[key] : undefined

/** JSON with sorted keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )

function put(into: Arguments, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0 && !Object.hasOwn(into, key!)) define(into, key!, {})
  if (rest.length > 0) put(into[key!] as Arguments, rest, value)
  else define(into, key!, value)
}

/** Sets even a key such as `__proto__` as an own property, so that it becomes an argument and nothing else. */
const define = (into: Arguments, key: string, value: unknown): void => {
  Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true })
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

function readValue({ kind, choices }: Field, text: string): unknown {
  if (choices) return choices.find((one) => one.text === text)?.value
  switch (kind) {
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'integer':
      return Number.isSafeInteger(Number(text)) ? Number(text) : undefined
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

/** Plain text is a string, so that a union of string and object can be typed without quotes. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^[[{"]/.test(text) ? undefined : text
  }
}
