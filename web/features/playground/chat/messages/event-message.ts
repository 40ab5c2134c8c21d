import type { PlaygroundEvent } from '#contract/playground.ts'
import { costOf, type MadeCall } from '../../call-log/made-call.ts'
import { isQuiet } from '../../playground-api.ts'
import { playgroundText as text } from '../../text.ts'
import type { MessageType } from './messages.ts'

/** The chat message for a stream event; null for this page's own calls, and for what changes the page instead. */
export function eventMessage(
  { type, message, data, callId, serverName }: PlaygroundEvent,
  ownCalls: ReadonlySet<string>,
): { type: MessageType; content: string; data?: unknown; call?: MadeCall } | null {
  if (callId !== undefined && (ownCalls.has(callId) || isQuiet(callId))) return null
  switch (type) {
    case 'tool_result':
      return {
        type: 'success',
        content: text.toolAnswered(data.toolName ?? 'tool'),
        data: data.result,
        call: elsewhere(serverName, data.toolName ?? '', data.result),
      }
    case 'tool_error':
      return { type: 'error', content: text.toolError(data.error ?? message) }
    case 'resource':
      return { type: 'info', content: text.resourceRead(data.uri ?? ''), data: data.resource }
    case 'resource_error':
      return { type: 'error', content: text.resourceError(data.error ?? message) }
    case 'error':
      return { type: 'error', content: text.error(message || (data.error ?? '')) }
    default:
      return null
  }
}

/** A call made in another tab: it has a receipt, but no entry in this tab's log. */
const elsewhere = (serverName: string, tool: string, result: unknown): MadeCall => ({
  serverName,
  tool,
  arguments: {},
  ...costOf(result),
  durationMs: null,
  entries: [],
})
