import { useCallback, useEffect, useRef } from 'react'

/** A function that resolves with the latest `value` once `ready` is true. */
export function useWhenReady<T>(ready: boolean, value: T): () => Promise<T> {
  const latest = useRef({ ready, value })
  latest.current = { ready, value }
  const waiting = useRef<(() => void)[]>([])
  useEffect(() => {
    if (ready) for (const go of waiting.current.splice(0)) go()
  }, [ready])
  return useCallback(async () => {
    if (!latest.current.ready) await new Promise<void>((go) => waiting.current.push(go))
    return latest.current.value
  }, [])
}
