/** A call that failed: `message` may be shown, `code` is the catalogue's (or timeout, network, unknown), `requestId` finds it in the log. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: string
  readonly status: number
  readonly requestId: string | undefined

  constructor(message: string, about: { code: string; status: number; requestId?: string | undefined }) {
    super(message)
    this.code = about.code
    this.status = about.status
    this.requestId = about.requestId
  }
}

/** The text of anything thrown, or `fallback` when it has none. */
export function messageOf(error: unknown, fallback: string): string {
  return error instanceof Error && error.message ? error.message : fallback
}
