import { z } from 'zod'
import { checkTool } from './check-tool.ts'
import type { InputShape, OutputShape, Tool } from './define-tool.ts'
import { dryRunSchema } from './dry-run.ts'
import { namesOf } from './input/input-names.ts'
import { parserOf } from './input/parse-input.ts'
import { listedInput, listedOutput, listedTable } from './listing/listed-schema.ts'
import { describedTool } from './listing/retirement.ts'
import { creditsHeld, leastCredits } from './price.ts'

const DEFAULT_TIMEOUT_MS = 10_000

/** A hold and a kept key outlive their work by the longest commit, with a margin. */
export const SETTLING_SECONDS = 60

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
  /** The parsed input. Throws invalid_parameter, naming the first wrong input and what is allowed. */
  parse: (input: unknown) => Record<string, unknown>
  /**
   * What makes a retry with an idempotency key free. `charge`: the tool runs again, and the meter recognizes the key. `answer`: the answer
   * of charged work is kept and given again, because the work cannot be repeated.
   */
  keeps: 'charge' | 'answer'
  /** Whether its work is given the market data that the caller may read. */
  readsMarket: boolean
  /** The longest time that its work may take. */
  timeoutMs: number
  /** How long credits are set aside at most: the work, its stream and their settlement. */
  mostSeconds: number
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
  const names = namesOf(tool.input)
  const inputNames = tool.kind === 'table' ? [...names, 'dry_run'] : names
  const { timeoutMs = DEFAULT_TIMEOUT_MS, streamMs = 0 } = tool
  return {
    id,
    tool,
    inputSchema,
    outputSchema: outputSchemaOf(tool.output),
    inputNames,
    parse: parserOf(tool.input, inputNames),
    keeps: tool.upstream ? 'answer' : 'charge',
    readsMarket: tool.kind !== 'body',
    timeoutMs,
    mostSeconds: Math.ceil((timeoutMs + streamMs) / 1000) + SETTLING_SECONDS,
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
    // A POST may be anything. Without the hint, clients take it to be destructive.
    ...(method !== 'POST' && { destructiveHint: true }),
    openWorldHint: true,
  }
}
