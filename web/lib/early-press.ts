import { useEffect } from 'react'

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
