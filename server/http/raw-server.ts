import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { HttpAnswer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { type QuickOptions, serveQuickly } from './quick-connection.ts'

/** The options of Fastify that its own server would get. */
interface ServerOptions {
  http?: object
  keepAliveTimeout: number
  requestTimeout: number
  connectionTimeout: number
}

/**
 * The HTTP server under Fastify (its `serverFactory`), where the lane sees each request first: as bytes where they are one
 * clean request, else as Node reads them. `isOpen` ends that when the server begins to stop, so that only the framework
 * decides how late requests are answered.
 */
export function rawServer(
  options: QuickOptions,
): (handler: (request: IncomingMessage, response: ServerResponse) => void, options: object) => Server {
  const { lane, isOpen, constant } = options
  const constantList = Object.entries(constant).flat()
  return (handler, serverOptions) => {
    const { http, keepAliveTimeout, requestTimeout, connectionTimeout } = serverOptions as ServerOptions
    const server = createServer(http ?? {}, (request, response) => {
      if (!isOpen() || !lane(nodeExchange(request, response, constantList))) handler(request, response)
    })
    server.keepAliveTimeout = keepAliveTimeout
    server.requestTimeout = requestTimeout
    server.setTimeout(connectionTimeout)
    serveQuickly(server, options)
    return server
  }
}

/** A request as Node read it. */
export function nodeExchange(request: IncomingMessage, response: ServerResponse, constant: string[]): Exchange {
  return {
    request,
    readText: (done) => readText(request, done),
    send: (answer) => write(response, constant, answer),
  }
}

function write(response: ServerResponse, constant: string[], { status, headers, body }: HttpAnswer): void {
  if (response.destroyed) return
  const list = constant.slice()
  for (const name in headers) list.push(name, headers[name]!)
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    response.writeHead(status, list)
    // Who hangs up has been charged: the rows were there (decision 0070).
    return void pipeline(body, response, () => {})
  }
  const bytes = Buffer.byteLength(body)
  if (status !== 304) list.push('content-length', String(bytes))
  response.writeHead(status, list)
  // As many bytes as characters: plain ASCII, which goes out without being converted.
  if (typeof body === 'string') response.end(body, bytes === body.length ? 'latin1' : 'utf8')
  else response.end(body)
}

/** Reads the whole body as UTF-8. A caller that hangs up before its end is not heard. */
function readText(request: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()))
  request.on('error', () => {})
}
