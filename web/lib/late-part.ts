import { type RefObject, useEffect, useRef } from 'react'

/**
 * What early-press.ts does for the page, for a part of it whose code comes later: it calls `taken` in a layout effect, and the button
 * in it that was pressed last before then is pressed again.
 */
export function useLatePart(): { part: RefObject<HTMLDivElement | null>; taken: () => void } {
  const part = useRef<HTMLDivElement>(null)
  const late = useRef<{ button: HTMLElement | null; taken: boolean }>({ button: null, taken: false })
  useEffect(() => {
    const element = part.current
    const keep = ({ target }: Event) => {
      if (!late.current.taken) late.current.button = (target as Element).closest('button')
    }
    element?.addEventListener('click', keep, true)
    return () => element?.removeEventListener('click', keep, true)
  }, [])
  return {
    part,
    taken() {
      const { button } = late.current
      late.current = { button: null, taken: true }
      if (button) setTimeout(() => button.isConnected && button.click())
    },
  }
}
