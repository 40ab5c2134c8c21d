import type { CallReport, ToolResult } from '#contract/playground.ts'

/** A playground request in the log. */
export interface LogEntry {
  id: string
  at: Date
  serverName: string
  label: string
  /** Only for tool calls, which can be repeated. */
  tool?: string
  arguments?: unknown
  result?: ToolResult
  /** What the server says it charged; null if it says nothing. */
  credits: number | null
  call: CallReport
  /** From an earlier visit: the messages are gone. */
  earlier?: boolean
}

/** The credits the server reports as charged; null if it reports none. */
export function creditsOf(result: ToolResult): number | null {
  const meta = (result as { _meta?: Record<string, unknown> })._meta
  const credits = meta?.['finmeter/credits-charged']
  return typeof credits === 'number' ? credits : null
}
