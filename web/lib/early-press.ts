import { type RefObject, useEffect, useRef } from 'react'

declare global {
  interface Window {
    /** Set by the script in the page's head, which runs before this one loads. */
    earlyPress?: { button: HTMLElement | null; stop: () => void }
  }
}

/**
 * A server-rendered page is visible before it is interactive. The button pressed last before then is pressed again
 * after hydration.
 */
export function useEarlyPress(): void {
  useEffect(() => {
    const { button, stop } = window.earlyPress ?? {}
    stop?.()
    delete window.earlyPress
    // After this commit: React cannot hydrate the button's boundary while it is rendering.
    if (button) setTimeout(() => button.isConnected && button.click())
  }, [])
}

/**
 * The same for a part of the page whose code comes after that of the page: it calls `taken` in a layout effect, and the button
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
