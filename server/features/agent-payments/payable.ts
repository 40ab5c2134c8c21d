import type { RegisteredTool } from '../tools/register-tool.ts'

/**
 * Whether a single call of a tool can be paid: what it costs at most is known before the work, it costs something, and its work may be
 * repeated or thrown away if the payment fails. All others take a balance.
 */
export const isPayable = ({ tool, holds, inputNames }: RegisteredTool): boolean =>
  (tool.credits.kind === 'fixed' || ('perRows' in tool.credits && inputNames.includes('limit'))) &&
  tool.credits.credits > 0 &&
  holds === undefined &&
  tool.streamMs === undefined &&
  tool.cache?.credits === undefined &&
  (tool.plans ?? []).length === 0 &&
  tool.offer === undefined

/** Credits of a call: a price by rows is that of the most rows that the call may have. `input` is parsed. */
export function creditsOf({ tool: { credits } }: RegisteredTool, input: Record<string, unknown>): number {
  const rows = 'perRows' in credits ? Math.max(1, Number(input.limit)) / credits.perRows : 1
  return credits.credits * Math.ceil(rows)
}
