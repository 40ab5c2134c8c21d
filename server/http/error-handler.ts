import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { Logger } from 'pino'
import { AppError } from './errors.ts'
import { problemAnswer } from './problem.ts'

/** Paths that answer errors as JSON and never as the web page. */
const apiPrefix =
  /^\/(api|billing|v1|auth\/v1|rest\/v1|storage\/v1|functions\/v1|realtime\/v1|webhooks|openapi\.json)(\/|$)/

export const isApiPath = (path: string): boolean => apiPrefix.test(path)

/** Maps every error to the shape of its surface: problem+json for /v1, the envelope elsewhere. */
export function registerErrorHandlers(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(toAppError(error, request, log), request, reply),
  )
}

/** Answers one error in the shape that the request's surface promises. */
export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (/^\/v1(\/|$)/.test(pathOf(request))) {
    const { status, headers, body } = problemAnswer(error, request.id)
    return reply.code(status).headers(headers).send(body)
  }
  if (error.detail.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.detail.retryAfterSeconds))
  return reply
    .code(error.status)
    .header('x-request-id', request.id)
    .type('application/json')
    .send(JSON.stringify({ success: false, error: error.message, code: error.code }))
}

/** The answer for a path that nothing serves. */
export const sendNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendError(new AppError('not_found', `There is nothing at ${request.method} ${pathOf(request)}.`), request, reply)

/** The answer for an address with a broken percent sign; nothing of it is repeated. */
export const sendUnreadable = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendError(new AppError('invalid_parameter', 'The address could not be read.'), request, reply)

/** Any thrown value as an error of the catalogue. What nobody expected is logged and shown only as its request id. */
export function toAppError(error: FastifyError, request: FastifyRequest, log: Logger): AppError {
  if (error instanceof AppError) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issue = error.validation[0]
    const param = issue?.instancePath.replace(/^\//, '').replaceAll('/', '.') || undefined
    return new AppError('invalid_parameter', `${param ?? 'The request'}: ${issue?.message ?? 'is not valid'}`, {
      param,
    })
  }
  const known = fastifyErrors[error.code]
  if (known) return known()
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500)
    return new AppError('invalid_parameter', 'The request could not be read.')
  return unexpected(error, { requestId: request.id, route: routeOf(request) }, log)
}

/** For what nobody expected: logged here, and shown to the caller only as the request's id. `route` is a pattern. */
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

/** The pattern of the route, which holds no value that a caller sent. */
export const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'unknown'
