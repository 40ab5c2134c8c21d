import { type Server, ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import type { HttpAnswer } from './answer.ts'
import { type CleanRequest, readCleanRequest } from './clean-request.ts'
import { AppError } from './errors.ts'
import type { Exchange, RawLane } from './exchange.ts'
import { fieldLines } from './field-lines.ts'
import { httpDate } from './http-date.ts'
import { UNREAD_RESPONSE_MS } from './limits/table.ts'
import { refuseConnection } from './refuse-connection.ts'

export interface QuickOptions {
  lane: RawLane
  /** False once the server begins to stop. */
  isOpen: () => boolean
  /** Headers of every response. */
  constant: Readonly<Record<string, string>>
  /** Receives each request that is refused before any other code sees it. */
  refused?: ((method: string, status: number) => void) | undefined
  /** A client that takes no byte of its response for this long is disconnected. */
  unreadMs?: number
  /** Further connections get 503. */
  maxConnections?: number
}

/** Refused connections that may be open at once, on top of the limit. Beyond that, Node closes new ones without an answer. */
const REFUSALS_AT_ONCE = 1_000
const RETRY_AFTER_SECONDS = 5
/** Larger bodies are written as they are. */
const COPIED_BYTES = 16 * 1024

/**
 * Shows clean requests to `lane` as soon as their bytes arrive, before Node's HTTP parser, which costs more than the whole
 * response. Each connection starts here and moves to Node for good at the first request that is unusual in any way, or that
 * the lane does not take (decision 0024). Connections beyond the limit are refused here.
 */
export function serveQuickly(server: Server, options: QuickOptions): void {
  const host = new QuickHost(server, options)
  const { maxConnections = Number.POSITIVE_INFINITY, constant, refused } = options
  if (Number.isFinite(maxConnections)) server.maxConnections = maxConnections + REFUSALS_AT_ONCE
  let open = 0
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    open++
    socket.once('close', () => open--)
    if (open <= maxConnections) {
      new QuickConnection(socket, host)
      return
    }
    const refusal = new AppError('overloaded', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    refuseConnection(socket, refusal, constant)
    refused?.('', refusal.status)
  })
  // Node does not count connections without a complete request as idle, so they would hold up shutdown.
  server.on('request', ({ socket }) => host.idle.delete(socket))
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    for (const socket of host.idle) socket.destroy()
    closeIdle()
  }
  const closeAll = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    for (const socket of host.quick) socket.destroy()
    closeAll()
  }
}

class QuickHost {
  readonly options: QuickOptions
  readonly server: Server
  /** Connections with no request in progress, on which Node has not seen a request. */
  readonly idle = new Set<Socket>()
  /** Connections that Node has not been given yet. */
  readonly quick = new Set<Socket>()
  readonly constantText: string
  readonly unreadMs: number
  readonly #ordinary: ((this: Server, socket: Socket) => void)[]

  constructor(server: Server, options: QuickOptions) {
    this.server = server
    this.options = options
    this.unreadMs = options.unreadMs ?? UNREAD_RESPONSE_MS
    this.#ordinary = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
    this.constantText = fieldLines(options.constant)
  }

  /** Gives a connection and its first bytes to Node's parser. */
  handOver(socket: Socket, chunk: Buffer): void {
    for (const listener of this.#ordinary) listener.call(this.server, socket)
    socket.emit('data', chunk)
  }
}

/** A connection before it moves to Node: at most one request is in progress; later bytes wait. */
class QuickConnection implements Exchange {
  request!: CleanRequest
  readonly #socket: Socket
  readonly #host: QuickHost
  #busy = false
  #ended = false
  #streaming = false
  #early: Buffer[] = []

  constructor(socket: Socket, host: QuickHost) {
    this.#socket = socket
    this.#host = host
    host.idle.add(socket)
    host.quick.add(socket)
    socket.setTimeout(host.server.keepAliveTimeout)
    socket.on('data', this.#onData).on('end', this.#onEnd).on('timeout', this.#onTimeout)
    socket.on('error', ignore).once('close', this.#onClose)
  }

  readText(done: (text: string) => void): void {
    done(this.request.body ?? '')
  }

  send({ status, headers, body, sent }: HttpAnswer): void {
    const socket = this.#socket
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
      if (socket.destroyed) body.destroy()
      else this.#sendStream(status, headers, body)
      return
    }
    if (socket.destroyed) {
      sent?.()
      return
    }
    const staysOpen = this.request.keepAlive && !this.#ended && this.#host.options.isOpen()
    const bytes = Buffer.byteLength(body)
    const length = status === 304 || status === 204 ? '' : `content-length: ${bytes}\r\n`
    const connection = staysOpen
      ? `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(this.#host.server.keepAliveTimeout / 1000)}\r\n\r\n`
      : 'Connection: close\r\n\r\n'
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${this.#host.constantText}${fieldLines(headers)}${length}Date: ${httpDate()}\r\n${connection}`
    if (typeof body === 'string') {
      // As many bytes as characters means plain ASCII, which is sent without conversion.
      socket.write(head + body, bytes === body.length ? 'latin1' : 'utf8', sent)
    } else if (bytes <= COPIED_BYTES) {
      // One write of text costs less than one of two parts. Latin-1 has a character for each byte.
      socket.write(head + body.toString('latin1'), 'latin1', sent)
    } else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body, sent)
      socket.uncork()
    }
    if (socket.writableLength > 0) socket.setTimeout(this.#host.unreadMs)
    // Also drops clients that never close.
    if (!staysOpen) socket.destroySoon()
    // Waits for drain before the next response.
    else if (socket.writableNeedDrain) socket.once('drain', this.#next)
    else this.#next()
  }

  /** Node writes the chunks; the connection ends with them. */
  #sendStream(status: number, headers: Record<string, string>, body: Readable): void {
    const socket = this.#socket
    this.#streaming = true
    socket.setTimeout(this.#host.unreadMs)
    const response = new ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as never)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    socket.on('drain', () => response.emit('drain'))
    response.writeHead(status, Object.entries({ ...this.#host.options.constant, ...headers }).flat())
    // The first bytes may be long in coming.
    response.flushHeaders()
    // Disconnected clients stay charged: the rows were ready (decision 0070).
    pipeline(body, response, () => socket.destroySoon())
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#busy) {
      this.#early.push(chunk)
      this.#socket.pause()
      return
    }
    const { lane, isOpen } = this.#host.options
    const request = isOpen() ? readCleanRequest(chunk, this.#socket) : null
    if (request !== null) {
      this.request = request
      this.#busy = true
      this.#host.idle.delete(this.#socket)
      if (lane(this)) return
      this.#busy = false
      this.#host.idle.add(this.#socket)
    }
    this.#handOver(chunk)
  }

  readonly #next = (): void => {
    const { keepAliveTimeout } = this.#host.server
    if (this.#socket.timeout !== keepAliveTimeout) this.#socket.setTimeout(keepAliveTimeout)
    this.#busy = false
    this.#host.idle.add(this.#socket)
    if (this.#early.length === 0) return
    const chunk = Buffer.concat(this.#early)
    this.#early = []
    this.#socket.resume()
    this.#onData(chunk)
  }

  #handOver(chunk: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData).off('end', this.#onEnd).off('timeout', this.#onTimeout).off('error', ignore)
    socket.setTimeout(0)
    this.#host.quick.delete(socket)
    this.#host.handOver(socket, chunk)
  }

  // The client sends nothing more, but may still read its response. A stream could last forever, so it ends now.
  readonly #onEnd = (): void => {
    this.#ended = true
    if (!this.#busy || this.#streaming) this.#socket.end()
  }

  // No byte moved in either direction: the connection is idle, or the client does not read. A slow response is neither.
  readonly #onTimeout = (): void => {
    if (!this.#busy || this.#socket.writableLength > 0) this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#host.idle.delete(this.#socket)
    this.#host.quick.delete(this.#socket)
  }
}

const ignore = (): void => {}
