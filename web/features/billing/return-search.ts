type Outcome = 'success' | 'cancelled'

/** What the payment pages add to the address when they send the browser back. */
export interface ReturnSearch {
  checkout?: Outcome
  topup?: Outcome
}

const outcome = (value: unknown): Outcome | undefined =>
  value === 'success' || value === 'cancelled' ? value : undefined

/** The parameters that count. It stands alone: a route's own code is loaded by every visitor. */
export function returnSearch(search: Record<string, unknown>): ReturnSearch {
  const [checkout, topup] = [outcome(search.checkout), outcome(search.topup)]
  return { ...(checkout && { checkout }), ...(topup && { topup }) }
}
