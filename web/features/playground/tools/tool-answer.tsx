import { useEffect, useRef } from 'react'
import { Message } from '../chat/messages/message.tsx'
import type { ChatMessage } from '../chat/messages/messages.ts'
import { playgroundText as text } from '../text.ts'
import type { Preferences } from '../use-preferences.ts'

/** Above the answer the row of the Run button stays in view. */
const marginPx = 104
/** An answer is drawn after it has come: what is nearer to the end of the box than this may not fit. */
const roomPx = 380

/** What the last run of a tool came to, where it was started. */
export function ToolAnswer({
  tool,
  message,
  openAs,
  onShowEntry,
}: {
  tool: string
  message: ChatMessage
  openAs: Preferences['openAs']
  onShowEntry: (id: string) => void
}) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    // Not scrollIntoView, which would also move the window.
    const box = place.current?.closest<HTMLElement>('[data-scroll-restoration-id]')
    if (!box || !place.current) return
    const [answer, inside] = [place.current.getBoundingClientRect(), box.getBoundingClientRect()]
    if (answer.top + Math.max(answer.height, message.type === 'success' ? roomPx : 0) > inside.bottom)
      box.scrollTop += answer.top - inside.top - marginPx
  }, [message])
  return (
    <section
      ref={place}
      aria-label={text.answerOf(tool)}
      aria-live="polite"
      className="mt-3 rounded-control border border-line bg-canvas p-3"
    >
      <div key={message.id} className="transition-opacity duration-200 motion-safe:starting:opacity-0">
        <Message message={message} openAs={openAs} priceOf={noPrice} onChoose={ignore} onShowEntry={onShowEntry} />
      </div>
    </section>
  )
}

// An answer suggests nothing.
const noPrice = () => null
const ignore = () => {}
