/** A JSON Schema as our OpenAPI documents use it, without references. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  deprecated?: boolean
}

const typesOf = ({ type, anyOf, oneOf, enum: choices, const: only }: Schema): Set<string> | null => {
  if (type !== undefined) return new Set([type].flat())
  const parts = anyOf ?? oneOf
  if (parts) {
    const all = parts.map(typesOf)
    return all.includes(null) ? null : new Set(all.flatMap((types) => [...types!]))
  }
  const values = choices ?? (only === undefined ? undefined : [only])
  return values ? new Set(values.map((value) => (value === null ? 'null' : typeof value))) : null
}
const choicesOf = (schema: Schema): unknown[] | null => {
  if (schema.enum) return schema.enum
  if (schema.const !== undefined) return [schema.const]
  const parts = (schema.anyOf ?? schema.oneOf)?.map(choicesOf)
  return parts && !parts.includes(null) ? parts.flat() : null
}
/** An integer is a number. */
const covers = (types: Set<string>, type: string): boolean =>
  types.has(type) || (type === 'integer' && types.has('number'))

/** What a client could send before and can no longer, one sentence each. `at` begins each: `GET /v1/bars/{symbol}: limit`. */
export function narrowedInput(old: Schema, next: Schema, at: string): string[] {
  const [oldTypes, types] = [typesOf(old), typesOf(next)]
  const gone = types && [...(oldTypes ?? [])].filter((type) => !covers(types, type))
  if (gone?.length || (types && !oldTypes)) return [`${at} no longer takes ${gone?.join(', ') || 'every type'}`]
  const [oldChoices, choices] = [choicesOf(old), choicesOf(next)]
  const lost = choices && (oldChoices ?? []).filter((value) => !choices.includes(value))
  if (lost?.length || (choices && !oldChoices))
    return [`${at} no longer takes ${lost?.map((value) => JSON.stringify(value)).join(', ') || 'every value'}`]
  const found: string[] = []
  for (const [bound, isTighter] of bounds) {
    const [was, is] = [old[bound], next[bound]]
    if (is !== undefined && (was === undefined || isTighter(was, is)))
      found.push(`${at} has ${bound} ${is}${was === undefined ? '' : `, before ${was}`}`)
  }
  if (old.items && next.items) found.push(...narrowedInput(old.items, next.items, `${at}[]`))
  for (const [name, field] of Object.entries(old.properties ?? {})) {
    const same = next.properties?.[name]
    if (same) found.push(...narrowedInput(field, same, `${at}.${name}`))
    else if (!field.deprecated) found.push(`${at}.${name} was removed`)
  }
  for (const name of next.required ?? []) if (!old.required?.includes(name)) found.push(`${at}.${name} is now required`)
  return found
}

const bounds = [
  ['minimum', (was: number, is: number) => is > was],
  ['maximum', (was: number, is: number) => is < was],
  ['minLength', (was: number, is: number) => is > was],
  ['maxLength', (was: number, is: number) => is < was],
  ['minItems', (was: number, is: number) => is > was],
  ['maxItems', (was: number, is: number) => is < was],
] as const

/**
 * What an answer promised before and does no longer, one sentence each. Where there are alternatives, each is compared with the one
 * that it resembles most: another alternative is no break, because a client gets it only by asking for it.
 */
export function weakenedOutput(old: Schema, next: Schema, at: string): string[] {
  const alternatives = next.anyOf ?? next.oneOf
  const parts = old.anyOf ?? old.oneOf ?? (alternatives ? [old] : [])
  if (parts.length > 0) {
    const nearest = (part: Schema) =>
      (alternatives ?? [next]).map((one) => weakenedOutput(part, one, at)).sort((a, b) => a.length - b.length)[0]!
    return parts.flatMap(nearest)
  }
  const [oldTypes, types] = [typesOf(old), typesOf(next)]
  const added = oldTypes && [...(types ?? [])].filter((type) => !covers(oldTypes, type))
  if (added?.length || (oldTypes && !types)) return [`${at} can now be ${added?.join(', ') || 'anything'}`]
  const found: string[] = []
  if (old.items && next.items) found.push(...weakenedOutput(old.items, next.items, `${at}[]`))
  for (const [name, field] of Object.entries(old.properties ?? {})) {
    const same = next.properties?.[name]
    if (same) found.push(...weakenedOutput(field, same, `${at}.${name}`))
    else if (!field.deprecated) found.push(`${at}.${name} was removed`)
    if (same && old.required?.includes(name) && !next.required?.includes(name))
      found.push(`${at}.${name} can now be missing`)
  }
  return found
}
