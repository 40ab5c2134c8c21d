import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import type { HttpAnswer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { rawServer } from './raw-server.ts'
import { clientErrorHandler } from './refuse-connection.ts'

/** Far more than the kernel's buffers of both sides hold. */
const LARGE = 'x'.repeat(64 * 1024 * 1024)
const UNREAD_MS = 50

let server: Server
/** The server's side of each connection, in the order they were opened. */
let accepted: Socket[]
const opened: Socket[] = []
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy()
  server.closeAllConnections()
  server.close()
})

/** A server whose lane takes every path that starts with /lane; the framework sends `LARGE`. */
async function start(
  lane: (exchange: Exchange) => void,
  { requestTimeout = 30_000, ...more }: { unreadMs?: number; maxConnections?: number; requestTimeout?: number } = {},
): Promise<void> {
  accepted = []
  server = rawServer({
    lane(exchange) {
      if (!exchange.request.url?.startsWith('/lane')) return false
      lane(exchange)
      return true
    },
    isOpen: () => true,
    constant: { 'x-always': 'yes' },
    ...more,
  })((_request, response) => void response.end(LARGE), {
    keepAliveTimeout: 72_000,
    requestTimeout,
    connectionTimeout: 0,
  })
  server.on('clientError', clientErrorHandler({ 'x-always': 'yes' }))
  server.prependListener('connection', (socket: Socket) => accepted.push(socket))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
}

/** A new connection, once the server has accepted it. The client reads nothing until asked to. */
async function open(): Promise<Socket> {
  const before = accepted.length
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  opened.push(socket)
  socket.on('error', () => {})
  await expect.poll(() => accepted.length).toBe(before + 1)
  return socket
}

const ask = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
/** Takes the connection to Node's parser, which alone knows this method. */
const viaNode = (path: string) => ask(path, 'Accept: a\r\nAccept: b\r\n')
const whole = (): HttpAnswer => ({ status: 200, headers: {}, body: LARGE })
const streamed = (): HttpAnswer => ({
  status: 200,
  headers: {},
  body: Readable.from(Array.from({ length: 1_024 }, () => LARGE.slice(0, 65_536))),
})

test.each<[what: string, request: string, answer: () => HttpAnswer]>([
  ['our reader', ask('/lane'), whole],
  ['our reader, at the end of the connection', ask('/lane', 'Connection: close\r\n'), whole],
  ['our reader, a stream', ask('/lane'), streamed],
  ["Node's reader", viaNode('/lane'), whole],
  ["Node's reader, a stream", viaNode('/lane'), streamed],
  ["Node's reader, the framework", ask('/other'), whole],
])('a client that never reads its response is disconnected: %s', async (_what, request, answer) => {
  let sent: HttpAnswer | undefined
  await start(
    (exchange) => {
      sent = answer()
      exchange.send(sent)
    },
    { unreadMs: UNREAD_MS },
  )
  const client = await open()
  const closed = once(accepted[0]!, 'close')
  client.write(request)
  await closed
  // What produced the rows stops too.
  if (sent && sent.body instanceof Readable) expect(sent.body.destroyed).toBe(true)
})

test.each<[what: string, request: string]>([
  ['our reader', ask('/lane', 'Connection: close\r\n')],
  ["Node's reader", `${viaNode('/lane').slice(0, -2)}Connection: close\r\n\r\n`],
])('a response that is slow to be made is not cut: %s', async (_what, request) => {
  let exchange: Exchange | undefined
  await start((given) => (exchange = given), { unreadMs: UNREAD_MS })
  const client = await open()
  client.write(request)
  await expect.poll(() => exchange).toBeDefined()
  const body = new Readable({ read() {} })
  exchange!.send({ status: 200, headers: {}, body })
  await once(accepted[0]!, 'timeout')
  body.push('late')
  body.push(null)
  expect(await text(client)).toContain('late')
})

test.each([ask('/lane'), viaNode('/lane')])(
  'the stream for a client that is already gone is closed: %j',
  async (request) => {
    let exchange: Exchange | undefined
    await start((given) => {
      exchange = given
    })
    const client = await open()
    client.write(request)
    await expect.poll(() => exchange).toBeDefined()
    const gone = new Promise((done) => accepted[0]!.once('close', done))
    client.resetAndDestroy()
    await gone
    const body = new Readable({ read() {} })
    const closed = once(body, 'close')
    exchange!.send({ status: 200, headers: {}, body })
    await closed
  },
)

test('a client that reads again after a pause gets the whole response, and the connection stays usable', async () => {
  await start((exchange) => exchange.send(exchange.request.url === '/lane' ? whole() : { ...whole(), body: 'short' }))
  const client = await open()
  client.write(ask('/lane'))
  await expect.poll(() => accepted[0]!.writableLength).toBeGreaterThan(0)
  const reading = text(client)
  await expect.poll(() => accepted[0]!.writableLength).toBe(0)
  client.write(ask('/lane/short', 'Connection: close\r\n'))
  const said = await reading
  expect(said.length).toBeGreaterThan(LARGE.length)
  expect(said).toMatch(/x\r?HTTP|xHTTP\/1\.1 200 OK/)
  expect(said.endsWith('short')).toBe(true)
})

test('beyond the most connections, a client gets 503 and when to come back, until another leaves', async () => {
  await start((exchange) => exchange.send({ status: 200, headers: {}, body: 'served' }), { maxConnections: 2 })
  const [first] = [await open(), await open()]
  const refused = await open()
  refused.write(ask('/lane'))
  const said = await text(refused)
  expect(said).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
  expect(said).toContain('\r\nretry-after: 5\r\n')
  expect(said).toContain('\r\nx-always: yes\r\n')
  expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toEqual({
    success: false,
    error: 'Too many connections are open. Try again shortly.',
    code: 'overloaded',
  })
  const left = [once(accepted[0]!, 'close'), once(accepted[2]!, 'close')]
  first.destroy()
  await Promise.all(left)
  const next = await open()
  next.write(ask('/lane', 'Connection: close\r\n'))
  expect(await text(next)).toContain('served')
})

test('bytes that are no HTTP are refused after the responses to the requests before them', async () => {
  const waiting: Exchange[] = []
  await start((exchange) => waiting.push(exchange))
  const client = await open()
  const unreadable = once(server, 'clientError')
  client.write(`${viaNode('/lane')}${ask('/lane')}nonsense\r\n\r\n`)
  await unreadable
  expect(waiting).toHaveLength(2)
  waiting[1]!.send({ status: 200, headers: {}, body: 'second' })
  waiting[0]!.send({ status: 200, headers: {}, body: 'first' })
  const said = await text(client)
  expect(said.match(/first|second|malformed_request/g)).toEqual(['first', 'second', 'malformed_request'])
})

test('a request whose body never ends gets its response, and is then disconnected', async () => {
  await start((exchange) => exchange.send({ status: 401, headers: {}, body: 'no' }), { requestTimeout: 0 })
  const client = await open()
  const closed = once(accepted[0]!, 'close')
  client.write(`POST /lane HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
  const piece = `10000\r\n${' '.repeat(65_536)}\r\n`
  const more = (): void => {
    while (client.writable && client.write(piece));
  }
  client.on('drain', more)
  const [response] = await Promise.all([once(client, 'data'), more()])
  expect(String(response[0])).toContain('HTTP/1.1 401 ')
  await closed
})
