import { useEffect } from 'react'

declare global {
  interface Window {
    /** Kept by the script in the page's head, which runs before this one is there. */
    earlyPress?: { button: HTMLElement | null; stop: () => void }
  }
}

/**
 * A page that the server drew can be seen before it can act. Its buttons are not dead until then: the one that was pressed
 * last is pressed again when the application has taken over.
 */
export function useEarlyPress(): void {
  useEffect(() => {
    const { button, stop } = window.earlyPress ?? {}
    stop?.()
    delete window.earlyPress
    // After this commit: while React is at work, it cannot take over the part of the page that the button is in.
    if (button) setTimeout(() => button.isConnected && button.click())
  }, [])
}
