import { useEffect, useRef, useState } from 'react'
import { copyText } from '../../lib/clipboard.ts'
import { toast } from '../toast/toast-store.ts'

export const clipboardRefused = 'Failed to copy to clipboard. Please copy manually.'
const tickMs = 2000

export interface CopyProps {
  /** The text to copy; it may differ from the text shown. */
  value: string
  /** The button's name. */
  label: string
  /** The toast on success. */
  done: string
}

/**
 * Copies and shows a toast: `copied` is true for 2 s; a refusal shows an error toast. Resolves to whether it worked.
 */
export function useCopy() {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const copy = async (text: string, done: string): Promise<boolean> => {
    const worked = await copyText(text)
    if (!worked) {
      toast({ title: clipboardRefused, tone: 'danger' })
      return false
    }
    toast({ title: done })
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), tickMs)
    return true
  }
  return { copied, copy }
}
