import type { CreditRule, Table, Tool } from './define-tool.ts'

/** Credits that the output of a table or value tool costs: the tool's price rule, or 0 for a table without rows. */
export function price({ credits, kind }: Tool, output: unknown): number {
  if (kind === 'value') return credits.credits
  const rows = (output as Table).meta.row_count
  if (rows === 0) return 0
  return 'perRows' in credits ? credits.credits * Math.ceil(rows / credits.perRows) : credits.credits
}

/** The highest price of a call; undefined: there is none. */
export const mostOf = (rule: CreditRule): number | undefined =>
  rule.kind === 'fixed' ? rule.credits : 'most' in rule ? rule.most : undefined

/** Lowest price of an answer with something in it. */
export const leastCredits = ({ kind, credits }: Tool): number =>
  kind === 'body' && credits.kind !== 'fixed' && 'most' in credits
    ? Math.min(credits.credits, credits.most ?? credits.credits)
    : credits.credits

/** Whether the work of a call cannot be taken back, or repeated unnoticed. */
export const acts = ({ upstream }: Tool): boolean => upstream !== undefined && upstream.method.toUpperCase() !== 'GET'

/**
 * Credits that a call sets aside before its work: what the tool says, or, for bodies, the highest price where it may vary, where the
 * answer streams, and where the work cannot be taken back. Undefined: none.
 */
export function creditsHeld(tool: Tool): number | undefined {
  const { holds, kind, credits, streamMs } = tool
  if (holds !== undefined || kind !== 'body') return holds
  const most = mostOf(credits)
  const needed = credits.kind !== 'fixed' || streamMs !== undefined || acts(tool)
  return needed && most !== undefined && most > 0 ? most : undefined
}
