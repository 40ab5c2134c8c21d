import { type ErrorCode, errorCatalog } from '#contract/errors.ts'

/** Facts that help the caller correct the next request. Part of problem+json and of MCP tool errors. */
export interface ErrorDetail {
  param?: string
  allowed?: readonly string[]
  suggestions?: readonly string[]
  retryAfterSeconds?: number
  /** The exhausted limit, for the headers. */
  rateLimit?: { policy: 'account' | 'key'; limit: number }
  /** The account's remaining credits, for a header. */
  creditsRemaining?: number
  /** The page where the caller can act on it, such as the top-up page. */
  help?: string
}

/** The only error that services throw on purpose: a code of the catalog and a text for the caller. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly status: number
  readonly detail: ErrorDetail

  constructor(code: ErrorCode, message?: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(message ?? errorCatalog[code].text, options)
    this.code = code
    this.status = errorCatalog[code].status
    this.detail = detail
  }

  /** The catalog's text, the same for every error of this code. */
  get title(): string {
    return errorCatalog[this.code].text
  }
}

/** Whether a limit refused the request. Each surface responds in its own form. */
export const isRateLimited = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'rate_limited'
