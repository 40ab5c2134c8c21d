import type { JsonSchema, Operation, ReadDocument } from '../document/operation.ts'
import { shownText } from '../document/shown-text.ts'
import type { McpManifest } from '../manifest.ts'
import { NAME, type Offered, pinsOf, type ToolDefinition } from './offered.ts'
import { readOffers } from './read-offers.ts'

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
const MOST_TOOLS = 1_000

/** Reads what `offeredDocument` wrote: each tool as an operation `POST /<tool>`, and what `readOffers` makes of the rest. */
export function readOffered(document: string, manifest: McpManifest): ReadDocument {
  const { title, tools, prompts = [], resources = [] } = JSON.parse(document) as { title: string } & Offered
  const { operations: offers, skipped } = readOffers({ prompts, resources }, manifest)
  const operations = tools.flatMap((tool, index) => {
    const reason = !NAME.test(tool.name)
      ? 'its name has characters that no path can have'
      : index >= MOST_TOOLS
        ? `it comes after the first ${MOST_TOOLS} tools`
        : null
    if (reason) skipped.push({ operation: shownText(tool.name, 128), reason })
    return reason ? [] : [operationOf(tool)]
  })
  return {
    title: shownText(title, 100),
    operations: [...operations, ...offers],
    schemas: {},
    skipped,
    unsent: [],
    warnings: [],
  }
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
      pins: pinsOf('tools', tool),
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
