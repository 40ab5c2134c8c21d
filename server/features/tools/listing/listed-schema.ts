import type { JsonSchema } from '../register-tool.ts'

/** Length bounds: enforced and documented by the tools' schemas and OpenAPI, but useless to models. */
const bounds = new Set(['minLength', 'maxLength', 'minItems'])

/** An input schema as `tools/list` sends it: without length bounds, which cost tokens. */
export function listedInput(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([name, value]) => !(bounds.has(name) && typeof value === 'number'))
  return Object.fromEntries(kept.map(([name, value]) => [name, each(value)]))
}

function each(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(each)
  return typeof value === 'object' && value !== null ? listedInput(value as JsonSchema) : value
}

/** The output schema of a value tool as `tools/list` sends it: its fields and their types. OpenAPI has the rest. */
export function listedOutput({ type, properties }: JsonSchema): JsonSchema {
  const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
  return {
    type,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, field.type ? { type: field.type } : {}])),
  }
}

/** `Table` in the fewest tokens that describe its shape; `tableOutput` is complete. */
export const listedTable: JsonSchema = {
  type: 'object',
  properties: {
    columns: { type: 'array' },
    rows: { type: 'array' },
    meta: { type: 'object' },
    next_cursor: { type: ['string', 'null'] },
  },
  required: ['columns', 'rows', 'meta', 'next_cursor'],
}
