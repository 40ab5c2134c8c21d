import { useEffect, useState } from 'react'

/**
 * The default export of a module; null until it has come. Unlike `lazy` in `Suspense`, which shows nothing until 300 ms after its
 * fallback, even if the code came at once (React's FALLBACK_THROTTLE_MS). `load` must stay the same. A failure is thrown
 * to the error page once `isNeeded`.
 */
export function useCode<T>(load: () => Promise<{ default: T }>, isNeeded: boolean): T | null {
  const [state, setState] = useState<{ code: T | null; error?: unknown }>({ code: null })
  useEffect(() => {
    load().then(
      (module) => setState({ code: module.default }),
      (error) => setState({ code: null, error }),
    )
  }, [load])
  if (isNeeded && 'error' in state) throw state.error
  return state.code
}
