import { AppError } from '../../http/errors.ts'
import type { RateLimitState } from '../metering/meter.ts'
import type { ToolAnswer } from '../tools/settle.ts'

// `RateLimit-Policy` and `RateLimit` are structured fields of draft-ietf-httpapi-ratelimit-headers: limit and remaining
// calls of the account, or of the key if it has less left, in the current one-minute window, which ends in `t` seconds.
const policyField = ({ policy, limit }: RateLimitState): string => `"${policy}";q=${limit};w=60`
const stateField = ({ policy, remaining, resetSeconds }: RateLimitState): string =>
  `"${policy}";r=${remaining};t=${resetSeconds}`

/**
 * Headers of an upstream that never reach a client: those of the connection and of the encoding that was undone, those that say what
 * browsers may do on our address, and all names under which we say something ourselves.
 */
const NOT_PASSED =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|content-encoding|set-cookie2?|www-authenticate|authorization|server|via|date|alt-svc|age|cache-control|pragma|expires|vary|strict-transport-security|content-security-policy.*|x-frame-options|x-content-type-options|referrer-policy|permissions-policy|cross-origin-.*|access-control-.*|clear-site-data|service-worker-allowed|refresh|nel|report-to|reporting-endpoints|sourcemap|x-accel-.*|x-powered-by|x-request-id|x-credits-.*|x-receipt-id|x-next-cursor|ratelimit.*|traceparent|tracestate|finmeter-.*|payment-.*|x-payment.*)$/
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
/** Anything else could end the header (RFC 9110, 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

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

/** The headers of an upstream's answer without those that must not reach a client. */
export function harmlessHeaders(headers: Record<string, string>): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    if (NAME.test(name) && VALUE.test(value) && !NOT_PASSED.test(name)) passed[name] = value
  }
  return passed
}
