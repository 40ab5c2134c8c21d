import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Exchange } from './exchange.ts'
import { rawServer } from './raw-server.ts'

let open: boolean
let server: Server
/** What the lane does with a request to /hot. */
let answer: (exchange: Exchange) => void
/** Requests that Node's parser saw. */
let parsed: number
beforeEach(async () => {
  open = true
  parsed = 0
  answer = (exchange) => exchange.send({ status: 200, headers: { 'x-from': 'lane' }, body: 'lane' })
  server = rawServer({
    lane(exchange) {
      if (!exchange.request.url?.startsWith('/hot')) return false
      answer(exchange)
      return true
    },
    isOpen: () => open,
    constant: { 'x-always': 'yes' },
  })((request, response) => void response.end(`framework ${request.method} ${request.url}`), {
    keepAliveTimeout: 72_000,
    requestTimeout: 30_000,
    connectionTimeout: 0,
  })
  server.on('request', () => parsed++)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const port = () => (server.address() as AddressInfo).port

/** Sends each part when the answers so far contain the text next to it; answers all that came until the other side hung up. */
async function talk(...parts: [when: string, send: string][]): Promise<string> {
  const socket = connect(port(), '127.0.0.1')
  let said = ''
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  for (const [when, send] of parts) {
    while (!said.includes(when)) said += String((await once(socket, 'data'))[0])
    socket.write(send)
  }
  socket.on('data', (bytes) => {
    said += bytes.toString()
  })
  await closed
  return said
}

const hot = 'GET /hot HTTP/1.1\r\nHost: x\r\n'
const last = 'Connection: close\r\n\r\n'

test('the lane sees each request first while the server is open, and none when it begins to stop', async () => {
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port()}${path}`)).text()
  expect([await ask('/hot'), await ask('/other')]).toEqual(['lane', 'framework GET /other'])
  open = false
  expect(await ask('/hot')).toBe('framework GET /hot')
  expect([server.keepAliveTimeout, server.requestTimeout]).toEqual([72_000, 30_000])
})

test('requests on one connection are answered one by one, and Node never reads them', async () => {
  const said = await talk(['', `${hot}\r\n`], ['lane', `GET /hot?second HTTP/1.1\r\nHost: x\r\n${last}`])
  expect(said).toBe(
    [
      'HTTP/1.1 200 OK\r\nx-always: yes\r\nx-from: lane\r\ncontent-length: 4\r\nDate: D\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72\r\n\r\nlane',
      'HTTP/1.1 200 OK\r\nx-always: yes\r\nx-from: lane\r\ncontent-length: 4\r\nDate: D\r\nConnection: close\r\n\r\nlane',
    ]
      .join('')
      .replaceAll('Date: D', /Date: [^\r]+/.exec(said)![0]),
  )
  expect(parsed).toBe(0)
})

test('the first request that the lane leaves takes the connection to Node, with all that follows', async () => {
  const said = await talk(
    ['', `${hot}\r\n`],
    ['lane', 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['framework', `${hot}${last}`],
  )
  expect(said.match(/(?<=\r\n\r\n)(lane|framework GET \/other)/g)).toEqual(['lane', 'framework GET /other', 'lane'])
  expect(parsed).toBe(2)
})

test('a request in pieces, bytes of two at once, and a body are answered as Node answers them', async () => {
  expect(await talk(['', 'GET /hot HTTP/1.1\r\nHo'], ['', `st: x\r\n${last}`])).toContain('lane')
  const two = await talk(['', `${hot}\r\n${hot}${last}`])
  expect(two.match(/\r\n\r\nlane/g)).toHaveLength(2)
  const body = await talk(['', `POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n${last}ab`], ['', 'cd'])
  expect(body).toContain('framework POST /other')
})

test('what arrives while an answer is made waits for it', async () => {
  const waiting: Exchange[] = []
  answer = (exchange) => waiting.push(exchange)
  const talking = talk(['', `${hot}\r\n`])
  await expect.poll(() => waiting.length).toBe(1)
  const socket = connect(port(), '127.0.0.1')
  socket.write(`${hot}\r\n`)
  await expect.poll(() => waiting.length).toBe(2)
  socket.write(`GET /hot?after HTTP/1.1\r\nHost: x\r\n${last}`)
  await new Promise((later) => setTimeout(later, 50))
  expect(waiting.length).toBe(2)
  waiting[1]!.send({ status: 200, headers: {}, body: 'first' })
  await expect.poll(() => waiting.length).toBe(3)
  expect(waiting[2]!.request.url).toBe('/hot?after')
  waiting[2]!.send({ status: 200, headers: {}, body: 'second' })
  expect((await text(socket)).match(/first|second/g)).toEqual(['first', 'second'])
  server.closeAllConnections()
  await talking
})

test('a caller who asked for the end and then never hangs up is hung up on', async () => {
  const socket = connect({ port: port(), host: '127.0.0.1', allowHalfOpen: true })
  socket.write(`${hot}${last}`)
  expect(await text(socket)).toContain('lane')
  const count = () => new Promise<number>((done) => server.getConnections((_, connections) => done(connections)))
  await expect.poll(count).toBe(0)
  socket.destroy()
})

test('a header that could end its line is never sent', async () => {
  let thrown: unknown
  answer = (exchange) => {
    try {
      exchange.send({ status: 200, headers: { 'x-bad': 'a\r\nset-cookie: b' }, body: '' })
    } catch (error) {
      thrown = error
      exchange.send({ status: 500, headers: {}, body: 'no' })
    }
  }
  const said = await talk(['', `${hot}${last}`])
  expect(String(thrown)).toContain('x-bad')
  expect(said).not.toContain('set-cookie')
})

test('a stop ends connections that nobody uses and lets an answer under way finish', async () => {
  const unused = connect(port(), '127.0.0.1')
  const half = connect(port(), '127.0.0.1')
  await Promise.all([once(unused, 'connect'), once(half, 'connect')])
  half.write('GET /hot HT')
  const ended = Promise.all([once(unused, 'close'), once(half, 'close')])
  let exchange: Exchange | undefined
  answer = (given) => {
    exchange = given
  }
  const talking = talk(['', `${hot}\r\n`])
  await expect.poll(() => exchange).toBeDefined()
  open = false
  const closed = new Promise((done) => server.close(done))
  await ended
  exchange!.send({ status: 200, headers: {}, body: 'late' })
  expect(await talking).toMatch(/Connection: close\r\n\r\nlate$/)
  await closed
})

test.each([
  ['the lane', (more: string) => `GET /hot HTTP/1.1\r\nHost: a\r\n${more}\r\n`],
  ['Node', (more: string) => `POST /hot HTTP/1.1\r\nHost: a\r\n${more}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
])('statuses that only upstreams have are well formed (by %s)', async (_by, request) => {
  const statuses = [299, 204]
  answer = (exchange) => {
    const status = statuses.shift() ?? 200
    exchange.send({ status, headers: {}, body: status === 204 ? Buffer.alloc(0) : Buffer.from('body') })
  }
  const said = await talk(['', request('')], ['body', request('')], ['204', request('Connection: close\r\n')])
  const [odd, none] = said.split(/(?=HTTP\/1\.1 )/)
  expect(odd).toMatch(/^HTTP\/1\.1 299 unknown\r\n/)
  expect(none).toMatch(/^HTTP\/1\.1 204 No Content\r\n/)
  expect(none).not.toMatch(/content-length|transfer-encoding/i)
  expect(said.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1)
})
