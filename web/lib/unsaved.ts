import { useEffect } from 'react'

let forms = 0

/** Whether any form on the page holds something typed and not yet saved. */
export const hasUnsaved = () => forms > 0

/** Tells that this form holds something that must not be lost while `dirty`. */
export function useUnsaved(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return
    forms += 1
    return () => {
      forms -= 1
    }
  }, [dirty])
}
