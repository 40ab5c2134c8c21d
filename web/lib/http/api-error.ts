/**
 * A failed call: `message` may be shown, `code` is from the error catalog (or timeout, network, unknown), `requestId`
 * finds it in the log.
 */
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

/** Thrown by auth-js if there was no response; its message is the browser's, such as 'Failed to fetch'. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AuthRetryableFetchError' && (error as { status?: unknown }).status === 0

/** The message of anything thrown, or `fallback` if it has none for users. */
export function messageOf(error: unknown, fallback: string): string {
  if (isUnanswered(error)) return fallback
  return error instanceof Error && error.message ? error.message : fallback
}

/** `messageOf` for a single field: drops the API's field name, which the form already shows. */
export function fieldMessageOf(error: unknown, field: string, fallback: string): string {
  const message = messageOf(error, fallback)
  if (!message.startsWith(`${field}: `)) return message
  const reason = message.slice(field.length + 2)
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
}
