import { useEffect } from 'react'

let forms = 0

/** Whether any form on the page has unsaved input. */
export const hasUnsaved = () => forms > 0

/** Marks this form as having unsaved input while `dirty`. */
export function useUnsaved(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return
    forms += 1
    return () => {
      forms -= 1
    }
  }, [dirty])
}
