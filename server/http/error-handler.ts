import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { Logger } from 'pino'
import { errorAnswer } from './error-answer.ts'
import { AppError } from './errors.ts'

/** Paths whose errors are JSON, never the web page. */
const apiPrefix =
  /^\/(api|billing|v1|auth\/v1|rest\/v1|storage\/v1|functions\/v1|realtime\/v1|webhooks|openapi\.json)(\/|$)/

export const isApiPath = (path: string): boolean => apiPrefix.test(path)

/** Sends every error in the form of its surface. */
export function registerErrorHandlers(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(toAppError(error, request, log), request, reply),
  )
}

/** Sends one error in the form that the request's surface promises. */
export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = errorAnswer(error, pathOf(request), request.id)
  return reply.code(status).headers(headers).send(body)
}

/** The response for a path that no route serves. */
export const sendNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendError(new AppError('not_found', `There is nothing at ${request.method} ${pathOf(request)}.`), request, reply)

/** The response for a URL with a malformed percent escape. It echoes no part of the URL. */
export const sendUnreadable = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendError(new AppError('invalid_parameter', 'The address could not be read.'), request, reply)

/** Any thrown value as an error of the catalog. Unexpected errors are logged; the caller sees only the request ID. */
export function toAppError(error: FastifyError, request: FastifyRequest, log: Logger): AppError {
  if (error instanceof AppError) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issue = error.validation[0]
    const param = issue?.instancePath.replace(/^\//, '').replaceAll('/', '.') || undefined
    return new AppError('invalid_parameter', `${param ?? 'The request'}: ${issue?.message ?? 'is not valid'}`, {
      param,
    })
  }
  if (isUnstorable(error))
    return new AppError('invalid_parameter', 'The request contains a zero character, which cannot be used.')
  const known = fastifyErrors[error.code]
  if (known) return known()
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500)
    return new AppError('invalid_parameter', 'The request could not be read.')
  return unexpected(error, { requestId: request.id, route: routeOf(request) }, log)
}

/** PostgreSQL refuses U+0000 in text and JSON. It can only come from the request. */
export const isUnstorable = (error: { code?: unknown }): boolean => error.code === '22021' || error.code === '22P05'

/** Logs an unexpected error. The caller sees only the request ID. `route` is a pattern. */
export function unexpected(error: Error, at: { requestId: string; route: string }, log: Logger): AppError {
  log.error({ requestId: at.requestId, path: at.route, error: error.message, stack: error.stack }, 'request failed')
  return new AppError('internal_error', `Something went wrong on our side. Request id: ${at.requestId}`)
}

const fastifyErrors: Record<string, (() => AppError) | undefined> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('payload_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new AppError('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError('invalid_parameter', 'The content length does not match the body.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new AppError('bad_json', 'The request body is empty.'),
}

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0]!

/** The route's pattern, which contains nothing that the caller sent. */
const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'unknown'

/** The route's pattern in the form that the contract and the tools use: `/v1/bars/{symbol}`. */
export const patternOf = (request: FastifyRequest): string => routeOf(request).replaceAll(/:(\w+)/g, '{$1}')
