import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { Places, ReadingPlace } from '../../use-kept-scroll.ts'

const nearEndPx = 80
/** For this long after a wheel, touch or key event, scrolling counts as the reader's. */
const intentMs = 1000

/**
 * Keeps a growing list scrolled to its end, with the question of the newest answer in view, until the reader scrolls away. Scroll events alone are no sign of that:
 * items get their real height only when they become visible, which moves the end. A reader of older messages finds the
 * same message again after a visit to another tab.
 */
export function useStayAtEnd(
  list: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  places: Places,
) {
  const atEnd = useRef(true)
  /** Until the reader scrolls: the place from before the visit to another tab. */
  const kept = useRef<ReadingPlace>(null)
  useLayoutEffect(() => {
    const box = list.current
    if (!box) return
    kept.current = places.chat
    if (places.chat) atEnd.current = !show(box, places.chat)
    return () => {
      places.chat = atEnd.current ? null : (kept.current ?? placeIn(box))
    }
  }, [list, places])
  useEffect(() => {
    const box = list.current
    const inside = content.current
    if (!box || !inside) return
    let intendedAt = Number.NEGATIVE_INFINITY
    const intend = () => {
      intendedAt = performance.now()
      kept.current = null
    }
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < nearEndPx
      if (near) atEnd.current = true
      else if (performance.now() - intendedAt < intentMs) atEnd.current = false
    }
    const observer = new ResizeObserver(() => {
      if (atEnd.current) showNewest(box, inside)
      else if (kept.current) show(box, kept.current)
    })
    const intents = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const
    for (const name of intents) box.addEventListener(name, intend, { passive: true })
    box.addEventListener('scroll', onScroll, { passive: true })
    observer.observe(inside)
    observer.observe(box)
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', onScroll)
      for (const name of intents) box.removeEventListener(name, intend)
    }
  }, [list, content])

  // After each change, before paint.
  useLayoutEffect(() => {
    if (atEnd.current && list.current && content.current) showNewest(list.current, content.current)
  })
  return atEnd
}

/** A question has at most this many messages as its answer: after more of them, the newest counts. */
const mostAnswers = 3
const marginPx = 12

/**
 * Scrolls to the end, but not so far that the question, or a long message without one, leaves at the top. Below a short
 * answer stays room, so that its question stands at the top and older answers do not crowd it.
 */
function showNewest(box: HTMLElement, inside: HTMLElement): void {
  const messages = [...box.querySelectorAll<HTMLElement>('[data-message]')]
  const asked = messages.slice(-1 - mostAnswers).findLast(({ dataset }) => dataset.type === 'user')
  const first = asked ?? messages.at(-1)
  const above = first ? topOf(first) - topOf(inside) - marginPx : 0
  // Of the frame, not of what is inside it: the size of that is observed, and has to change with every message's.
  inside.parentElement!.style.minHeight = asked ? `${Math.floor(above) + box.clientHeight}px` : ''
  const end = box.scrollHeight - box.clientHeight
  box.scrollTop = first ? Math.min(end, above) : end
}

const topOf = (element: Element) => element.getBoundingClientRect().top

function placeIn(box: HTMLElement): ReadingPlace | null {
  const top = topOf(box)
  const messages = [...box.querySelectorAll<HTMLElement>('[data-message]')]
  const first = messages.find((message) => message.getBoundingClientRect().bottom > top)
  return first ? { messageId: first.dataset.message!, offsetPx: topOf(first) - top } : null
}

/** Returns whether the message is still there. */
function show(box: HTMLElement, { messageId, offsetPx }: ReadingPlace): boolean {
  const message = box.querySelector(`[data-message="${messageId}"]`)
  if (message) box.scrollTop += topOf(message) - topOf(box) - offsetPx
  return message !== null
}
