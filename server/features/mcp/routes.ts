import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { limitTable } from '../../http/limits/table.ts'
import { onGone } from '../../http/on-gone.ts'
import { presented } from '../keys/credentials.ts'
import type { McpDispatcher } from './dispatcher.ts'
import { httpError, type McpReply } from './message.ts'
import { serverJson } from './server-json.ts'

/** Also the limit of the raw lane. */
export const MCP_BODY_LIMIT_BYTES = limitTable.metered.bodyBytes
const LIMIT_TEXT = `The request body is larger than ${MCP_BODY_LIMIT_BYTES / 1024} KiB.`

/** For browser clients. Never with credentials mode: the key is in the request itself. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'authorization, content-type, idempotency-key, mcp-method, mcp-name, mcp-protocol-version, traceparent, tracestate, x-api-key, x-request-id',
  'access-control-expose-headers':
    'ratelimit, ratelimit-policy, retry-after, traceparent, www-authenticate, x-credits-charged, x-credits-remaining, x-receipt-id, x-request-id',
  'access-control-max-age': '600',
}

/**
 * Mounts the MCP endpoint at /mcp. Bodies arrive as text of any content type, so that the endpoint itself reports wrong
 * ones.
 */
export async function registerMcp(app: FastifyInstance, deps: Deps, mcp: McpDispatcher): Promise<void> {
  // Open streams would keep the server from closing.
  app.addHook('preClose', () => mcp.close())
  app.get('/server.json', async () => serverJson(deps.config, deps.shop.current()))
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) =>
      send(request, reply, bodyError(error, deps)),
    )
    // Also with a trailing slash, as many other servers have it: a redirect would lose a client's message.
    for (const url of ['/mcp', '/mcp/'])
      scope.route({
        method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        url,
        handler: async (request, reply) => {
          const { method, headers, body, raw } = request
          if (method === 'OPTIONS' && headers.origin !== undefined) return reply.code(204).headers(CORS).send()
          const purchase = parameterOf(request.url, 'purchase') === 'off' ? 'off' : deps.config.MCP_PURCHASE
          const answer = await mcp.handle({
            method,
            headers,
            body: typeof body === 'string' ? body : '',
            presented: presented(raw, request.ip),
            record: request.record,
            tools: parameterOf(request.url, 'tools'),
            pays: purchase === 'protocol' && parameterOf(request.url, 'payment') === 'x402',
            ...(purchase === 'off' && { purchase }),
            onGone: (listener) => onGone(raw.socket, listener),
          })
          return send(request, reply, answer)
        },
      })
  })
}

/**
 * A parameter of the URL: `tools` has the tools and presets that the client chose, `payment` how it pays without a key, and `purchase`
 * that nothing is said about buying.
 */
function parameterOf(url: string, name: 'tools' | 'payment' | 'purchase'): string | undefined {
  const mark = url.indexOf('?')
  return mark === -1 ? undefined : (new URLSearchParams(url.slice(mark + 1)).get(name) ?? undefined)
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: McpReply): FastifyReply {
  // As bytes, so that the framework leaves the media type alone, as the raw lane does.
  return reply
    .code(status)
    .headers(withCors(request.headers.origin, headers))
    .header('x-request-id', request.id)
    .send(typeof body === 'string' ? Buffer.from(body) : body)
}

/** Response headers, including the CORS headers that browser clients need. */
export const withCors = (origin: string | undefined, headers: Record<string, string>): Record<string, string> =>
  origin === undefined ? headers : { ...CORS, ...headers }

function bodyError(error: Error & { code?: string; statusCode?: number }, deps: Deps): McpReply {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return httpError(413, LIMIT_TEXT, 'payload_too_large')
  if (error.statusCode && error.statusCode < 500) return httpError(400, 'The request could not be read.', 'bad_json')
  deps.log.error({ error: error.stack }, 'mcp request failed')
  return httpError(500, 'Something went wrong on our side.', 'internal_error')
}
