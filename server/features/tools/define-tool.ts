import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Deprecation } from '#contract/deprecation.ts'
import type { ErrorCode } from '#contract/errors.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../metering/meter.ts'
import type { JsonInput } from './json-input.ts'
import type { JsonSchema } from './register-tool.ts'
import type { StoredRows } from './rows/row-columns.ts'

/**
 * The price of a successful call. Failed calls, and tables without rows, are free. All credits are integers; each begun portion counts
 * as a whole one. The forms with `at` or `header` and KiB are for `kind: 'body'`. `most` is the highest price: it is held before the
 * work, and a call never costs more. Streams, and operations that are not GET, need one.
 */
export type CreditRule =
  | { kind: 'fixed'; credits: number }
  /** `credits` for every `perRows` rows of a table. */
  | { kind: 'rows'; credits: number; perRows: number }
  /**
   * `credits` for every `per` entries of the array at a JSON pointer. In streams: of each event or line; `''` counts these themselves. An
   * answer without the array costs `missing`; absent: `most`.
   */
  | { kind: 'rows'; at: string; per: number; credits: number; most?: number; missing?: 0 }
  /**
   * `credits` for every `per` units that the upstream reports in a header, or at a JSON pointer (in streams: the last report). A stream that
   * the customer leaves before its end costs at least `floor`; absent: `most`. An answer without a report costs `missing`; absent: `most`.
   */
  | ({ kind: 'unit'; per: number; credits: number; most: number; missing?: 0 } & (
      | { header: string }
      | { at: string; floor?: number }
    ))
  /** `credits` for every KiB of the body. */
  | { kind: 'kib'; credits: number; most: number }

/**
 * What a tool of `kind: 'body'` answers. REST passes status, headers and body through; header names are in lower case. The body arrives
 * decoded: no content-encoding, content-length or hop-by-hop headers.
 */
export type BodyAnswer = { status: number; headers: Record<string, string> } & (
  | {
      body: Buffer
      /** The result of an MCP server, which MCP clients get as it is; `isError` is free. */
      mcp?: { content: unknown[]; structuredContent?: unknown; isError?: boolean }
      /** The client took the call back while the upstream was at work: it costs the highest price. */
      canceled?: true
      /** Whole seconds since the upstream was asked, of an answer from the cache. */
      cachedAgeS?: number
    }
  /** Read once. It is destroyed when the client leaves or time is up; an error means that the upstream broke off. */
  | { stream: Readable }
)

/** How far a call is, in the words of MCP. */
export interface Progress {
  progress: number
  total?: number
  message?: string
}

/** The client of a call under way: how to tell it of progress, and whether it has canceled. */
export interface CallClient {
  /** Absent if the client did not ask to be told. */
  progress?: ((news: Progress) => void) | undefined
  /** Aborted when the client takes the call back. Absent if it has no means to. */
  canceled?: AbortSignal | undefined
}

export interface ToolContext {
  deps: Pick<Deps, 'config' | 'db' | 'tools'>
  /** The data that the caller may read. */
  market: Awaited<ReturnType<Deps['market']['of']>>
  /** The caller; tools read no other account's data. */
  caller: Caller
  /** The surface streams rows as they are produced, so an answer may have a very large number of them. */
  streams: boolean
  /** The key that the client sent for this call, to be passed on with requests that are not repeatable. */
  readonly idempotencyKey: string | undefined
  /** Identifies the request in our logs and headers. */
  readonly requestId: string
  readonly client: CallClient
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

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type InputPlace = 'path' | 'query' | 'header' | 'body'

/**
 * How REST serves a tool. `path` is whole (`/v1/bars/{symbol}`), `{name}` marks path parameters; other inputs come from the query string
 * (GET, DELETE) or the JSON body, unless `places` says otherwise. Text of paths, queries and headers is turned into what `input` asks
 * for: numbers, booleans, and arrays from comma-separated lists; so `input` itself stays the natural type and never coerces.
 */
export interface RestBinding {
  method: RestMethod
  path: string
  /** Inputs that have another name on this surface than in the tool: `{ query: 'q' }`. Headers in lower case. */
  names?: Record<string, string>
  /** Where inputs travel, when not by the rule above. */
  places?: Record<string, InputPlace>
  /** The input that is the whole request body; without one, the body is an object of inputs. */
  bodyInput?: string
  /** Defaults that differ on this surface (REST returns more rows than MCP). */
  defaults?: Record<string, unknown>
}

/** Groups of tools that a client of MCP can ask for by name. */
export const toolPresets = ['test', 'prices', 'companies', 'economy'] as const

/** How MCP serves a tool. */
export interface McpBinding {
  /** The groups that it belongs to. */
  presets?: readonly (typeof toolPresets)[number][]
  defaults?: Record<string, unknown>
  /** Inputs that are accepted but not listed, because they are worth less to models than the tokens they cost. */
  unlisted?: readonly string[]
  /** URI of the page that draws the answer, for hosts with MCP Apps. */
  view?: string
  /** Replaces the hints that follow from the tool itself: those of an upstream MCP server's tool. */
  annotations?: Record<string, unknown>
  /** Its calls can report progress, and be taken back. */
  live?: boolean
}

/** How MCP lists a resource; `uri` may be a template (RFC 6570). */
export interface ListedResource {
  uri: string
  name: string
  title: string
  description: string
  mimeType?: string
}

/** A prompt, listed with the name, title and description of its tool, or the resources that one tool reads by its input `uri`. */
export type Offer =
  | { kind: 'prompt'; arguments: readonly { name: string; description: string; required: boolean }[] }
  | {
      kind: 'resources'
      resources: readonly ListedResource[]
      templates: readonly ListedResource[]
      has: (uri: string) => boolean
    }

/** What a tool takes: `z.strictObject({...})`, or a JSON Schema (`jsonInput`). */
export type InputShape = z.ZodObject | JsonInput
/** What a tool answers. A JSON Schema describes it to clients and is never enforced. */
export type OutputShape = z.ZodType | { readonly jsonSchema: JsonSchema }
type InputOf<I> = I extends z.ZodObject ? z.output<I> : Record<string, unknown>
type OutputOf<O> = O extends z.ZodType ? z.output<O> : unknown

/**
 * A capability, defined once. REST, MCP, the playground, OpenAPI, reference pages and the price list are made from it.
 *
 * - `input` is `z.strictObject({...})`, where every field has `.describe()`, or `jsonInput(schema)`. Its parse is free of charge, and
 *   so is an `AppError` below 500 thrown by `run` (unknown_symbol with `suggestions`, invalid_parameter with `param`, `allowed`).
 * - `kind: 'table'`: `run` returns a `Table` and `output` is `tableOutput`; `meta.row_count` equals `rows.length` and
 *   every number is finite. `kind: 'value'`: `output` describes the object that `run` returns. `kind: 'body'`: `run`
 *   returns a `BodyAnswer`.
 * - `run` may answer synchronously, which is faster; a promise is raced against `timeoutMs` (10,000 by default).
 * - `mcp: false` leaves the tool out of MCP; without `rest` it has no REST path.
 */
export interface Tool<I extends InputShape = InputShape, O extends OutputShape = OutputShape> {
  name: string
  title: string
  description: string
  input: I
  output: O
  kind: 'table' | 'value' | 'body'
  credits: CreditRule
  /**
   * For slow or costly work: this many credits are set aside before `run` starts, so that they cannot be spent
   * meanwhile; the difference to the price is returned. Calls that cannot hold them are refused without work.
   */
  holds?: number
  timeoutMs?: number
  /**
   * For `kind: 'body'`: the longest time that a stream may last after `run` returned it. Required of tools that return one; they hold
   * their highest price, so their rule must have one.
   */
  streamMs?: number
  /** How long calls whose work is done elsewhere (`/v1/meter`) hold their credits without a settlement; 1 to 3,600, absent: 300. */
  holdSeconds?: number
  /**
   * What becomes of credits that are never settled, because the server that had to do so died: those of calls whose work is done
   * elsewhere, and of streams that had begun. Absent: `release`. `charge`: all that was held is charged.
   */
  unsettled?: 'release' | 'charge'
  /** For `kind: 'body'`: the statuses that are charged, as `2xx` or `404`. Default: `2xx`. */
  charge?: readonly string[]
  /**
   * For `kind: 'table'`: until the end of the UTC day, the same input and the same market data give the same answer, whoever asks. So an
   * answer to a GET request is kept for the next.
   */
  lasts?: 'day'
  /** Answers may be up to `seconds` old, and cost at most `credits` then; absent: the price. `shared`: between accounts. */
  cache?: { seconds: number; shared: boolean; credits?: number }
  /** What an MCP server offers besides tools, and this stands for: over MCP it is that, and no tool (`mcp: false`). */
  offer?: Offer
  /** The operation that the tool stands for; `path` is the upstream's own template. Its REST path begins with `/v1/<id>/`. */
  upstream?: {
    id: string
    /** What the upstream is called on pages; its id if absent. */
    title?: string
    operation: string
    method: string
    path: string
    /** Whether a decoded path that fits `path` is that of another operation of the upstream, published or not. */
    isOther?: (path: string) => boolean
  }
  /** Lists have it after all others, of whatever supplier. */
  listedLast?: true
  /** Names of the plans whose accounts alone may call it. */
  plans?: readonly string[]
  /** Inputs of a working example call, for reference pages and their snippets. Checked against `input` at startup. */
  example?: Record<string, unknown>
  /** An example of an answer, where others described the tool. */
  exampleAnswer?: unknown
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
  run: (input: InputOf<I>, context: ToolContext) => Promise<OutputOf<O>> | OutputOf<O>
}

/** A tool of our own code: its input and output are zod's. */
export type CodeTool = Tool<z.ZodObject, z.ZodType>

/** Preserves the types of `input` and `output` in a tool definition. */
export function defineTool<I extends z.ZodObject, O extends z.ZodType>(tool: Tool<I, O>): CodeTool {
  return tool as unknown as CodeTool
}
