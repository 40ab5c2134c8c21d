import { createHash } from 'node:crypto'
import { sorted } from '../../tools/idempotency-key.ts'
import type { JsonSchema, Operation, ReadDocument } from '../document/operation.ts'
import { shownText } from '../document/shown-text.ts'

/** What an operator approves of an MCP server's tool. Icons and private fields reach nobody, so they may change. */
const PARTS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
/** It becomes a segment of a path. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const MOST_TOOLS = 1_000

/** A tool as its server lists it. */
export interface ToolDefinition {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: JsonSchema
  outputSchema?: JsonSchema | undefined
  annotations?: Record<string, unknown> | undefined
}

/** The description of an MCP server that a version is read from, as text. */
export const toolsDocument = (title: string, tools: readonly ToolDefinition[]): string =>
  JSON.stringify(
    {
      title,
      tools: tools.map((tool) => Object.fromEntries(['name', ...PARTS].map((part) => [part, Reflect.get(tool, part)]))),
    },
    null,
    2,
  )

/** Reads what `toolsDocument` wrote: each tool as an operation `POST /<tool>`. */
export function readTools(document: string): ReadDocument {
  const { title, tools } = JSON.parse(document) as { title: string; tools: ToolDefinition[] }
  const skipped: ReadDocument['skipped'] = []
  const operations = tools.flatMap((tool, index) => {
    const reason = !NAME.test(tool.name)
      ? 'its name has characters that no path can have'
      : index >= MOST_TOOLS
        ? `it comes after the first ${MOST_TOOLS} tools`
        : null
    if (reason) skipped.push({ operation: shownText(tool.name, 128), reason })
    return reason ? [] : [operationOf(tool)]
  })
  return { title: shownText(title, 100), operations, schemas: {}, skipped, warnings: [] }
}

function operationOf(tool: ToolDefinition): Operation {
  const given = tool.annotations ?? {}
  const title = shownText(tool.title || String(given.title ?? '') || tool.name, 120)
  return {
    id: tool.name,
    method: 'POST',
    path: `/${tool.name}`,
    title,
    description: shownText(tool.description ?? '', 1_024) || title,
    input: shownSchema(tool.inputSchema) as JsonSchema,
    places: {},
    body: { type: 'json', whole: false },
    response: RESULT,
    accept: 'application/json',
    mcp: {
      pins: pinsOf(tool),
      annotations: Object.fromEntries(
        HINTS.flatMap((hint) => (typeof given[hint] === 'boolean' ? [[hint, given[hint]]] : [])),
      ),
      output: tool.outputSchema ?? null,
    },
  }
}

/** What REST answers: the result of the tool. */
const RESULT: JsonSchema = {
  type: 'object',
  properties: {
    content: { type: 'array', items: { type: 'object' } },
    structuredContent: { type: 'object' },
    isError: { type: 'boolean' },
  },
  required: ['content'],
}

/** The hash of each part of a definition. */
export const pinsOf = (tool: ToolDefinition): Record<string, string> =>
  Object.fromEntries(
    PARTS.map((part) => [
      part,
      createHash('sha256')
        .update(JSON.stringify(sorted(tool[part])) ?? '')
        .digest('hex'),
    ]),
  )

/** The parts that differ; empty: it is as approved. */
export const changedParts = (approved: Record<string, string>, now: Record<string, string>): string[] =>
  PARTS.filter((part) => approved[part] !== now[part])

const DATA = new Set(['default', 'const', 'enum', 'examples'])

/** Models read the texts within a schema as they read the description. */
function shownSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shownSchema)
  if (schema === null || typeof schema !== 'object') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (typeof value === 'string' && (key === 'description' || key === 'title')) return [key, shownText(value, 1_024)]
      return [key, DATA.has(key) ? value : shownSchema(value)]
    }),
  )
}
