import { clsx } from 'clsx'
import { Bot, CircleCheck, CircleX, Info, Server, TriangleAlert, User } from 'lucide-react'
import { memo, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { ResultView } from '../results/result-view.tsx'
import { playgroundText as text } from '../text.ts'
import { type Places, scrollId } from '../use-kept-scroll.ts'
import { visible } from '../visible.ts'
import type { ChatMessage, MessageType } from './messages.ts'
import { useStayAtEnd } from './use-stay-at-end.ts'

const looks: Record<MessageType, { icon: typeof User; word: string; color: string; box: string }> = {
  user: { icon: User, word: 'You', color: 'text-accent', box: 'border-accent-line bg-accent-soft' },
  system: { icon: Server, word: 'System', color: 'text-muted', box: 'border-line bg-sunken' },
  success: { icon: CircleCheck, word: 'Success', color: 'text-success', box: 'border-success-line bg-success-soft' },
  error: { icon: CircleX, word: 'Error', color: 'text-danger', box: 'border-danger-line bg-danger-soft' },
  warning: { icon: TriangleAlert, word: 'Warning', color: 'text-warning', box: 'border-warning-line bg-warning-soft' },
  info: { icon: Info, word: 'Info', color: 'text-accent', box: 'border-line bg-surface' },
  assistant: { icon: Bot, word: 'Assistant', color: 'text-ink', box: 'border-line-strong bg-surface' },
}
const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium' })
/** The number of messages rendered; a button shows earlier ones. */
const pageSize = 200

/** All messages, newest last. Follows the newest message while the reader is at the end, and always after their own. */
export function MessageList({ messages, places }: { messages: readonly ChatMessage[]; places: Places }) {
  const list = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [most, setMost] = useState(pageSize)
  const shown = messages.slice(-most)
  const atEnd = useStayAtEnd(list, content, places)
  // Users want to see their own message.
  if (messages.at(-1)?.type === 'user') atEnd.current = true
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
      className="min-h-0 flex-1 overflow-y-auto -outline-offset-2"
    >
      <div ref={content} className="flex flex-col gap-3 p-4">
        {messages.length === 0 && <p className="py-8 text-center text-muted">{text.emptyChat}</p>}
        {shown.length < messages.length && (
          <p className="text-center">
            <Button size="small" onClick={showEarlier}>
              {text.earlier}
            </Button>
          </p>
        )}
        {shown.map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </div>
    </div>
  )
}

/** Memoized: messages never change. Off-screen messages skip layout. */
const Message = memo(function Message({ message: { id, type, content, timestamp, data } }: { message: ChatMessage }) {
  const { icon: Icon, word, color, box } = looks[type]
  return (
    <article
      data-type={type}
      data-message={id}
      className={clsx(
        'rounded-control border px-3 py-2.5 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]',
        box,
      )}
    >
      <header className={clsx('flex items-center gap-2 text-small', color)}>
        <Icon aria-hidden="true" className="size-4" />
        <span className="font-strong">{word}</span>
        <time dateTime={timestamp.toISOString()} className="ml-auto figures text-muted">
          {clock.format(timestamp)}
        </time>
      </header>
      <p className="mt-1 break-words whitespace-pre-wrap">{visible(content)}</p>
      {data !== undefined && <ResultView data={data} />}
    </article>
  )
})
