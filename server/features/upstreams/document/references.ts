import type { JsonSchema } from './operation.ts'
import { shownText } from './shown-text.ts'

/** A reference that leads nowhere, or round in a circle of references alone. */
export class BadReference extends Error {}

/** The part of `root` that `pointer` (`#/components/schemas/Price`) names. `step` is called for each part on the way. Throws BadReference. */
export function follow(root: unknown, pointer: string, step = () => {}): unknown {
  let value: unknown = root
  const seen = new Set<string>()
  let at = pointer
  for (;;) {
    if (seen.has(at)) throw new BadReference(`${pointer} refers to itself`)
    seen.add(at)
    value = root
    for (const name of at.split('/').slice(1).map(unescapeStep)) {
      step()
      value =
        value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
      if (value === undefined) throw new BadReference(`${pointer} leads nowhere`)
    }
    const next = (value as { $ref?: unknown } | null)?.$ref
    if (typeof next !== 'string' || Object.keys(value as object).length > 1) return value
    at = next
  }
}

/** `value`, or what it refers to. Throws BadReference. */
export function resolve<T>(root: unknown, value: unknown): T {
  const { $ref } = (value ?? {}) as { $ref?: unknown }
  return (typeof $ref === 'string' ? follow(root, $ref) : value) as T
}

const unescapeStep = (step: string): string => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')

/** What a client needs of a schema; examples and pictures of it would only make lists longer. */
const LEFT_OUT = new Set(['__proto__', 'example', 'examples', 'externalDocs', 'xml', 'discriminator', 'nullable'])
/** Their keys are names, not keywords. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Models read them as they read the description of the tool. */
const TEXTS = new Set(['title', 'description'])
/** Their values are data. */
const DATA = new Set(['default', 'const', 'enum', 'required'])

/** The description of GitHub, 12 MB, takes about 35,000. Each reference into the middle of a schema copies what is below it again. */
const MOST_STEPS = 1_000_000

/**
 * Copies schemas out of a description. Each part that is referred to is copied once into `schemas`, under a name of letters, digits
 * and underscores, so that circular schemas stay finite. Throws BadReference after `mostSteps`.
 */
export function createSchemaCopier(
  root: unknown,
  mostSteps = MOST_STEPS,
): {
  copy: (schema: unknown) => JsonSchema
  schemas: Record<string, JsonSchema>
} {
  const schemas: Record<string, JsonSchema> = Object.create(null)
  const names = new Map<string, string>()
  const lastNumbers = new Map<string, number>()
  let steps = 0
  const step = (): void => {
    if (++steps > mostSteps)
      throw new BadReference(
        `the schemas of its description refer into one another so often that copying them takes more than ${mostSteps.toLocaleString('en-US')} steps`,
      )
  }

  const nameOf = (pointer: string): string => {
    const known = names.get(pointer)
    if (known) return known
    const target = follow(root, pointer, step)
    const base =
      pointer
        .replace(/^#\/components\/schemas\//, '')
        .replace(/\W+/g, '_')
        .slice(-60) || 'schema'
    let name = base
    while (Object.hasOwn(schemas, name)) {
      step()
      const number = (lastNumbers.get(base) ?? 1) + 1
      lastNumbers.set(base, number)
      name = `${base}_${number}`
    }
    names.set(pointer, name)
    schemas[name] = {}
    schemas[name] = copySchema(target) as JsonSchema
    return name
  }

  const copySchema = (schema: unknown): unknown => {
    step()
    if (schema === null || typeof schema !== 'object') return schema
    if (Array.isArray(schema)) return schema.map(copySchema)
    const out: JsonSchema = {}
    for (const [key, value] of Object.entries(schema)) {
      if (LEFT_OUT.has(key) || key.startsWith('x-')) continue
      if (key === '$ref' && typeof value === 'string') out.$ref = `#/$defs/${nameOf(value)}`
      else if (DATA.has(key)) out[key] = value
      else if (TEXTS.has(key) && typeof value === 'string') out[key] = shownText(value, 1_024)
      else if (MAPS.has(key) && value !== null && typeof value === 'object')
        out[key] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copySchema(part)]))
      else out[key] = copySchema(value)
    }
    // What is left of OpenAPI 3.0 where no `type` could take it up.
    return (schema as JsonSchema).nullable === true ? { anyOf: [out, { type: 'null' }] } : out
  }
  return { copy: (schema) => copySchema(schema) as JsonSchema, schemas }
}

/** `schema` with the parts of `schemas` that it needs, so that it stands alone. */
export function withDefs(schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  const needed: Record<string, JsonSchema> = Object.create(null)
  const waiting: unknown[] = [schema]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (node === null || typeof node !== 'object') continue
    const { $ref } = node as { $ref?: unknown }
    if (typeof $ref === 'string') {
      const name = $ref.slice('#/$defs/'.length)
      if (!Object.hasOwn(needed, name) && Object.hasOwn(schemas, name)) {
        needed[name] = schemas[name]!
        waiting.push(schemas[name])
      }
    }
    waiting.push(...Object.values(node))
  }
  return Object.keys(needed).length > 0 ? { ...schema, $defs: needed } : schema
}
