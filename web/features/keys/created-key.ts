import { useSyncExternalStore } from 'react'

/**
 * The key just created, if the server shows keys only once (KEYS_REVEAL=once). Held in memory until the user confirms
 * it or leaves the page; never in storage, history or the URL.
 */
let created: { name: string; value: string } | null = null
const listeners = new Set<() => void>()

export function holdCreatedKey(next: typeof created): void {
  created = next
  for (const listener of listeners) listener()
}

export const useCreatedKey = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => created,
  )
