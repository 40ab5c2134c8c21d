import type { JsonSchema, RegisteredTool } from '../../server/features/tools/register-tool.ts'
import { shownText } from '../../server/features/upstreams/document/shown-text.ts'
import { plainLine } from './plain-text.ts'

const DEPTH = 3
const MOST_REFERENCES = 8
const MOST_CHARACTERS = 500

/**
 * A tool that others described, for pages whose texts are Markdown: descriptions of inputs are plain text, references are resolved, and
 * deeper levels are left to the schema itself.
 */
export function plainEntry(entry: RegisteredTool): RegisteredTool {
  const { inputSchema } = entry
  const properties = Object.entries(objectOf(inputSchema.properties)).map(
    ([name, field]) => [name, plainField(objectOf(field), inputSchema, 0)] as const,
  )
  return { ...entry, inputSchema: { ...inputSchema, properties: Object.fromEntries(properties) } }
}

function plainField(given: JsonSchema, root: JsonSchema, depth: number): JsonSchema {
  const { description, properties, items, anyOf, oneOf, allOf: _, ...others } = simplified(given, root)
  const rest = mapText(others, visible) as JsonSchema
  const isDeep = depth >= DEPTH
  const alternatives = anyOf ?? oneOf
  const within = (part: unknown) => plainField(objectOf(part), root, depth + 1)
  return {
    ...rest,
    ...(typeof description === 'string' && { description: plainLine(visible(description)) }),
    ...(properties !== undefined &&
      !isDeep && {
        properties: Object.fromEntries(
          Object.entries(objectOf(properties)).map(([name, part]) => [name, within(part)]),
        ),
      }),
    ...(items !== undefined && { items: isDeep ? {} : within(items) }),
    ...(Array.isArray(alternatives) && !isDeep && { anyOf: alternatives.map(within) }),
  }
}

const visible = (text: string): string => shownText(text, MOST_CHARACTERS)

/** The same value with each text in it changed. */
export function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => mapText(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapText(one, change)]))
}

/** What a reference leads to, and what a value is if it is not null. */
export function simplified(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let now = schema
  for (let count = 0; count < MOST_REFERENCES; count++) {
    const { $ref, anyOf, oneOf, ...rest } = now
    const others = [anyOf ?? oneOf]
      .flat()
      .filter((one) => one !== undefined && objectOf(one).type !== 'null')
      .map(objectOf)
    if (typeof $ref === 'string') now = { ...objectOf(objectOf(root.$defs)[$ref.slice('#/$defs/'.length)]), ...rest }
    else if (others.length === 1) now = { ...others[0], ...rest }
    else break
  }
  if (!Array.isArray(now.type)) return now
  const types = now.type.filter((type) => type !== 'null')
  return types.length === 1 ? { ...now, type: types[0] } : now
}

export const objectOf = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {}
