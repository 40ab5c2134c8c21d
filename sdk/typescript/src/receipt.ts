/** What a call cost, and what is left. */
export interface Receipt {
  /** Identifies the call in the usage log. Null: nothing was recorded (dry runs and the demo key). */
  id: string | null
  creditsCharged: number
  /** Null if the server did not say, because nothing was recorded. */
  creditsRemaining: number | 'unlimited' | null
  /** Calls left in this minute. Null: no limit. */
  rateLimit: { remaining: number; resetSeconds: number } | null
  requestId: string | null
}

/** The receipt in the headers of an answer. */
export function readReceipt(headers: Headers): Receipt {
  const remaining = headers.get('x-credits-remaining')
  const limit = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '')
  return {
    id: headers.get('x-receipt-id'),
    creditsCharged: Number(headers.get('x-credits-charged') ?? 0),
    creditsRemaining: remaining === null || remaining === 'unlimited' ? remaining : Number(remaining),
    rateLimit: limit && { remaining: Number(limit[1]), resetSeconds: Number(limit[2]) },
    requestId: headers.get('x-request-id'),
  }
}
