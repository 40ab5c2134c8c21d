import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { playgroundText as text } from '../../text.ts'
import { type Places, scrollId } from '../../use-kept-scroll.ts'
import type { Preferences } from '../../use-preferences.ts'
import { Message, type MessageActions } from './message.tsx'
import type { ChatMessage } from './messages.ts'
import { useStayAtEnd } from './use-stay-at-end.ts'

/** The number of messages rendered; a button shows earlier ones. */
const pageSize = 200

interface MessageListProps extends MessageActions {
  messages: readonly ChatMessage[]
  places: Places
  openAs: Preferences['openAs']
  /** Above the messages. */
  welcome: ReactNode
  /** Below the last message. */
  children: ReactNode
}

/** All messages, newest last. Follows the newest message while the reader is at the end, and always after their own. */
export function MessageList({ messages, places, openAs, welcome, children, ...actions }: MessageListProps) {
  const list = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [most, setMost] = useState(pageSize)
  const shown = messages.slice(-most)
  const atEnd = useStayAtEnd(list, content, places)
  const isEmpty = Boolean(welcome)
  const wasEmpty = useRef(isEmpty)
  // An empty chat starts at the top. Users want to see their own message.
  if (isEmpty) atEnd.current = false
  else if (wasEmpty.current || messages.at(-1)?.type === 'user') atEnd.current = true
  wasEmpty.current = isEmpty
  useLayoutEffect(
    () => () => {
      if (wasEmpty.current) places.chat = null
    },
    [places],
  )
  const showEarlier = () => {
    atEnd.current = false
    setMost(most + pageSize)
  }
  return (
    <div
      ref={list}
      {...scrollId('chat')}
      role="log"
      aria-label="Messages"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      // A container: a chart is no higher than the list has room for it beside its question.
      className="min-h-0 flex-1 [container-type:size] overflow-y-auto -outline-offset-2"
    >
      <div>
        <div ref={content} className="flex flex-col gap-4 p-4">
          {welcome}
          {messages.length === 0 && <p className="py-8 text-center text-muted">{text.emptyChat}</p>}
          {shown.length < messages.length && (
            <p className="text-center">
              <Button size="small" onClick={showEarlier}>
                {text.earlier}
              </Button>
            </p>
          )}
          {shown.map((message, index) => (
            <Message
              key={message.id}
              message={message}
              follows={isProblem(message) && isProblem(shown[index - 1])}
              openAs={openAs}
              {...actions}
            />
          ))}
          {children}
        </div>
      </div>
    </div>
  )
}

/** Something that went wrong apart from a call. */
const isProblem = (message: ChatMessage | undefined) =>
  (message?.type === 'error' || message?.type === 'warning') && !message.call
