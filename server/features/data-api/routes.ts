import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { pathOf, sendNotFound } from '../../http/error-handler.ts'
import { AppError } from '../../http/errors.ts'
import { presented } from '../keys/credentials.ts'
import { createRestRoutes, type RestMatch, type RestRoute } from './rest-routes.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The Data API: every path under /v1 that is no route of its own belongs to a tool with a `rest` binding, found when the request
 * arrives, because tools come and go. Most GET requests never reach this: the raw lane (raw-lane.ts) answers them with the same
 * handler. Errors outside a tool go to the server's error handler, which sends problem+json here.
 */
export async function registerRest(app: FastifyInstance, deps: Deps): Promise<void> {
  const find = createRestRoutes(deps)
  const matches = new WeakMap<FastifyRequest, RestMatch<RestRoute>>()
  app.route({
    method: METHODS,
    url: '/v1/*',
    // 404 and 405 are sent before a body is read, so that neither its type nor its size matters.
    onRequest: async (request, reply) => {
      const found = find(request.method, segmentsOf(pathOf(request)))
      if (!found) return sendNotFound(request, reply)
      request.record.route = found.value.path
      if ('allowed' in found) {
        reply.header('allow', found.allowed.join(', '))
        const detail = `${request.method} is not served here. Use ${found.allowed.join(' or ')}.`
        throw new AppError('method_not_allowed', detail, { allowed: found.allowed })
      }
      matches.set(request, found)
    },
    handler: async (request, reply) => {
      const { value, params } = matches.get(request)!
      const { status, headers, body, sent } = await value.handler({
        isGone: () => request.raw.socket.destroyed,
        record: request.record,
        presented: presented(request.raw, request.ip),
        params,
        query: queryText(request.url),
        headers: request.headers,
        body: request.body,
      })
      if (sent) reply.raw.once('close', sent)
      reply.code(status).headers(headers).send(body)
      // The first bytes of a stream may be long in coming.
      if (body instanceof Readable && reply.raw.headersSent) reply.raw.flushHeaders()
      return reply
    },
  })
}

/** Decoded after it is divided: an escaped slash is part of a value. The framework has refused what cannot be decoded. */
const segmentsOf = (path: string): string[] => path.split('/').map(decodeURIComponent)

function queryText(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}
