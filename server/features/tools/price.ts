import type { Table, Tool } from './define-tool.ts'

/** Credits that `output` costs: the tool's price rule, or 0 for a table without rows. */
export function price({ credits, kind }: Tool, output: unknown): number {
  if (kind === 'value') return credits.credits
  const rows = (output as Table).meta.row_count
  if (rows === 0) return 0
  return credits.kind === 'fixed' ? credits.credits : credits.credits * Math.ceil(rows / credits.perRows)
}
