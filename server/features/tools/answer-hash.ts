import { createHash } from 'node:crypto'
import type { Table, Tool } from './define-tool.ts'

/**
 * Equal for answers of one request only if their rows are: what a repeat of a charged call must have. The rows that a tool has in stored
 * form follow from their data version, which is in `meta`, and their place in it.
 */
export function answerHash({ kind }: Tool, output: unknown): string {
  const hash = createHash('sha256')
  if (kind === 'value') return hash.update(JSON.stringify(output)).digest('base64url')
  const table = output as Table
  const { columns, meta, next_cursor } = table
  const { first, count, all, variant } = table.stored?.() ?? {}
  const rows = table.stored ? [first, count, all, variant] : table.rows
  return hash.update(JSON.stringify([columns, meta, next_cursor, rows])).digest('base64url')
}
