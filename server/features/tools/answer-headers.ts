import { AppError } from '../../http/errors.ts'
import type { RateLimitState } from '../metering/meter.ts'
import type { ToolAnswer } from './run-tool.ts'

// `RateLimit-Policy` and `RateLimit` are structured fields of draft-ietf-httpapi-ratelimit-headers: limit and calls left of the
// account, or of the key where that has less left, in the current window of a minute, `t` seconds before it ends.
const policyField = ({ policy, limit }: RateLimitState): string => `"${policy}";q=${limit};w=60`
const stateField = ({ policy, remaining, resetSeconds }: RateLimitState): string =>
  `"${policy}";r=${remaining};t=${resetSeconds}`

/** What the call cost, what is left (`unlimited` for plans without a count), the receipt that opens its usage line, and the limit's state. */
export function meteringHeaders({
  creditsCharged,
  creditsRemaining,
  unlimited,
  receiptId,
  rateLimit,
}: ToolAnswer): Record<string, string> {
  const headers: Record<string, string> = { 'x-credits-charged': String(creditsCharged) }
  if (unlimited) headers['x-credits-remaining'] = 'unlimited'
  else if (creditsRemaining !== null) headers['x-credits-remaining'] = String(creditsRemaining)
  if (receiptId !== null) headers['x-receipt-id'] = receiptId
  if (rateLimit !== null) {
    headers['ratelimit-policy'] = policyField(rateLimit)
    headers.ratelimit = stateField(rateLimit)
  }
  return headers
}

/** The limit's two headers for a call that was refused because a limit is used up; for 402 that it cost nothing, and what is left. */
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
