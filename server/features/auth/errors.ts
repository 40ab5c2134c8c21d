import type { FastifyReply, FastifyRequest } from 'fastify'

/** First date of the error shape that current clients read. */
const API_VERSION = '2024-01-01'

interface AuthErrorOptions extends ErrorOptions {
  /** Further fields of the answer, such as `weak_password`. */
  detail?: Record<string, unknown>
  /** For the header Retry-After. */
  retryAfterSeconds?: number | undefined
}

/** An error of the auth protocol: HTTP status, machine code, text for the caller. */
export class AuthError extends Error {
  override name = 'AuthError'
  readonly status: number
  readonly code: string
  readonly detail: Record<string, unknown>
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string, message: string, options: AuthErrorOptions = {}) {
    super(message, options)
    this.status = status
    this.code = code
    this.detail = options.detail ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** An error of the id_token grant, in OAuth's form: always 400, without a code. */
export class OAuthError extends AuthError {
  override name = 'OAuthError'

  constructor(error: string, description: string) {
    super(400, error, description)
  }
}

/** Answers in the shape for the date that the client names in X-Supabase-Api-Version; without one, in the older shape. */
export function sendAuthError(error: AuthError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(error.status).type('application/json; charset=utf-8')
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
  if (error instanceof OAuthError)
    return reply.send(JSON.stringify({ error: error.code, error_description: error.message }))
  reply.header('x-sb-error-code', error.code)
  if (understandsCurrentShape(request)) {
    reply.header('x-supabase-api-version', API_VERSION)
    return reply.send(JSON.stringify({ code: error.code, message: error.message, ...error.detail }))
  }
  const id = error.status >= 500 ? { error_id: request.id } : {}
  return reply.send(
    JSON.stringify({ code: error.status, error_code: error.code, msg: error.message, ...error.detail, ...id }),
  )
}

export const invalid = (message: string): AuthError => new AuthError(400, 'validation_failed', message)

function understandsCurrentShape(request: FastifyRequest): boolean {
  const version = request.headers['x-supabase-api-version']
  return typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) && version >= API_VERSION
}
