import type { JsonSchema } from '../../server/features/tools/register-tool.ts'
import { objectOf, simplified } from './plain-entry.ts'

const DEPTH = 4

/**
 * The required inputs of a tool that others described: their examples if there are any, else a value that the schema allows, or the
 * name of the input in capital letters, to be replaced.
 */
export function sampleInputs(schema: JsonSchema, examples: Record<string, unknown> = {}): Record<string, unknown> {
  const properties = objectOf(schema.properties)
  const required = [schema.required ?? []].flat().map(String)
  return Object.fromEntries(
    required.map((name) => [name, examples[name] ?? sample(name, objectOf(properties[name]), schema, 0)]),
  )
}

function sample(name: string, given: JsonSchema, root: JsonSchema, depth: number): unknown {
  const schema = simplified(given, root)
  const { default: usual, const: only, enum: choices, anyOf, oneOf } = schema
  if (usual !== undefined) return usual
  if (only !== undefined) return only
  if (Array.isArray(choices) && choices.length > 0) return choices[0]
  const [first] = [anyOf ?? oneOf ?? []].flat()
  if (first !== undefined && depth < DEPTH) return sample(name, objectOf(first), root, depth + 1)
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    case 'array':
      return depth < DEPTH ? [sample(name, objectOf(schema.items), root, depth + 1)] : []
    case 'object':
      return depth < DEPTH ? sampleObject(schema, root, depth) : {}
    default:
      return sampleText(name, schema)
  }
}

function sampleObject(schema: JsonSchema, root: JsonSchema, depth: number): Record<string, unknown> {
  const properties = objectOf(schema.properties)
  const required = [schema.required ?? []].flat().map(String)
  return Object.fromEntries(required.map((key) => [key, sample(key, objectOf(properties[key]), root, depth + 1)]))
}

const sampleText = (name: string, { format }: JsonSchema): string =>
  format === 'date' ? '2026-01-31' : format === 'date-time' ? '2026-01-31T12:00:00Z' : name.toUpperCase()
