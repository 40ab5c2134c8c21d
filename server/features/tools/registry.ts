import { z } from 'zod'
import type { Database } from '../../db/database.ts'
import type { Tool } from './define-tool.ts'
import { dryRunSchema } from './dry-run.ts'
import { listedInput, listedOutput, listedTable } from './listed-schema.ts'
import { describedTool } from './retirement.ts'

export type JsonSchema = Record<string, unknown>

/** A tool as the surfaces use it: its number in usage rows and everything derived once from its definition. */
export interface RegisteredTool {
  id: number
  tool: Tool
  /** JSON Schema 2020-12 of the accepted input, with the tool's own defaults. */
  inputSchema: JsonSchema
  outputSchema: JsonSchema
  /** Names of the inputs, for messages. */
  inputNames: readonly string[]
  /** Lowest price of an answer with rows: the balance needed for the work to start. */
  leastCredits: number
}

/** A tool as `tools/list` describes it. */
export interface McpTool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations: Record<string, unknown>
  _meta?: Record<string, unknown>
}

/** All tools; the list is fixed at startup. */
export interface ToolRegistry {
  /** In the order of the catalog. */
  readonly all: readonly RegisteredTool[]
  get: (name: string) => RegisteredTool | undefined
  /** The tool of a usage row; null for unknown numbers. Retired tools keep their name. */
  nameOf: (id: number) => string | null
  /** The number of a tool, including retired ones; null for an unknown name. */
  idOf: (name: string) => number | null
  /** The same objects on every call, in the same order, so that clients can cache the list. */
  readonly mcpTools: readonly McpTool[]
}

/**
 * Validates the tools, gives each a permanent number, and derives everything else from them. Throws on an invalid
 * definition.
 */
export async function createToolRegistry(tools: Tool[], db: Database): Promise<ToolRegistry> {
  const names = tools.map((tool) => tool.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new Error(`Two tools are named ${twice}.`)
  const ids = await numberTools(names, db)
  const all = tools.map((tool) => Object.freeze(registerTool(tool, ids.get(tool.name)!)))
  const byName = new Map(all.map((entry) => [entry.tool.name, entry]))
  const nameById = new Map([...ids].map(([name, id]) => [id, name]))
  return Object.freeze({
    all: Object.freeze(all),
    get: (name: string) => byName.get(name),
    nameOf: (id: number) => nameById.get(id) ?? null,
    idOf: (name: string) => ids.get(name) ?? null,
    mcpTools: Object.freeze(all.filter(({ tool }) => tool.mcp !== false).map(toMcpTool)),
  })
}

/** Numbers of all names ever registered. Instances that start together agree: the first insert of a name wins. */
async function numberTools(names: string[], db: Database): Promise<Map<string, number>> {
  await db.pool.query(
    'insert into tools (name) select name from unnest($1::text[]) name where not exists (select from tools t where t.name = name.name) on conflict do nothing',
    [names],
  )
  const { rows } = await db.pool.query<{ id: number; name: string }>('select id, name from tools')
  return new Map(rows.map(({ id, name }) => [name, id]))
}

const NAME = /^[a-z][a-z0-9_]{0,62}$/

export function registerTool(tool: Tool, id: number): RegisteredTool {
  if (!NAME.test(tool.name)) throw new Error(`Tool name ${tool.name}: use lower case letters, digits and underscores.`)
  const inputSchema = jsonSchema(tool.input, 'input')
  if (tool.kind === 'table')
    inputSchema.properties = { ...(inputSchema.properties as JsonSchema), dry_run: dryRunSchema }
  if (inputSchema.additionalProperties !== false) throw new Error(`Tool ${tool.name}: input must be z.strictObject.`)
  if (tool.rest && !tool.rest.path.startsWith('/v1/')) throw new Error(`Tool ${tool.name}: REST paths begin with /v1/.`)
  if (tool.example && !tool.input.safeParse(tool.example).success)
    throw new Error(`Tool ${tool.name}: example is no input.`)
  const inputNames = Object.keys(tool.input.shape)
  const restNames = inputNames.map((name) => tool.rest?.names?.[name] ?? name)
  for (const name of tool.rest?.path.matchAll(/\{(\w+)\}/g) ?? []) {
    if (!restNames.includes(name[1]!)) throw new Error(`Tool ${tool.name}: path parameter ${name[1]} is not an input.`)
  }
  return {
    id,
    tool,
    inputSchema,
    outputSchema: jsonSchema(tool.output, 'output'),
    inputNames: tool.kind === 'table' ? [...inputNames, 'dry_run'] : inputNames,
    leastCredits: tool.credits.credits,
  }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, override: dropSafeBounds })
  return rest as JsonSchema
}

/** JSON integers are always safe ones here, so saying it would help nobody. */
function dropSafeBounds({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** `schema` with the defaults that hold on one surface. */
export function withDefaults(schema: JsonSchema, defaults: Record<string, unknown> = {}): JsonSchema {
  const properties = { ...(schema.properties as Record<string, JsonSchema> | undefined) }
  for (const [name, value] of Object.entries(defaults)) properties[name] = { ...properties[name], default: value }
  const required = (schema.required as string[] | undefined)?.filter((name) => !(name in defaults))
  return { ...schema, properties, ...(required && { required }) }
}

function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const kept = Object.entries(schema.properties as JsonSchema).filter(([name]) => !names.includes(name))
  return { ...schema, properties: Object.fromEntries(kept) }
}

export function toMcpTool({ tool, inputSchema, outputSchema }: RegisteredTool): McpTool {
  const binding = tool.mcp || {}
  // Agents need no price for free tools.
  const unlisted = [...(binding.unlisted ?? []), ...(tool.credits.credits > 0 ? [] : ['dry_run'])]
  return Object.freeze({
    name: tool.name,
    title: tool.title,
    description: describedTool(tool),
    inputSchema: listedInput(withDefaults(without(inputSchema, unlisted), binding.defaults)),
    outputSchema: tool.kind === 'table' ? listedTable : listedOutput(outputSchema),
    // destructiveHint is meaningless with readOnlyHint, and `title` above is the one that clients show.
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    _meta: { 'finmeter/credits': tool.credits, ...(binding.view && { ui: { resourceUri: binding.view } }) },
  })
}
