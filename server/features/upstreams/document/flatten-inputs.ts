import { exampleOf, givenExample } from './examples.ts'
import type { InputPlace, JsonSchema, Operation } from './operation.ts'
import { resolve } from './references.ts'
import { shownText } from './shown-text.ts'

interface Parameter {
  name?: unknown
  in?: unknown
  required?: unknown
  description?: unknown
  schema?: unknown
  content?: Record<string, { schema?: unknown }>
  example?: unknown
  examples?: unknown
  style?: string
  explode?: boolean
}

/** Why an operation cannot be offered as a tool. */
export class NotOffered extends Error {}

/** They are made for each request: by the connection, the operator's credential, or the body. */
const OURS =
  /^(accept|accept-encoding|authorization|content-.*|cookie|finmeter-.*|forwarded|host|idempotency-key|signature|signature-input|traceparent|tracestate|user-agent|x-api-key|x-forwarded-.*|x-request-id)$/i
/** They are about one connection, and none can be sent on (RFC 9110, 7.6.1). */
const OF_CONNECTION = /^(connection|expect|http2-settings|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

export type Inputs = Pick<Operation, 'input' | 'places' | 'body' | 'example'> & {
  /** Headers that the description names and nobody can send. */
  unsent: string[]
}

/**
 * All inputs of an operation as one object. A parameter keeps its name, with other characters as underscores; where two have the same
 * name, the later one in the order path, query, header, body gets its place in front: `query_id`. Properties of a JSON or form body
 * become inputs if the body is a plain object; any other body is one input, `body`. `omit` tells parameters that the operator's
 * credential fills. Throws NotOffered.
 */
export function flattenInputs(
  root: unknown,
  parameters: unknown[],
  requestBody: unknown,
  copy: (schema: unknown) => JsonSchema,
  omit: (place: string, name: string) => boolean,
): Inputs {
  const properties: Record<string, JsonSchema> = {}
  const places: Record<string, InputPlace> = {}
  const required: string[] = []
  const example: Record<string, unknown> = {}
  const unsent: string[] = []
  const add = (place: InputPlace, schema: JsonSchema, isRequired: boolean, shown: unknown): void => {
    const base = place.name.replace(/^\W+|\W+$/g, '').replace(/\W+/g, '_') || place.in
    const name = [base, `${place.in}_${base}`].find((one) => !Object.hasOwn(properties, one) && one !== '__proto__')
    if (!name) throw new NotOffered(`it has several inputs called ${base}`)
    properties[name] = schema
    places[name] = place
    if (shown !== undefined) example[name] = shown
    if (isRequired) required.push(name)
  }

  const order = ['path', 'query', 'header']
  const all = parameters.map((given) => resolve<Parameter>(root, given))
  // A parameter of the operation replaces that of its path.
  const last = new Map(all.map((one) => [`${one.in} ${one.name}`, one]))
  const sorted = [...last.values()].sort((a, b) => order.indexOf(String(a.in)) - order.indexOf(String(b.in)))
  for (const parameter of sorted) {
    if (isUnsent(parameter)) {
      unsent.push(String(parameter.name))
      continue
    }
    const place = placeOf(parameter)
    if (place === null || omit(place.in, place.name)) continue
    const content = Object.values(parameter.content ?? {})[0]
    // Resolved, so that its type is at hand where text becomes a number.
    const schema = copy(resolve(root, parameter.schema ?? content?.schema ?? { type: 'string' }))
    const { description } = parameter
    const described =
      typeof description === 'string' && schema.description === undefined
        ? { description: shownText(description, 1_024) }
        : {}
    const shown = givenExample(root, parameter) ?? exampleOf(root, parameter.schema ?? content?.schema)
    add(place, { ...schema, ...described }, parameter.required === true || place.in === 'path', shown)
  }
  const body = addBody(root, requestBody, copy, add)
  return {
    input: { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false },
    places,
    body,
    unsent,
    ...(Object.keys(example).length > 0 && { example }),
  }
}

/** Throws NotOffered for a header that is required and has no name that can be sent. */
function isUnsent({ name, in: where, required }: Parameter): boolean {
  if (where !== 'header' || typeof name !== 'string' || name === '') return false
  if (required === true && !HEADER_NAME.test(name)) throw new NotOffered('a header has a name that cannot be sent')
  return OF_CONNECTION.test(name) || !HEADER_NAME.test(name)
}

/** Returns null if the caller does not set it. Throws NotOffered. */
function placeOf(parameter: Parameter): InputPlace | null {
  const { name, in: where, style, explode } = parameter
  if (typeof name !== 'string' || name === '') throw new NotOffered('a parameter has no name')
  if (where === 'cookie') {
    if (parameter.required === true) throw new NotOffered(`it needs the cookie ${name}`)
    return null
  }
  if (where !== 'path' && where !== 'query' && where !== 'header')
    throw new NotOffered(`the parameter ${name} is neither in path, query nor header`)
  if (where === 'header' && OURS.test(name)) return null
  const usual = where === 'query' ? 'form' : 'simple'
  const chosen = parameter.content ? 'json' : (style ?? usual)
  const known =
    where === 'query' ? ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'] : ['simple', 'json']
  if (!known.includes(chosen)) throw new NotOffered(`the parameter ${name} has the style ${chosen}`)
  return { in: where, name, style: chosen as InputPlace['style'], explode: explode ?? chosen === 'form' }
}

function addBody(
  root: unknown,
  given: unknown,
  copy: (schema: unknown) => JsonSchema,
  add: (place: InputPlace, schema: JsonSchema, isRequired: boolean, shown: unknown) => void,
): Operation['body'] {
  if (given === undefined || given === null) return null
  const { content = {}, required = false } = resolve<{
    content?: Record<string, { schema?: unknown }>
    required?: boolean
  }>(root, given)
  const types = Object.keys(content)
  const json = types.find((type) => /^application\/([\w.-]+\+)?json\b|^\*\/\*$/.test(type))
  const form = types.find((type) => type.startsWith('application/x-www-form-urlencoded'))
  const type = json ?? form
  if (type === undefined) {
    if (required) throw new NotOffered(`its body is ${types.join(', ') || 'of no type'}`)
    return null
  }
  const schema = content[type]?.schema ?? {}
  const place = (name: string): InputPlace => ({ in: 'body', name, style: 'json', explode: false })
  const kind = json ? 'json' : 'form'
  const flat = plainObject(root, schema)
  const shown = givenExample(root, content[type]) ?? exampleOf(root, schema)
  if (!flat) {
    add(place('body'), copy(schema), required, shown)
    return { type: kind, whole: true }
  }
  for (const [name, part] of Object.entries(flat.properties))
    add(place(name), copy(part), required && flat.required.includes(name), partOf(shown, name) ?? exampleOf(root, part))
  return { type: kind, whole: false }
}

const partOf = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

const DEPTH = 8

/**
 * The properties of a schema that describes nothing but an object with properties, or `allOf` such objects; null for any other schema. A
 * schema of `seen` adds nothing when it is met again, however often others refer to it.
 */
function plainObject(
  root: unknown,
  given: unknown,
  depth = 0,
  seen = new Set<unknown>(),
): { properties: Record<string, unknown>; required: string[] } | null {
  if (depth > DEPTH) return null
  const schema = resolve<JsonSchema>(root, given)
  if (seen.has(schema)) return { properties: {}, required: [] }
  seen.add(schema)
  const parts =
    schema.allOf === undefined
      ? []
      : (schema.allOf as unknown[]).map((part) => plainObject(root, part, depth + 1, seen))
  if (parts.includes(null)) return null
  const { type, properties, additionalProperties } = schema
  const isObject = type === undefined || type === 'object'
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  if (!isObject || isOpen || ['oneOf', 'anyOf', 'not', 'if', 'patternProperties'].some((key) => key in schema))
    return null
  if (properties === undefined && parts.length === 0) return null
  const own = {
    properties: (properties ?? {}) as Record<string, unknown>,
    required: (schema.required ?? []) as string[],
  }
  const merged = [...parts, own].map((part) => part!)
  const result = {
    properties: Object.assign({}, ...merged.map((part) => part.properties)) as Record<string, unknown>,
    required: merged.flatMap((part) => part.required),
  }
  return Object.values(result.properties).some((part) => (part as JsonSchema | null)?.readOnly === true)
    ? { ...result, properties: withoutReadOnly(result.properties) }
    : result
}

/** What the upstream alone sets is no input. */
const withoutReadOnly = (properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([, part]) => (part as JsonSchema | null)?.readOnly !== true))
