import { type RefObject, useLayoutEffect } from 'react'

const controls = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea, summary'

/**
 * Remembers the place of a control. The returned function moves the focus near it if the focus is lost, because the
 * control has gone: to the next row, the previous one, the rest of the form or card, or the page's heading.
 */
export function rememberPlace(control: Element | null): () => void {
  if (!control || control === document.body) return () => {}
  const row = control.closest('li, tr')
  const rows = [row?.nextElementSibling, row?.previousElementSibling]
  const places = [...rows, control.closest('form'), control.closest('main section')]
  return () => {
    const focused = document.activeElement
    if (focused && focused !== document.body && !focused.matches(':disabled')) return
    for (const place of places) {
      const near = place?.isConnected ? place.querySelector<HTMLElement>(controls) : null
      if (near) return near.focus()
    }
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }
}

/** When the element goes with the focus in it, the focus moves near its place. */
export function useFocusHandover(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = ref.current
    // Before the element leaves the page.
    return () => {
      const focused = document.activeElement
      if (element?.contains(focused)) queueMicrotask(rememberPlace(focused))
    }
  }, [ref])
}
