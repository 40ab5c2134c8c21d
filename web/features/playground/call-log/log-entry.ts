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
