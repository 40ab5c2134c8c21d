const storageKey = 'finmeter.credits-before-topup'

/**
 * The balance before the browser left to buy credits, so that the page can tell on return whether they have arrived.
 */
export const creditsBefore = {
  keep(remaining: number): void {
    try {
      sessionStorage.setItem(storageKey, String(remaining))
    } catch {
      // Storage may be blocked; the page then trusts the payment page's result.
    }
  },
  /** Null if nothing was stored. */
  read(): number | null {
    try {
      const kept = sessionStorage.getItem(storageKey)
      sessionStorage.removeItem(storageKey)
      return kept === null ? null : Number(kept)
    } catch {
      return null
    }
  },
}
