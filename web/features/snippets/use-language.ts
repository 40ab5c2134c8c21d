import { useSyncExternalStore } from 'react'
import { storedLanguage, storeLanguage } from './language.ts'
import type { Language } from './languages.ts'

let chosen: Language | null = null
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function read(): Language {
  chosen ??= storedLanguage()
  return chosen
}

function choose(next: Language): void {
  chosen = next
  storeLanguage(next)
  for (const listener of listeners) listener()
}

/** The snippet language, remembered across the site. Server-rendered pages start with curl. */
export function useLanguage() {
  return [useSyncExternalStore(subscribe, read, (): Language => 'curl'), choose] as const
}
