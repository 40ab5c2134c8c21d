import { AppError } from '../../http/errors.ts'
import type { RateLimitState } from '../metering/meter.ts'
import type { ToolAnswer } from './run-tool.ts'

/**
 * `RateLimit` and `RateLimit-Policy` as structured fields of draft-ietf-httpapi-ratelimit-headers: limit and calls left
 * of the account, or of the key where that has less left, in the current window of a minute, `t` seconds before it ends. Nothing for accounts without a limit.
 */
export function rateLimitHeaders(state: RateLimitState | null): Record<string, string> {
  if (!state) return {}
  return {
    'ratelimit-policy': `"${state.policy}";q=${state.limit};w=60`,
    ratelimit: `"${state.policy}";r=${state.remaining};t=${state.resetSeconds}`,
  }
}

/** What the call cost, what is left (`unlimited` for plans without a count), and the receipt that opens its usage line. */
export function creditHeaders({
  creditsCharged,
  creditsRemaining,
  unlimited,
  receiptId,
}: ToolAnswer): Record<string, string> {
  return {
    'x-credits-charged': String(creditsCharged),
    ...(unlimited
      ? { 'x-credits-remaining': 'unlimited' }
      : creditsRemaining !== null && { 'x-credits-remaining': String(creditsRemaining) }),
    ...(receiptId !== null && { 'x-receipt-id': receiptId }),
  }
}

/** The same two headers for a call that was refused because a limit is used up. */
export function limitHeadersOfRefusal(error: unknown): Record<string, string> {
  if (!(error instanceof AppError) || !error.detail.rateLimit) return {}
  return rateLimitHeaders({
    ...error.detail.rateLimit,
    remaining: 0,
    resetSeconds: error.detail.retryAfterSeconds ?? 60,
  })
}
