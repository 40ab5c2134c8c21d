import { useEffect } from 'react'

/** Calls `reset` when the Back button restores this page from the back/forward cache: it can still look busy. */
export function usePageRestored(reset: () => void): void {
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => event.persisted && reset()
    addEventListener('pageshow', onPageShow)
    return () => removeEventListener('pageshow', onPageShow)
  }, [reset])
}
