import type { FastifyReply, FastifyRequest } from 'fastify'

/** First date of the error shape that current clients read. */
const API_VERSION = '2024-01-01'

/** A refusal in the terms of the auth protocol: HTTP status, machine code, text for the caller. */
export class AuthError extends Error {
  override name = 'AuthError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}

/** Answers in the shape for the date that the client names in X-Supabase-Api-Version; without one, in the older shape. */
export function sendAuthError(error: AuthError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(error.status).header('x-sb-error-code', error.code).type('application/json; charset=utf-8')
  if (understandsCurrentShape(request)) {
    reply.header('x-supabase-api-version', API_VERSION)
    return reply.send(JSON.stringify({ code: error.code, message: error.message }))
  }
  const id = error.status >= 500 ? { error_id: request.id } : {}
  return reply.send(JSON.stringify({ code: error.status, error_code: error.code, msg: error.message, ...id }))
}

function understandsCurrentShape(request: FastifyRequest): boolean {
  const version = request.headers['x-supabase-api-version']
  return typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) && version >= API_VERSION
}
