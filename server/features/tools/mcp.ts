import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { presented } from './credentials.ts'
import { createMcpDispatcher } from './mcp/dispatcher.ts'
import { httpError, type McpReply } from './mcp/message.ts'

const BODY_LIMIT_BYTES = 256 * 1024
const LIMIT_TEXT = `The request body is larger than ${BODY_LIMIT_BYTES / 1024} KiB.`

/** For browser clients. Credentials mode is never allowed: the key travels in the request itself. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'authorization, content-type, idempotency-key, mcp-method, mcp-name, mcp-protocol-version, x-api-key',
  'access-control-expose-headers':
    'ratelimit, ratelimit-policy, retry-after, www-authenticate, x-credits-charged, x-credits-remaining, x-receipt-id, x-request-id',
  'access-control-max-age': '600',
}

/** Mounts the MCP endpoint at /mcp; bodies reach it as text, of any content type, so that it answers for them itself. */
export async function registerMcp(app: FastifyInstance, deps: Deps): Promise<void> {
  const dispatch = createMcpDispatcher(deps)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) =>
      send(request, reply, bodyError(error, deps)),
    )
    scope.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '/mcp',
      bodyLimit: BODY_LIMIT_BYTES,
      handler: async (request, reply) => {
        const { method, headers, body, raw } = request
        if (method === 'OPTIONS' && headers.origin !== undefined) return reply.code(204).headers(CORS).send()
        const answer = await dispatch({
          method,
          headers,
          body: typeof body === 'string' ? body : '',
          presented: presented(raw),
        })
        return send(request, reply, answer)
      },
    })
  })
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: McpReply): FastifyReply {
  if (request.headers.origin !== undefined) reply.headers(CORS)
  return reply.code(status).headers(headers).header('x-request-id', request.id).send(body)
}

function bodyError(error: Error & { code?: string; statusCode?: number }, deps: Deps): McpReply {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return httpError(413, LIMIT_TEXT, 'payload_too_large')
  if (error.statusCode && error.statusCode < 500) return httpError(400, 'The request could not be read.', 'bad_json')
  deps.log.error({ error: error.stack }, 'mcp request failed')
  return httpError(500, 'Something went wrong on our side.', 'internal_error')
}
