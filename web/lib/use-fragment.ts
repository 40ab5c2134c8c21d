import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/**
 * Calls `act` when the address's fragment begins with `start`, as soon as `ready`, with the rest of the fragment:
 * `#invite` focuses a form, `#connect-cursor` a tab. Then the fragment is removed, so that the same link works again
 * and going back does not act again.
 */
export function useFragment(start: string, act: (rest: string) => void, ready = true): void {
  const navigate = useNavigate()
  const hash = useLocation({ select: ({ hash }) => hash })
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    if (!ready || !hash.startsWith(start)) return
    latest.current(hash.slice(start.length))
    void navigate({ to: '.', search: true, hash: '', replace: true, resetScroll: false })
  }, [hash, start, ready, navigate])
}
