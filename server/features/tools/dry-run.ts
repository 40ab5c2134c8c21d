import { AppError } from '../../http/errors.ts'
import type { Table } from './define-tool.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { price } from './price.ts'
import type { JsonSchema, RegisteredTool } from './registry.ts'

/** The input that every table tool has besides its own. */
export const dryRunSchema: JsonSchema = { type: 'boolean' }

/** Takes `dry_run` out of an input. Throws invalid_parameter when it is neither true nor false, or the tool answers no rows. */
export function takeDryRun({ tool }: RegisteredTool, input: unknown): { dryRun: boolean; input: unknown } {
  if (tool.kind !== 'table' || input === null || typeof input !== 'object' || !('dry_run' in input))
    return { dryRun: false, input }
  const { dry_run: dryRun, ...rest } = input
  if (typeof dryRun !== 'boolean')
    throw new AppError('invalid_parameter', 'dry_run must be true or false.', {
      param: 'dry_run',
      allowed: ['true', 'false'],
    })
  return { dryRun, input: rest }
}

/** What the call would have answered and cost. Bytes and tokens are those of the compact JSON that agents get. */
export function estimate({ tool }: RegisteredTool, output: Table): Table {
  const text = JSON.stringify(output)
  return {
    columns: ['rows', 'bytes', 'estimated_tokens', 'credits'],
    rows: [[output.rows.length, Buffer.byteLength(text), estimateTokens(text), price(tool, output)]],
    meta: { row_count: 1, dry_run: true, warnings: ['An estimate; nothing was charged.'] },
    next_cursor: null,
  }
}
