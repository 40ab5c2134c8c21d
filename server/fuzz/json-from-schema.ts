import type { Random } from './random.ts'

/** The parts of JSON Schema that our schemas use. */
export interface JsonSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  minItems?: number
  minimum?: number
  maximum?: number
  minLength?: number
  format?: string
}

const HOSTILE = [
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  true,
  [],
  {},
  [[]],
  'x'.repeat(5_000),
  '\u0000',
  '\ud800',
  '💥',
  '%00',
  "'; select 1 --",
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '2026-02-30',
  '9999-12-31T23:59:59Z',
  '00000000-0000-0000-0000-000000000000',
  'https://[::1]/',
  'javascript:alert(1)',
] as const
const texts: Record<string, readonly string[]> = {
  uuid: ['6f0a9c1e-5a53-4cf1-9b35-0f6a0f9f3c11', '00000000-0000-0000-0000-000000000000'],
  email: ['ada@example.com', `${'a'.repeat(60)}@example.com`],
  uri: ['https://example.com/x', 'http://127.0.0.1/'],
  date: ['2020-01-31', '1900-01-01', '2026-02-30'],
  'date-time': ['2020-01-31T00:00:00Z', '2020-01-31T00:00:00+14:00'],
}
const words = ['AAPL', 'usd', 'a', 'free', 'Desk', '1', 'max', '1d', 'SPX,MSFT', 'EUR']

/** A value that mostly fits the schema; now and then one part of it is hostile, missing or unknown. */
export function jsonFromSchema(schema: JsonSchema | undefined, random: Random): unknown {
  const { below, pick } = random
  if (schema === undefined || below(12) === 0) return pick(HOSTILE)
  if ('const' in schema) return schema.const
  if (schema.enum) return pick(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) return jsonFromSchema(pick(choices), random)
  const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type
  if (type === 'object') return objectFrom(schema, random)
  if (type === 'array')
    return Array.from({ length: (schema.minItems ?? 0) + below(4) }, () => jsonFromSchema(schema.items, random))
  if (type === 'integer' || type === 'number') {
    const { minimum = -5, maximum = 1_000 } = schema
    return pick([minimum, maximum, minimum - 1, maximum + 1, Math.min(maximum, minimum + below(50))])
  }
  if (type === 'boolean') return below(2) === 0
  if (type === 'null') return null
  const known = texts[schema.format ?? '']
  if (known) return pick(known)
  return pick(words).repeat(1 + Math.min(schema.minLength ?? 0, 64))
}

function objectFrom({ properties = {}, required = [] }: JsonSchema, random: Random): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties))
    if (random.below(10) < (required.includes(name) ? 9 : 5)) made[name] = jsonFromSchema(schema, random)
  if (random.below(15) === 0) made[random.pick(['extra', '__proto__x', 'toString', ''])] = random.pick(HOSTILE)
  return made
}
