import { useCallback, useRef, useState } from 'react'
import { type ChatMessage, type MessageParts, type MessageType, maxMessages, newMessage } from './messages.ts'

const flushMs = 16

export type Say = (type: MessageType, content: string, data?: unknown, more?: Omit<MessageParts, 'data'>) => void

/** The chat's messages. They are batched: a burst of events must not render the list once for each. */
export function useMessages(): { messages: ChatMessage[]; say: Say; clearMessages: () => void } {
  const [messages, setMessages] = useState<ChatMessage[]>([])
  const waiting = useRef<ChatMessage[]>([])
  const say = useCallback<Say>((type, content, data, more) => {
    waiting.current.push(newMessage(type, content, { ...(data !== undefined && { data }), ...more }))
    if (waiting.current.length > 1) return
    setTimeout(() => {
      const fresh = waiting.current
      waiting.current = []
      setMessages((before) => [...before, ...fresh].slice(-maxMessages))
    }, flushMs)
  }, [])
  const clearMessages = useCallback(() => setMessages([]), [])
  return { messages, say, clearMessages }
}
