/** An OAuth error response (RFC 6749). */
export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: string
  readonly status: number
  constructor(code: string, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}
