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

/** What the auth library throws when nothing answered; its message is the browser's own, such as 'Failed to fetch'. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AuthRetryableFetchError' && (error as { status?: unknown }).status === 0

/** The text of anything thrown, or `fallback` when it has none for people. */
export function messageOf(error: unknown, fallback: string): string {
  if (isUnanswered(error)) return fallback
  return error instanceof Error && error.message ? error.message : fallback
}

/** `messageOf` below the input of one field: the API's name of that field is left out, for the reader sees which it is. */
export function fieldMessageOf(error: unknown, field: string, fallback: string): string {
  const message = messageOf(error, fallback)
  if (!message.startsWith(`${field}: `)) return message
  const reason = message.slice(field.length + 2)
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
}
