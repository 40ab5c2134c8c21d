export type MessageType = 'user' | 'system' | 'success' | 'error' | 'warning' | 'info' | 'assistant'

export interface ChatMessage {
  id: string
  type: MessageType
  content: string
  timestamp: Date
  /** Shown as formatted JSON, or as a table or chart where it is one. */
  data?: unknown
}

/** The oldest go when there are more: a page that is open for days must not fill the memory. */
export const maxMessages = 1000

export const newMessage = (type: MessageType, content: string, data?: unknown): ChatMessage => ({
  id: crypto.randomUUID(),
  type,
  content,
  timestamp: new Date(),
  ...(data !== undefined && { data }),
})
