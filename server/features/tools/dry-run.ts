import { AppError } from '../../http/errors.ts'
import type { BodyAnswer, Table, Tool } from './define-tool.ts'
import { namesOf } from './input/input-names.ts'
import { estimateTokens } from './listing/estimate-tokens.ts'
import { toolPriceText } from './listing/price-text.ts'
import { mostOf, price } from './price.ts'
import type { JsonSchema, RegisteredTool } from './register-tool.ts'
import { MOST_ROWS_AT_ONCE, rowsOf } from './rows/row-columns.ts'

/** The extra input of every table tool, and over REST of every tool. */
export const dryRunSchema: JsonSchema = { type: 'boolean' }

/**
 * Removes `dry_run` from an input. Throws invalid_parameter when it is neither true nor false. Tools without rows have
 * no such input, except where the surface can send an estimate in place of their value (`ofValues`).
 */
export function takeDryRun(
  { tool }: RegisteredTool,
  input: unknown,
  ofValues: boolean,
): { dryRun: boolean; input: unknown } {
  // Of an upstream's operation, an input of this name may be its own.
  const own = tool.kind === 'body' && namesOf(tool.input).includes('dry_run')
  const possible = !own && (tool.kind !== 'value' || ofValues)
  if (!possible || input === null || typeof input !== 'object' || !('dry_run' in input)) return { dryRun: false, input }
  const { dry_run: dryRun, ...rest } = input
  if (typeof dryRun !== 'boolean')
    throw new AppError('invalid_parameter', 'dry_run must be true or false.', {
      param: 'dry_run',
      allowed: ['true', 'false'],
    })
  return { dryRun, input: rest }
}

/**
 * What the call would have returned and cost. Bytes and tokens are those of the compact JSON that agents get; for
 * answers that can only be streamed they are extrapolated from the first rows.
 */
export function estimate(entry: RegisteredTool, output: unknown): Table | Record<string, number> {
  const { tool } = entry
  if (tool.kind === 'table') return estimateTable(entry, output as Table)
  const text = JSON.stringify(output)
  return {
    rows: 1,
    bytes: Buffer.byteLength(text),
    estimated_tokens: estimateTokens(text),
    credits: price(tool, output),
  }
}

/** What a call of an upstream would cost at most. It is not asked: it might act. */
export function estimateBody(tool: Tool): BodyAnswer {
  const { credits: rule } = tool
  const most = mostOf(rule) ?? null
  const data = { credits: rule.kind === 'fixed' ? rule.credits : null, most_credits: most, price: toolPriceText(tool) }
  const body = Buffer.from(JSON.stringify({ data, meta: { dry_run: true }, next_cursor: null }))
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
}

function estimateTable({ tool }: RegisteredTool, output: Table): Table {
  const count = output.meta.row_count
  const shown = Math.min(count, MOST_ROWS_AT_ONCE)
  const { columns, meta, next_cursor, stored } = output
  const rows = stored ? rowsOf(stored(), 0, shown) : output.rows.slice(0, shown)
  const text = JSON.stringify({ columns, rows, meta, next_cursor })
  const times = count === 0 ? 1 : count / shown
  return {
    columns: ['rows', 'bytes', 'estimated_tokens', 'credits'],
    rows: [
      [
        count,
        Math.round(times * Buffer.byteLength(text)),
        Math.round(times * estimateTokens(text)),
        price(tool, output),
      ],
    ],
    meta: { row_count: 1, dry_run: true, warnings: ['An estimate; nothing was charged.'] },
    next_cursor: null,
  }
}
