import type { CallReport, ToolResult } from '#contract/playground.ts'

/** A request of the playground as its log keeps it. */
export interface LogEntry {
  id: string
  at: Date
  serverName: string
  label: string
  /** For calls of tools, which can be repeated. */
  tool?: string
  arguments?: unknown
  result?: ToolResult
  call: CallReport
}

/** Credits that the server says it charged; null where it says nothing. */
export function creditsOf(result: ToolResult | undefined): number | null {
  const meta = (result as { _meta?: Record<string, unknown> } | undefined)?._meta
  const credits = meta?.['finmeter/credits-charged']
  return typeof credits === 'number' ? credits : null
}
