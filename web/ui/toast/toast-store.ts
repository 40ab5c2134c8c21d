/** Only one toast is kept: the next one replaces it. */
export interface Toast {
  id: string
  title: string
  description?: string | undefined
  action?: { label: string; onClick: () => void } | undefined
  tone: 'neutral' | 'danger'
  open: boolean
}

/** Time until a dismissed toast is removed. */
export const removalDelayMs = 1_000_000
export const openForMs = 5000
export const swipeThresholdPx = 50

let current: Toast | null = null
let count = 0
let removal: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function set(next: Toast | null): void {
  current = next
  for (const listener of listeners) listener()
}

/**
 * Shows a toast and returns its id. Messages that need action must also be shown inline, because the next toast
 * replaces this one.
 */
export function toast(content: Pick<Toast, 'title' | 'description' | 'action'> & { tone?: Toast['tone'] }): string {
  clearTimeout(removal)
  count += 1
  set({ tone: 'neutral', ...content, id: String(count), open: true })
  return String(count)
}

/** Closes a toast; it is removed `removalDelayMs` later. */
export function dismissToast(id: string): void {
  if (current?.id !== id || !current.open) return
  set({ ...current, open: false })
  clearTimeout(removal)
  removal = setTimeout(() => current?.id === id && set(null), removalDelayMs)
}

export const toastStore = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  read: () => current,
}
