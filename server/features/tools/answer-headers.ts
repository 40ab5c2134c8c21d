import { AppError } from '../../http/errors.ts'
import type { RateLimitState } from '../metering/meter.ts'
import type { ToolAnswer } from './run-tool.ts'

/**
 * `RateLimit` and `RateLimit-Policy` as structured fields of draft-ietf-httpapi-ratelimit-headers: limit and calls left
 * of the account in the current window of a minute, `t` seconds before it ends. Nothing for accounts without a limit.
 */
export function rateLimitHeaders(state: RateLimitState | null): Record<string, string> {
  if (!state) return {}
  return {
    'ratelimit-policy': `"account";q=${state.limit};w=60`,
    ratelimit: `"account";r=${state.remaining};t=${state.resetSeconds}`,
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
    'x-credits-remaining': unlimited ? 'unlimited' : String(creditsRemaining),
    'x-receipt-id': receiptId,
  }
}

/** The same two headers for a call that was refused because the account's limit is used up. */
export function limitHeadersOfRefusal(error: unknown, limit: number | null): Record<string, string> {
  if (!(error instanceof AppError) || error.code !== 'rate_limited' || limit === null) return {}
  return rateLimitHeaders({ limit, remaining: 0, resetSeconds: error.detail.retryAfterSeconds ?? 60 })
}
