import { type Server, ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import type { HttpAnswer } from './answer.ts'
import { type CleanRequest, readCleanRequest } from './clean-request.ts'
import type { Exchange, RawLane } from './exchange.ts'
import { httpDate } from './http-date.ts'

export interface QuickOptions {
  lane: RawLane
  /** False once the server begins to stop. */
  isOpen: () => boolean
  /** Headers of every answer. */
  constant: Readonly<Record<string, string>>
}

/**
 * Lets `lane` see clean requests as soon as their bytes arrive, before Node's HTTP parser, which costs more than the whole
 * answer. Each connection begins here and goes to Node for good with the first request that is unusual in any way, or that the
 * lane does not take (decision 0024).
 */
export function serveQuickly(server: Server, options: QuickOptions): void {
  const host = new QuickHost(server, options)
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => new QuickConnection(socket, host))
  // Who opened a connection and sent nothing whole is not idle in Node's eyes, and would hold back a stop.
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
  /** Connections without a request under way that Node has not seen a request on. */
  readonly idle = new Set<Socket>()
  /** Connections that Node was not given yet. */
  readonly quick = new Set<Socket>()
  readonly constantText: string
  readonly #ordinary: ((this: Server, socket: Socket) => void)[]

  constructor(server: Server, options: QuickOptions) {
    this.server = server
    this.options = options
    this.#ordinary = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
    this.constantText = fieldLines(options.constant)
  }

  /** Gives a connection, and what it brought, to Node's parser. */
  handOver(socket: Socket, chunk: Buffer): void {
    for (const listener of this.#ordinary) listener.call(this.server, socket)
    socket.emit('data', chunk)
  }
}

/** One connection while it is quick: at most one request is under way; what arrives meanwhile waits. */
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

  send({ status, headers, body }: HttpAnswer): void {
    const socket = this.#socket
    if (socket.destroyed) return
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
      this.#sendStream(status, headers, body)
      return
    }
    const goesOn = this.request.keepAlive && !this.#ended && this.#host.options.isOpen()
    const bytes = Buffer.byteLength(body)
    const length = status === 304 ? '' : `content-length: ${bytes}\r\n`
    const connection = goesOn
      ? `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(this.#host.server.keepAliveTimeout / 1000)}\r\n\r\n`
      : 'Connection: close\r\n\r\n'
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${this.#host.constantText}${fieldLines(headers)}${length}Date: ${httpDate()}\r\n${connection}`
    if (typeof body === 'string') {
      // As many bytes as characters: plain ASCII, which goes out without being converted.
      socket.write(head + body, bytes === body.length ? 'latin1' : 'utf8')
    } else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
    }
    // Also who never hangs up is rid of.
    if (!goesOn) socket.destroySoon()
    // Who does not read answers gets no further ones.
    else if (socket.writableNeedDrain) socket.once('drain', this.#next)
    else this.#next()
  }

  /** Node writes the pieces; the connection ends with them. */
  #sendStream(status: number, headers: Record<string, string>, body: Readable): void {
    const socket = this.#socket
    this.#streaming = true
    const response = new ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as never)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    socket.on('drain', () => response.emit('drain'))
    response.writeHead(status, Object.entries({ ...this.#host.options.constant, ...headers }).flat())
    // Who hangs up has been charged: the rows were there (decision 0070).
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

  // The other side sends nothing more, but may still read an answer. Of a stream nobody knows when it ends: it ends now.
  readonly #onEnd = (): void => {
    this.#ended = true
    if (!this.#busy || this.#streaming) this.#socket.end()
  }

  readonly #onTimeout = (): void => {
    if (!this.#busy) this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#host.idle.delete(this.#socket)
    this.#host.quick.delete(this.#socket)
  }
}

const ignore = (): void => {}

// What could end a line, or is no byte.
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/

function fieldLines(headers: Readonly<Record<string, string>>): string {
  let text = ''
  for (const name in headers) {
    const value = headers[name]!
    if (UNFIT.test(value)) throw new TypeError(`The header ${name} holds a character that no header may hold.`)
    text += `${name}: ${value}\r\n`
  }
  return text
}
