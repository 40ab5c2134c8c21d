import type { ErrorCode } from './operations.gen.ts'

/** Problems that never reached the server, or whose answer never came back. */
export type LocalCode = 'connection_failed' | 'timed_out' | 'bad_answer'

/** What the server said about a refused or failed call (RFC 9457). */
export interface Problem {
  code: string
  detail: string
  /** The parameter that is wrong. */
  param?: string
  /** The values that it may have. */
  allowed?: string[]
  /** Names that are close to the one given. */
  suggestions?: string[]
  retry_after?: number
  request_id?: string
  /** The page where you can act on it or read more. */
  docs?: string
}

/**
 * Every failed call rejects with this error. A call that the server refused was not charged. If no answer came back
 * (`status` is 0), it may have been charged once; repeating it with the same `idempotencyKey` within 24 hours is free, except for
 * operations of an upstream whose response cannot be stored.
 */
export class FinmeterError extends Error {
  override name = 'FinmeterError'
  /** `insufficient_credits`, `rate_limited`, ... Newer servers can send codes that this version does not know. */
  readonly code: ErrorCode | LocalCode | (string & {})
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number
  readonly problem: Problem
  /** Seconds to wait before the next try, if the server named a time. */
  readonly retryAfterSeconds: number | undefined
  /** Include this when you report a problem. */
  readonly requestId: string | undefined
  /** The key that all tries had. */
  idempotencyKey = ''

  constructor(problem: Problem, status: number, options?: ErrorOptions) {
    super(problem.detail, options)
    this.code = problem.code
    this.status = status
    this.problem = problem
    this.retryAfterSeconds = problem.retry_after
    this.requestId = problem.request_id
  }
}

/** A failure on the way to the server or back. */
export const lost = (code: LocalCode, detail: string, cause?: unknown) =>
  new FinmeterError({ code, detail }, 0, { cause })

/** The problem in a refused answer, also when a proxy on the way wrote it. Rejects if the answer broke off. */
export async function readProblem(response: Response): Promise<FinmeterError> {
  const { status, headers } = response
  const body = parsed(await response.text())
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const problem: Problem = {
    ...body,
    code: body?.code ?? `http_${status}`,
    detail: body?.detail ?? `The server answered ${status}.`,
  }
  if (seconds >= 0) problem.retry_after = seconds
  return new FinmeterError(problem, status)
}

function parsed(text: string): Partial<Problem> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
