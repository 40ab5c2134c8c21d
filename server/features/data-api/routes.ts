import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { presented } from '../keys/credentials.ts'
import { restVerb } from './rest-answer.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The Data API: one route under /v1 for every tool with a `rest` binding. Most GET requests never reach it: the raw
 * lane (raw-lane.ts) answers them with the same handler. Errors outside a tool go to the server's error handler, which
 * sends problem+json here.
 */
export async function registerRest(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (v1) => {
    const taken = new Map<string, string[]>()
    for (const entry of deps.tools.current().all) {
      if (!entry.tool.rest) continue
      const { method, path } = entry.tool.rest
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      const verb = restVerb(deps, entry)
      v1.route({
        method,
        url,
        handler: async (request, reply) => {
          const { status, headers, body, sent } = await verb({
            isGone: () => request.raw.socket.destroyed,
            record: request.record,
            presented: presented(request.raw, request.ip),
            params: request.params as Record<string, string>,
            query: queryText(request.url),
            body: request.body,
            idempotencyKey: request.headers['idempotency-key'],
            accept: request.headers.accept,
            ifNoneMatch: request.headers['if-none-match'],
          })
          if (sent) reply.raw.once('close', sent)
          return reply.code(status).headers(headers).send(body)
        },
      })
      taken.set(url, [...(taken.get(url) ?? []), method])
    }
    for (const [url, methods] of taken) refuseOtherMethods(v1, url, methods)
  })
}

function queryText(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** Sends 405 before a body is read, so that neither its type nor its size matters. */
function refuseOtherMethods(v1: FastifyInstance, url: string, methods: string[]): void {
  v1.route({
    method: METHODS.filter((method) => !methods.includes(method)),
    url,
    onRequest: async (request, reply) => {
      reply.header('allow', methods.join(', '))
      throw new AppError('method_not_allowed', `${request.method} is not served here. Use ${methods.join(' or ')}.`, {
        allowed: methods,
      })
    },
    handler: async () => undefined,
  })
}
