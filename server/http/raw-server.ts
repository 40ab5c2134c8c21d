import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import type { HttpAnswer } from './answer.ts'
import { errorAnswer } from './error-answer.ts'
import type { Exchange } from './exchange.ts'
import { UNREAD_RESPONSE_MS } from './limits/table.ts'
import { type QuickOptions, serveQuickly } from './quick-connection.ts'
import { GOODBYE_MS } from './refuse-connection.ts'
import { refuseMessage } from './refuse-message.ts'
import { requestIdOf } from './request-id.ts'
import { cutSlowReaders } from './slow-readers.ts'

/** The options of Fastify that its own server would get. */
interface ServerOptions {
  http?: object
  keepAliveTimeout: number
  requestTimeout: number
  connectionTimeout: number
}

/**
 * The HTTP server under Fastify (its `serverFactory`). The lane sees each request first: as bytes if they are one clean
 * request, else as Node parsed them. Once `isOpen` returns false, all requests go to the framework, which decides how to
 * answer during shutdown.
 */
export function rawServer(
  options: QuickOptions,
): (handler: (request: IncomingMessage, response: ServerResponse) => void, options: object) => Server {
  const { lane, isOpen, constant, refused, unreadMs = UNREAD_RESPONSE_MS } = options
  const constantList = Object.entries(constant).flat()
  return (handler, serverOptions) => {
    const { http, keepAliveTimeout, requestTimeout, connectionTimeout } = serverOptions as ServerOptions
    // A missing Host is refused below, in the documented form.
    const server = createServer({ requireHostHeader: false, ...http }, (request, response) => {
      const { headers } = request
      if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
        response.once('finish', () => endUnread(request))
      const refusal = refuseMessage(request)
      if (refusal) {
        response.shouldKeepAlive = false
        const path = (request.url ?? '').split('?', 1)[0]!
        write(response, constantList, errorAnswer(refusal, path, requestIdOf(request.headers)))
        refused?.(request.method ?? '', refusal.status)
      } else if (!isOpen() || !lane(nodeExchange(request, response, constantList))) handler(request, response)
    })
    server.keepAliveTimeout = keepAliveTimeout
    server.requestTimeout = requestTimeout
    // Fastify's option would cut every connection without activity, also while a slow response is being made.
    server.setTimeout(connectionTimeout || unreadMs, connectionTimeout ? undefined : cutUnread(unreadMs))
    serveQuickly(server, { ...options, unreadMs })
    cutSlowReaders(server, unreadMs)
    return server
  }
}

/**
 * Handles the inactivity timeouts of sockets that Node's parser reads. Node sets `unreadMs` while a response is in progress,
 * and restarts the timer whenever the client takes bytes; then only unsent bytes are a reason to disconnect. Any other
 * timeout is that of an idle connection.
 */
const cutUnread = (unreadMs: number) => (socket: Socket) => {
  if (socket.timeout !== unreadMs || socket.writableLength > 0) socket.destroy()
}

/**
 * A response may be sent before the body of its request has arrived, as to a client that is not known. What is left is read for a while,
 * so that the client gets the response, and then no longer: it may have no end.
 */
function endUnread(request: IncomingMessage): void {
  if (request.complete) return
  const goodbye = setTimeout(() => request.socket.destroy(), GOODBYE_MS).unref()
  request.once('close', () => clearTimeout(goodbye))
}

/** A request as Node parsed it. */
export function nodeExchange(request: IncomingMessage, response: ServerResponse, constant: string[]): Exchange {
  return {
    request,
    readText: (done) => readText(request, done),
    send: (answer) => write(response, constant, answer),
  }
}

function write(response: ServerResponse, constant: string[], { status, headers, body, sent }: HttpAnswer): void {
  if (sent) response.once('close', sent)
  if (response.destroyed) {
    sent?.()
    if (body instanceof Readable) body.destroy()
    return
  }
  const list = constant.slice()
  for (const name in headers) list.push(name, headers[name]!)
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    response.writeHead(status, list)
    // The first bytes may be long in coming.
    response.flushHeaders()
    // Disconnected clients stay charged: the rows were ready (decision 0070).
    return void pipeline(body, response, () => {})
  }
  const bytes = Buffer.byteLength(body)
  if (status !== 304 && status !== 204) list.push('content-length', String(bytes))
  response.writeHead(status, list)
  // As many bytes as characters means plain ASCII, which is sent without conversion.
  if (typeof body === 'string') response.end(body, bytes === body.length ? 'latin1' : 'utf8')
  else response.end(body)
}

/** Reads the whole body as UTF-8. Never calls back if the client disconnects before the end. */
function readText(request: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()))
  request.on('error', () => {})
}
