import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

const nearEndPx = 80
/** For this long after a wheel, touch or key event, scrolling counts as the reader's. */
const intentMs = 1000

/**
 * Keeps a growing list scrolled to its end until the reader scrolls away. Scroll events alone are no sign of that:
 * items get their real height only when they become visible, which moves the end.
 */
export function useStayAtEnd(list: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>) {
  const atEnd = useRef(true)
  useEffect(() => {
    const box = list.current
    const inside = content.current
    if (!box || !inside) return
    let intendedAt = Number.NEGATIVE_INFINITY
    const intend = () => {
      intendedAt = performance.now()
    }
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < nearEndPx
      if (near) atEnd.current = true
      else if (performance.now() - intendedAt < intentMs) atEnd.current = false
    }
    const observer = new ResizeObserver(() => {
      if (atEnd.current) box.scrollTop = box.scrollHeight
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
    if (atEnd.current && list.current) list.current.scrollTop = list.current.scrollHeight
  })
  return atEnd
}
