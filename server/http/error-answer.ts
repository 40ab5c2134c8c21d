import type { HttpAnswer } from './answer.ts'
import type { AppError } from './errors.ts'
import { problemAnswer } from './problem.ts'

/** One error in the form that the path's surface promises: problem+json for `/v1`, the envelope elsewhere. */
export function errorAnswer(error: AppError, path: string, requestId: string): HttpAnswer {
  if (/^\/v1(\/|$)/.test(path)) return problemAnswer(error, requestId)
  const { retryAfterSeconds, versions } = error.detail
  return {
    status: error.status,
    headers: {
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify({ success: false, error: error.message, code: error.code, ...(versions && { versions }) }),
  }
}
