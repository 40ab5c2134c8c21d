import { useSyncExternalStore } from 'react'
import type { ApiKey } from '#contract/keys.ts'

/** A key just created or rotated, with its value; never in storage, history or the URL. */
export interface NewKey {
  id: string
  name: string
  value: string
  scopes: ApiKey['scopes']
  /** The path of the page that shows it; null: none yet. */
  shownAt: string | null
}

let held: NewKey | null = null
const listeners = new Set<() => void>()

/** Holds the new key until the page that shows it is left, or until it is confirmed if it is shown only once. */
export function holdNewKey(key: ApiKey | null): void {
  held = key && { id: key.id, name: key.name, value: key.unkey, scopes: key.scopes, shownAt: null }
  for (const listener of listeners) listener()
}

export const useNewKey = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => held,
    () => null,
  )
