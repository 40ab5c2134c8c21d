import type { HttpAnswer } from './answer.ts'
import type { AppError } from './errors.ts'

/** Body of an error under `/v1` (RFC 9457), with the fields that help the caller to a correct next request. */
export interface Problem {
  type: string
  title: string
  status: number
  code: string
  detail: string
  param?: string
  allowed?: readonly string[]
  suggestions?: readonly string[]
  retry_after?: number
  request_id: string
  docs: string
}

/** `error` as a problem. `docs` is the page where the caller can act on it or read more. */
export function toProblem(error: AppError, requestId: string): Problem {
  const { param, allowed, suggestions, retryAfterSeconds, help } = error.detail
  return {
    type: `urn:finmeter:error:${error.code}`,
    title: error.title,
    status: error.status,
    code: error.code,
    detail: error.message,
    param,
    allowed,
    suggestions,
    retry_after: retryAfterSeconds,
    request_id: requestId,
    docs: help ?? `/docs/errors/${error.code}`,
  }
}

/** `error` as problem+json with its headers, after those in `extra`. */
export function problemAnswer(error: AppError, requestId: string, extra: Record<string, string> = {}): HttpAnswer {
  return {
    status: error.status,
    headers: {
      ...extra,
      ...errorHeaders(error),
      'cache-control': 'private, no-store',
      'x-request-id': requestId,
      'content-type': 'application/problem+json; charset=utf-8',
    },
    body: JSON.stringify(toProblem(error, requestId)),
  }
}

/** Retry-After if waiting helps; on 401 the accepted scheme, without a hint that would start an OAuth flow. */
export function errorHeaders(error: AppError): Record<string, string> {
  const headers: Record<string, string> = {}
  if (error.detail.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.detail.retryAfterSeconds)
  if (error.status === 401) headers['www-authenticate'] = 'Bearer realm="Finmeter API key"'
  return headers
}
