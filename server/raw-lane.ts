import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { Deps } from './deps.ts'
import { KEPT_FROM_BYTES } from './features/data-api/answer-rows.ts'
import { createRestRoutes } from './features/data-api/rest-routes.ts'
import { presented, takeKeyFromUrl } from './features/keys/credentials.ts'
import type { McpDispatcher } from './features/mcp/dispatcher.ts'
import { MCP_BODY_LIMIT_BYTES, withCors } from './features/mcp/routes.ts'
import type { HttpAnswer } from './http/answer.ts'
import { CallRecord } from './http/call-record.ts'
import { clientAddress } from './http/client-address.ts'
import type { Exchange, RawLane } from './http/exchange.ts'
import { onGone } from './http/on-gone.ts'
import { requestObserver } from './http/request-log.ts'

/** Paths that need decoding, and their errors, are left to the framework. */
const PLAIN = /^[A-Za-z0-9/._~^:=@-]+$/
/** Responses over MCP count together: no account has this number. */
const OVER_MCP = 0

/**
 * Answers the two most frequent kinds of request (plain GETs of the Data API, POSTs to /mcp) before the framework does any
 * work. It uses the same handlers, so it sends the same bytes; a test compares them. Everything unusual is left to the framework:
 * other methods and paths, encoded paths, bodies without a length, Expect.
 */
export function createRawLane(deps: Deps, dispatcher: McpDispatcher): RawLane {
  const find = createRestRoutes(deps)
  const addressOf = clientAddress(deps.config)
  const observe = requestObserver(deps)
  const finish = (exchange: Exchange, answer: HttpAnswer, record: CallRecord, method: string, route: string): void => {
    record.addTo(answer.headers)
    exchange.send(answer)
    const observed = () => observe(record, { method, route, status: answer.status })
    // A call that reports its progress has its result, and its price, at the end of the stream.
    if (answer.body instanceof Readable && record.tool !== null && record.result === null)
      answer.body.once('close', observed)
    else observed()
  }

  const rest = (exchange: Exchange, url: string): boolean => {
    const { request } = exchange
    const { headers } = request
    // A GET with a body is rare and may be malformed.
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false
    const mark = url.indexOf('?')
    const path = mark === -1 ? url : url.slice(0, mark)
    if (!PLAIN.test(path)) return false
    const route = find('GET', path.split('/'))
    if (!route || 'allowed' in route) return false
    const given = presented(request, addressOf(request))
    const record = CallRecord.of(headers, deps.tracer)
    void route.value
      .handler({
        record,
        presented: given,
        params: route.params,
        query: mark === -1 ? '' : url.slice(mark + 1),
        headers,
        // A client that has closed its sending side counts as gone too, because Node then ends the response.
        isGone: () => request.socket.destroyed === true || request.socket.readableEnded === true,
      })
      .then((answer) => finish(exchange, answer, record, 'GET', route.value.path))
    return true
  }

  const mcp = (exchange: Exchange): boolean => {
    const { request } = exchange
    const { headers } = request
    const length = Number(headers['content-length'])
    if (!(length > 0 && length <= MCP_BODY_LIMIT_BYTES) || headers['content-type'] === undefined) return false
    const given = presented(request, addressOf(request))
    const record = CallRecord.of(headers, deps.tracer)
    exchange.readText((text) => {
      const watch = (listener: () => void) => onGone(request.socket, listener)
      const asked = { method: 'POST', headers, body: text, presented: given, record, onGone: watch }
      void dispatcher.handle(asked).then(({ status, ...reply }) => {
        const all = { ...withCors(headers.origin, reply.headers), 'x-request-id': record.requestId }
        const body = typeof reply.body === 'string' ? reply.body : Readable.fromWeb(reply.body as WebStream)
        const answer: HttpAnswer = { status, headers: all, body }
        if (typeof body === 'string' && body.length > KEPT_FROM_BYTES)
          answer.sent = deps.pressure.keep(OVER_MCP, body.length)
        finish(exchange, answer, record, 'POST', '/mcp')
      })
    })
    return true
  }

  return (exchange) => {
    const { request } = exchange
    const { method, url = '', headers } = request
    if (headers.expect !== undefined) return false
    if (method === 'GET' && url.startsWith('/v1/')) return rest(exchange, takeKeyFromUrl(request))
    if (method === 'POST' && url.startsWith('/mcp')) return takeKeyFromUrl(request) === '/mcp' && mcp(exchange)
    return false
  }
}
