import { AppError } from '../../http/errors.ts'
import type { RateLimitState } from '../metering/meter.ts'
import type { ToolAnswer } from '../tools/run-tool.ts'

// `RateLimit-Policy` and `RateLimit` are structured fields of draft-ietf-httpapi-ratelimit-headers: limit and remaining
// calls of the account, or of the key if it has less left, in the current one-minute window, which ends in `t` seconds.
const policyField = ({ policy, limit }: RateLimitState): string => `"${policy}";q=${limit};w=60`
const stateField = ({ policy, remaining, resetSeconds }: RateLimitState): string =>
  `"${policy}";r=${remaining};t=${resetSeconds}`

/**
 * The call's cost, the remaining credits (`unlimited` for plans without a count), its receipt, and the state of the
 * limit.
 */
export function meteringHeaders({
  creditsCharged,
  creditsRemaining,
  unlimited,
  receiptId,
  rateLimit,
  streaming,
}: ToolAnswer): Record<string, string> {
  // What a stream costs is known when it ends.
  const headers: Record<string, string> = streaming
    ? { 'x-credits-held': String(streaming.held) }
    : { 'x-credits-charged': String(creditsCharged) }
  if (unlimited) headers['x-credits-remaining'] = 'unlimited'
  else if (creditsRemaining !== null) headers['x-credits-remaining'] = String(creditsRemaining)
  if (receiptId !== null) headers['x-receipt-id'] = receiptId
  if (rateLimit !== null) {
    headers['ratelimit-policy'] = policyField(rateLimit)
    headers.ratelimit = stateField(rateLimit)
  }
  return headers
}

/** The two limit headers of a call refused by a rate limit. For 402: that it cost nothing, and what is left. */
export function refusalHeaders(error: unknown): Record<string, string> {
  if (!(error instanceof AppError)) return {}
  const { rateLimit, retryAfterSeconds = 60, creditsRemaining } = error.detail
  if (error.status === 402)
    return {
      'x-credits-charged': '0',
      ...(creditsRemaining !== undefined && { 'x-credits-remaining': String(creditsRemaining) }),
    }
  if (!rateLimit) return {}
  const state = { ...rateLimit, remaining: 0, resetSeconds: retryAfterSeconds }
  return { 'ratelimit-policy': policyField(state), ratelimit: stateField(state) }
}
