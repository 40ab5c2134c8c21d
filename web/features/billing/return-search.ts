type Outcome = 'success' | 'cancelled'

/** Search parameters that the payment pages add when they return. */
export interface ReturnSearch {
  checkout?: Outcome
  topup?: Outcome
}

const outcome = (value: unknown): Outcome | undefined =>
  value === 'success' || value === 'cancelled' ? value : undefined

/** Validates the parameters. In its own file, because every visitor loads the route's code. */
export function returnSearch(search: Record<string, unknown>): ReturnSearch {
  const [checkout, topup] = [outcome(search.checkout), outcome(search.topup)]
  return { ...(checkout && { checkout }), ...(topup && { topup }) }
}
