import { z } from 'zod'
import { checkTool } from './check-tool.ts'
import type { InputShape, OutputShape, Tool } from './define-tool.ts'
import { dryRunSchema } from './dry-run.ts'
import { namesOf } from './input-names.ts'
import { listedInput, listedOutput, listedTable } from './listed-schema.ts'
import { creditsHeld, leastCredits } from './price.ts'
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
  /** Credits set aside before the work; undefined: none. */
  holds: number | undefined
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

/**
 * Derives everything from a definition, once; `id` is the tool's permanent number. Throws on an invalid definition.
 */
export function registerTool(tool: Tool, id: number): RegisteredTool {
  checkTool(tool)
  const inputSchema = inputSchemaOf(tool.input)
  if (tool.kind === 'table')
    inputSchema.properties = { ...(inputSchema.properties as JsonSchema), dry_run: dryRunSchema }
  const inputNames = namesOf(tool.input)
  return {
    id,
    tool,
    inputSchema,
    outputSchema: outputSchemaOf(tool.output),
    inputNames: tool.kind === 'table' ? [...inputNames, 'dry_run'] : inputNames,
    leastCredits: leastCredits(tool),
    holds: creditsHeld(tool),
  }
}

const inputSchemaOf = (input: InputShape): JsonSchema =>
  'jsonSchema' in input ? { ...input.jsonSchema } : jsonSchema(input, 'input')

const outputSchemaOf = (output: OutputShape): JsonSchema =>
  'jsonSchema' in output ? output.jsonSchema : jsonSchema(output, 'output')

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

/** The tool as `tools/list` shows it. */
export function toMcpTool({ tool, inputSchema, outputSchema }: RegisteredTool): McpTool {
  const binding = tool.mcp || {}
  // Agents need no price for free tools.
  const unlisted = [
    ...(binding.unlisted ?? []),
    ...(tool.credits.credits > 0 || tool.kind === 'body' ? [] : ['dry_run']),
  ]
  return Object.freeze({
    name: tool.name,
    title: tool.title,
    description: describedTool(tool),
    inputSchema: listedInput(withDefaults(without(inputSchema, unlisted), binding.defaults)),
    // Clients check answers against a listed schema, and nobody promises that those of an upstream fit.
    ...(tool.kind !== 'body' && { outputSchema: tool.kind === 'table' ? listedTable : listedOutput(outputSchema) }),
    annotations: binding.annotations ?? hintsOf(tool),
    _meta: {
      'finmeter/credits': tool.credits,
      ...(tool.streamMs !== undefined && { 'finmeter/streams': true }),
      ...(tool.plans && tool.plans.length > 0 && { 'finmeter/plans': tool.plans }),
      ...(binding.view && { ui: { resourceUri: binding.view } }),
    },
  })
}

/** destructiveHint is meaningless with readOnlyHint, and `title` is the one that clients show. */
function hintsOf({ upstream }: Tool): Record<string, unknown> {
  const method = upstream?.method.toUpperCase() ?? 'GET'
  // A POST of our own only computes.
  if (!upstream || method === 'GET')
    return { readOnlyHint: true, idempotentHint: true, openWorldHint: upstream !== undefined }
  return {
    readOnlyHint: false,
    idempotentHint: method === 'PUT' || method === 'DELETE',
    destructiveHint: method !== 'POST',
    openWorldHint: true,
  }
}
