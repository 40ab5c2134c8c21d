export type MessageType = 'user' | 'system' | 'success' | 'error' | 'warning' | 'info' | 'assistant'

export interface ChatMessage {
  id: string
  type: MessageType
  content: string
  timestamp: Date
  /** Shown as a table or chart if it is one, else as formatted JSON. */
  data?: unknown
}

/** The oldest are dropped beyond this: a page left open for days must not fill the memory. */
export const maxMessages = 1000

export const newMessage = (type: MessageType, content: string, data?: unknown): ChatMessage => ({
  id: crypto.randomUUID(),
  type,
  content,
  timestamp: new Date(),
  ...(data !== undefined && { data }),
})
