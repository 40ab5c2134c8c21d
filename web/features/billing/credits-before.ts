const storageKey = 'finmeter.credits-before-topup'

/** What was left before the browser went to pay for credits, so that the page knows on return when they have arrived. */
export const creditsBefore = {
  keep(remaining: number): void {
    try {
      sessionStorage.setItem(storageKey, String(remaining))
    } catch {
      // Storage may be forbidden; the page then takes the payment page's word.
    }
  },
  /** Null when nothing was kept. */
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
