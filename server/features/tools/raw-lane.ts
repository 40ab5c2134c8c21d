import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { Deps } from '../../deps.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import { clientAddress } from '../../http/client-address.ts'
import type { RawLane } from '../../http/raw-server.ts'
import { requestLogger } from '../../http/request-log.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { presented, takeKeyFromUrl } from './credentials.ts'
import type { McpDispatcher } from './mcp/dispatcher.ts'
import type { McpReply } from './mcp/message.ts'
import { MCP_BODY_LIMIT_BYTES, withCors } from './mcp.ts'
import { restVerb } from './rest-answer.ts'
import { restMatcher } from './rest-match.ts'

/**
 * Answers the two hottest kinds of request (plain GETs of the Data API, POSTs to /mcp) before the framework does any
 * work, with the same verbs and therefore the same bytes; a test holds both beside each other. Everything unusual
 * is left to the framework: other methods and paths, encoded paths, bodies without a length, Expect.
 */
export function createRawLane(deps: Deps, dispatcher: McpDispatcher): RawLane {
  const match = restMatcher(
    deps.tools.all
      .filter(({ tool }) => tool.rest?.method === 'GET')
      .map((entry) => ({
        path: entry.tool.rest!.path,
        value: { verb: restVerb(deps, entry), path: entry.tool.rest!.path },
      })),
  )
  const send = answerWriter(deps)
  const addressOf = clientAddress(deps.config)

  const rest = (request: IncomingMessage, response: ServerResponse, url: string): boolean => {
    const { headers } = request
    // A GET with a body is rare and may be faulty.
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false
    const mark = url.indexOf('?')
    const route = match(mark === -1 ? url : url.slice(0, mark))
    if (!route) return false
    const given = presented(request, addressOf(request))
    const requestId = randomUUID()
    const startedAt = performance.now()
    void route.value
      .verb({
        requestId,
        presented: given,
        params: route.params,
        query: mark === -1 ? '' : url.slice(mark + 1),
        idempotencyKey: headers['idempotency-key'],
        accept: headers.accept,
        ifNoneMatch: headers['if-none-match'],
      })
      .then((answer) => send(response, answer, { requestId, method: 'GET', route: route.value.path, startedAt }))
    return true
  }

  const mcp = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { headers } = request
    const length = Number(headers['content-length'])
    if (!(length > 0 && length <= MCP_BODY_LIMIT_BYTES) || headers['content-type'] === undefined) return false
    const given = presented(request, addressOf(request))
    const requestId = randomUUID()
    const startedAt = performance.now()
    readText(request, (body) => {
      void dispatcher.handle({ method: 'POST', headers, body, presented: given }).then((answer) => {
        const whole = { ...answer, headers: { ...withCors(headers.origin, answer.headers), 'x-request-id': requestId } }
        send(response, whole, { requestId, method: 'POST', route: '/mcp', startedAt })
      })
    })
    return true
  }

  return (request, response) => {
    const { method, url = '', headers } = request
    if (headers.expect !== undefined) return false
    if (method === 'GET' && url.startsWith('/v1/')) return rest(request, response, takeKeyFromUrl(request))
    if (method === 'POST' && url.startsWith('/mcp')) return takeKeyFromUrl(request) === '/mcp' && mcp(request, response)
    return false
  }
}

interface Sent {
  requestId: string
  method: string
  route: string
  startedAt: number
}

function answerWriter(deps: Deps): (response: ServerResponse, answer: HttpAnswer | McpReply, sent: Sent) => void {
  const constant = Object.entries(securityHeaders(deps.config)).flat()
  const write = requestLogger(deps.log)
  return (response, { status, headers, body }, { requestId, method, route, startedAt }) => {
    if (response.destroyed) return
    const list = constant.slice()
    for (const name in headers) list.push(name, headers[name]!)
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
      response.writeHead(status, list)
      const stream = body instanceof Readable ? body : Readable.fromWeb(body as WebStream)
      // Who hangs up has been charged: the rows were there (decision 0070).
      return void pipeline(stream, response).catch(() => {})
    }
    const bytes = Buffer.byteLength(body)
    if (status !== 304) list.push('content-length', String(bytes))
    response.writeHead(status, list)
    // As many bytes as characters: plain ASCII, which goes out without being converted.
    if (typeof body === 'string') response.end(body, bytes === body.length ? 'latin1' : 'utf8')
    else response.end(body)
    write?.({ requestId, method, route, status, ms: Math.round(performance.now() - startedAt) })
  }
}

/** Reads the whole body as UTF-8. A caller that hangs up before its end is not heard. */
function readText(request: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()))
  request.on('error', () => {})
}
