import { useSyncExternalStore } from 'react'

const storageKey = 'finmeter.currency'
const listeners = new Set<() => void>()
let chosen: string | null | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function read(): string | null {
  try {
    chosen ??= sessionStorage.getItem(storageKey)
  } catch {
    // Storage may be blocked; the choice then lasts as long as the page.
  }
  return chosen ?? null
}

/** What a visitor chose to pay in, kept in this tab from Pricing through sign-in to Billing. */
export const useChosenCurrency = (): string | null => useSyncExternalStore(subscribe, read, () => null)

export function chooseCurrency(currency: string): void {
  chosen = currency
  try {
    sessionStorage.setItem(storageKey, currency)
  } catch {}
  for (const listener of listeners) listener()
}
