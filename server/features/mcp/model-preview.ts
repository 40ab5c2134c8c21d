import type { Table } from '../tools/define-tool.ts'
import { estimateTokens } from '../tools/listing/estimate-tokens.ts'

/** Some clients reject an answer above 25,000 tokens. */
const MOST_TOKENS = 20_000

/**
 * The first rows of a table that would flood a model's context, with the total and how to continue; any other output
 * unchanged. Omitted rows are not charged.
 */
export function previewForModels(output: unknown): { output: unknown } {
  const table = output as Table
  if (!Array.isArray(table?.rows) || table.rows.length * table.columns.length < FEW_CELLS) return { output }
  const tokens = estimateTokens(JSON.stringify(table))
  if (tokens <= MOST_TOKENS) return { output }
  const rowTokens = estimateTokens(JSON.stringify(table.rows))
  const room = Math.max(0, MOST_TOKENS - (tokens - rowTokens) - NOTE_TOKENS)
  const kept = Math.max(1, Math.floor((table.rows.length * room) / rowTokens))
  const next = table.cursorAt?.(kept) ?? null
  const goOn = next ? 'Continue with next_cursor, or better: ask' : 'Ask'
  return {
    output: {
      ...table,
      stored: undefined,
      rows: table.rows.slice(0, kept),
      meta: {
        ...table.meta,
        row_count: kept,
        truncated: true,
        warnings: [
          ...table.meta.warnings,
          `Preview: ${kept} of ${table.rows.length} rows, since all are about ${tokens} tokens. ${goOn} for fewer columns, a longer interval or a shorter time; summarize_prices answers in one row.`,
        ],
      },
      next_cursor: next,
    },
  }
}

/** Room for the warning. */
const NOTE_TOKENS = 200
/** So few cells are not worth measuring. */
const FEW_CELLS = 500
