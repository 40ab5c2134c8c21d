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
  /** Of a conflict: what the caller sent, and what somebody else saved meanwhile. */
  versions?: { yours: unknown; current: unknown }
}

/** What an error may say: it can repeat what a caller sent, or a schema that others wrote. */
const MOST_CHARACTERS = 4_000
const MOST_OF_NAME = 200

const cut = (text: string, most: number, end: string): string =>
  text.length > most ? `${text.slice(0, most)}${end}` : text

function withinBounds({ param, allowed, suggestions, ...rest }: ErrorDetail): ErrorDetail {
  return {
    ...rest,
    ...(param !== undefined && { param: cut(param, MOST_OF_NAME, '…') }),
    ...(allowed && { allowed: first(allowed) }),
    ...(suggestions && { suggestions: first(suggestions) }),
  }
}

/** The first of a list, as many as an error may name. */
function first(names: readonly string[]): readonly string[] {
  let left = MOST_CHARACTERS
  const end = names.findIndex((name) => {
    left -= name.length
    return left < 0
  })
  return end === -1 ? names : names.slice(0, end)
}

/** The only error that services throw on purpose: a code of the catalog and a text for the caller. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly status: number
  readonly detail: ErrorDetail

  constructor(code: ErrorCode, message?: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(cut(message ?? errorCatalog[code].text, MOST_CHARACTERS, '… (cut)'), options)
    this.code = code
    this.status = errorCatalog[code].status
    this.detail = withinBounds(detail)
  }

  /** The catalog's text, the same for every error of this code. */
  get title(): string {
    return errorCatalog[this.code].text
  }
}

/** Whether a limit refused the request. Each surface responds in its own form. */
export const isRateLimited = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'rate_limited'
