import { type ErrorCode, errorCatalogue } from '#contract/errors.ts'

/** Facts that help the caller to a correct next request; part of problem+json and of MCP tool errors. */
export interface ErrorDetail {
  param?: string
  allowed?: readonly string[]
  suggestions?: readonly string[]
  retryAfterSeconds?: number
  /** The limit that is used up, for the headers. */
  rateLimit?: { policy: 'account' | 'key'; limit: number }
  /** What the account has left, for a header. */
  creditsRemaining?: number
  /** Where the caller can act on it (top-up page). */
  help?: string
}

/** The only error that services throw on purpose: a code of the catalogue, and a text made for the caller. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly status: number
  readonly detail: ErrorDetail

  constructor(code: ErrorCode, message?: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(message ?? errorCatalogue[code].text, options)
    this.code = code
    this.status = errorCatalogue[code].status
    this.detail = detail
  }

  /** The catalogue's text, the same for every error of this code. */
  get title(): string {
    return errorCatalogue[this.code].text
  }
}
