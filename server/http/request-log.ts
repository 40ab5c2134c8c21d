import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { routeOf } from './error-handler.ts'

export interface RequestFacts {
  requestId: string
  method: string
  /** The route's pattern: paths and queries may contain secrets. */
  route: string
  status: number
  ms: number
}

/** Writes one line per request at level info. Null if that level is off. */
export function requestLogger(log: Logger): ((facts: RequestFacts) => void) | null {
  return log.isLevelEnabled('info') ? (facts) => log.info(facts, 'request') : null
}

/** Logs every request that goes through Fastify. */
export function registerRequestLog(app: FastifyInstance, log: Logger): void {
  const write = requestLogger(log)
  if (!write) return
  app.addHook('onResponse', async (request, reply) =>
    write({
      requestId: request.id,
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }),
  )
}
