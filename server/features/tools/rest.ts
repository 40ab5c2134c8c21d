import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { creditHeaders, limitHeadersOfRefusal, rateLimitHeaders } from './answer-headers.ts'
import { presented, verifyPresented } from './credentials.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import type { RegisteredTool } from './registry.ts'
import { restBody } from './rest-body.ts'
import { type Format, queryReader } from './rest-input.ts'
import { runTool } from './run-tool.ts'

const BODY_LIMIT_BYTES = 256 * 1024
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The Data API: one route under /v1 for every tool with a `rest` binding. Errors go to the server's error handler,
 * which answers problem+json here.
 */
export async function registerRest(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (v1) => {
    const taken = new Map<string, string[]>()
    for (const entry of deps.tools.all) {
      if (!entry.tool.rest) continue
      const { method, path } = entry.tool.rest
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      v1.route({ method, url, bodyLimit: BODY_LIMIT_BYTES, handler: handler(deps, entry) })
      taken.set(url, [...(taken.get(url) ?? []), method])
    }
    for (const [url, methods] of taken) refuseOtherMethods(v1, url, methods)
  })
}

function handler(deps: Deps, entry: RegisteredTool) {
  const readQuery = queryReader(entry)
  const isGet = entry.tool.rest?.method === 'GET'
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const verifying = verifyPresented(deps.keys, presented(request.raw), 'rest')
    const key = verifying instanceof Promise ? await verifying : verifying
    const query = readQuery(request.params as Record<string, string>, queryText(request.url))
    const input = isGet ? query.input : { ...query.input, ...bodyObject(request.body) }
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key'], 'Idempotency-Key')
    const caller = { accountId: key.accountId, keyId: key.keyId, rateLimitPerMinute: key.rateLimitPerMinute }
    const answer = await runTool(deps, { entry, input, caller, idempotencyKey }).catch((error: unknown) => {
      reply.headers(limitHeadersOfRefusal(error, caller.rateLimitPerMinute))
      throw error
    })
    const body = restBody(entry, answer.output, query.format ?? acceptedFormat(request.headers.accept))
    if (body.nextCursor !== null) reply.header('x-next-cursor', body.nextCursor)
    return reply
      .headers({ ...creditHeaders(answer), ...rateLimitHeaders(answer.rateLimit) })
      .header('x-request-id', request.id)
      .header('cache-control', 'private, no-store')
      .header('content-type', body.contentType)
      .send(body.text)
  }
}

function queryText(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

function bodyObject(body: unknown): Record<string, unknown> {
  if (body !== null && typeof body === 'object' && !Array.isArray(body)) return body as Record<string, unknown>
  throw new AppError('bad_json', 'The request body must be a JSON object.')
}

/** `Accept: text/csv` and `application/x-ndjson` choose a format as the parameter does; anything else means JSON. */
function acceptedFormat(accept: string | undefined): Format {
  const first = accept?.split(/[,;]/, 1)[0]?.trim().toLowerCase()
  if (first === 'text/csv') return 'csv'
  return first === 'application/x-ndjson' ? 'ndjson' : 'json'
}

/** Answers 405 before a body is read, so that neither its type nor its size matters. */
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
