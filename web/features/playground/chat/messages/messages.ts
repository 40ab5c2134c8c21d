import type { MadeCall } from '../../call-log/made-call.ts'
import type { Suggestion } from '../suggestions/suggestions.ts'

export type MessageType = 'user' | 'system' | 'success' | 'error' | 'warning' | 'info' | 'assistant'

export interface ChatMessage {
  id: string
  type: MessageType
  content: string
  timestamp: Date
  /** Shown as a table or chart if it is one, else as formatted JSON. */
  data?: unknown
  /** The call that this message reports. */
  call?: MadeCall
  /** Suggested messages to send instead. */
  suggestions?: Suggestion[]
}

export type MessageParts = Pick<ChatMessage, 'data' | 'call' | 'suggestions'>

/** The oldest are dropped beyond this: a page left open for days must not fill the memory. */
export const maxMessages = 1000

export const newMessage = (type: MessageType, content: string, parts: MessageParts): ChatMessage => ({
  id: crypto.randomUUID(),
  type,
  content,
  timestamp: new Date(),
  ...parts,
})
