import { z } from 'zod'
import type { Deprecation } from '#contract/deprecation.ts'
import type { ErrorCode } from '#contract/errors.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../metering/meter.ts'
import type { StoredRows } from './row-columns.ts'

/** The price of a successful call. Failed calls, and tables without rows, are free. */
export type CreditRule =
  | { kind: 'fixed'; credits: number }
  /** `credits` for every `perRows` rows, rounded up. */
  | { kind: 'rows'; credits: number; perRows: number }

export interface ToolContext {
  deps: Pick<Deps, 'config' | 'db' | 'tools'>
  /** The data that the caller may read. */
  market: Awaited<ReturnType<Deps['market']['of']>>
  /** The caller; tools read no other account's data. */
  caller: Caller
  /** The surface streams rows as they are produced, so an answer may have a very large number of them. */
  streams: boolean
  /** For the tool's own requests to other servers: the `traceparent` that continues the request's trace. Null: there is no trace. */
  readonly traceparent: string | null
  /** Aborted when the deadline passes. Created on first use, so tools that answer synchronously never pay for it. */
  readonly signal: AbortSignal
}

/** The usual answer of data tools: each column named once, each row an array in the same order. */
export interface TableMeta {
  row_count: number
  warnings: string[]
  [fact: string]: unknown
}
export type Cell = string | number | boolean | null
export interface Table {
  columns: string[]
  rows: Cell[][]
  meta: TableMeta
  next_cursor: string | null
  /**
   * The same rows in stored form. Then `rows` is a getter that creates them, which most surfaces never use. Never sent.
   */
  stored?: () => StoredRows
  /** The cursor after the first rows of this answer, for surfaces that truncate it. Never sent. */
  cursorAt?: (rows: number) => string
}

/** Describes `Table` to clients, short because it is repeated for every tool. Use it as `output` of every `kind: 'table'` tool. */
export const tableOutput = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  meta: z.looseObject({ row_count: z.int(), warnings: z.array(z.string()) }),
  next_cursor: z.string().nullable(),
})

/**
 * How REST serves a tool. `path` is whole (`/v1/bars/{symbol}`), `{name}` marks path parameters; other inputs come from the query string (GET) or
 * the JSON body (POST). Query text is turned into what `input` asks for: numbers, booleans, and arrays from
 * comma-separated lists; so `input` itself stays the natural type and never coerces.
 */
export interface RestBinding {
  method: 'GET' | 'POST'
  path: string
  /** Inputs that have another name in the path or query than in the tool: `{ query: 'q' }`. */
  names?: Record<string, string>
  /** Defaults that differ on this surface (REST returns more rows than MCP). */
  defaults?: Record<string, unknown>
}

/** How MCP serves a tool. */
export interface McpBinding {
  defaults?: Record<string, unknown>
  /** Inputs that are accepted but not listed, because they are worth less to models than the tokens they cost. */
  unlisted?: readonly string[]
  /** URI of the page that draws the answer, for hosts with MCP Apps. */
  view?: string
}

/**
 * A capability, defined once. REST, MCP, the playground, OpenAPI, reference pages and the price list are made from it.
 *
 * - `input` is `z.strictObject({...})`; every field has `.describe()`. Its parse is free of charge, and so is an
 *   `AppError` below 500 thrown by `run` (unknown_symbol with `suggestions`, invalid_parameter with `param`, `allowed`).
 * - `kind: 'table'`: `run` returns a `Table` and `output` is `tableOutput`; `meta.row_count` equals `rows.length` and
 *   every number is finite. `kind: 'value'`: `output` describes the object that `run` returns.
 * - `run` may answer synchronously, which is faster; a promise is raced against `timeoutMs` (10,000 by default).
 * - `mcp: false` leaves the tool out of MCP; without `rest` it has no REST path.
 */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  name: string
  title: string
  description: string
  input: I
  output: O
  kind: 'table' | 'value'
  credits: CreditRule
  /**
   * For slow or costly work: this many credits are set aside before `run` starts, so that they cannot be spent
   * meanwhile; the difference to the price is returned. Calls that cannot hold them are refused without work.
   */
  holds?: number
  timeoutMs?: number
  /** Inputs of a working example call, for reference pages and their snippets. Checked against `input` at startup. */
  example?: Record<string, unknown>
  /** For a table without a `cursor` input: why one answer is always complete. For reference pages. */
  whole?: string
  /** Refusals beyond those that every call can get. */
  errors?: readonly ErrorCode[]
  /** It will be retired: REST answers say so in headers, documents in words. */
  deprecated?: Deprecation
  /** Inputs that will be retired, by name: answers to calls that use one say so. */
  deprecatedInputs?: Readonly<Record<string, Deprecation>>
  rest?: RestBinding
  mcp?: McpBinding | false
  run: (input: z.output<I>, context: ToolContext) => Promise<z.output<O>> | z.output<O>
}

/** Preserves the types of `input` and `output` in a tool definition. */
export function defineTool<I extends z.ZodObject, O extends z.ZodType>(tool: Tool<I, O>): Tool {
  return tool as unknown as Tool
}
