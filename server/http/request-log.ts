import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { routeOf } from './error-handler.ts'

/** One line a request at level info, naming the route's pattern: paths and queries may hold secrets. */
export function registerRequestLog(app: FastifyInstance, log: Logger): void {
  if (!log.isLevelEnabled('info')) return
  app.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route: routeOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })
}
