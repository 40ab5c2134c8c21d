import { useSyncExternalStore } from 'react'

/**
 * The key just created, where the server shows it only once (KEYS_REVEAL=once). Held in memory until it is
 * acknowledged or the page is left; never in storage, history or the address.
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
