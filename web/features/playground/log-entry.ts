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
  /** What the server says it charged; null where it says nothing. */
  credits: number | null
  call: CallReport
  /** Of an earlier visit: what went over the wire is gone. */
  earlier?: boolean
}

/** Credits that the server says it charged; null where it says nothing. */
export function creditsOf(result: ToolResult): number | null {
  const meta = (result as { _meta?: Record<string, unknown> })._meta
  const credits = meta?.['finmeter/credits-charged']
  return typeof credits === 'number' ? credits : null
}
