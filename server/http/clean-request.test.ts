import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCleanRequest } from './clean-request.ts'

const socket = { remoteAddress: '192.0.2.1' }
const read = (message: string) => readCleanRequest(Buffer.from(message, 'latin1'), socket)

test('a whole GET, a whole POST', () => {
  const get =
    'GET /v1/quotes?symbols=AAPL,%5EGSPC HTTP/1.1\r\nHost: example.com\r\nX-API-Key:  fm_x \r\naccept:\r\n\r\n'
  expect(read(get)).toEqual({
    method: 'GET',
    url: '/v1/quotes?symbols=AAPL,%5EGSPC',
    headers: { host: 'example.com', 'x-api-key': 'fm_x', accept: '' },
    socket,
    body: undefined,
    keepAlive: true,
  })
  const post = Buffer.from('POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: Close\r\nContent-Length: 3\r\n\r\n€')
  expect(readCleanRequest(post, socket)).toMatchObject({ method: 'POST', body: '€', keepAlive: false })
})

const fields = 'Host: x\r\n'
test.each<[what: string, message: string]>([
  ['nothing', ''],
  ['no end of the head', `GET / HTTP/1.1\r\n${fields}`],
  ['a second request behind it', `GET / HTTP/1.1\r\n${fields}\r\nGET / HTTP/1.1\r\n${fields}\r\n`],
  ['an empty line before it', `\r\nGET / HTTP/1.1\r\n${fields}\r\n`],
  ['lines that end with LF', 'GET / HTTP/1.1\nHost: x\n\n'],
  ['a bare LF in a field', `GET / HTTP/1.1\r\n${fields}X: a\nTransfer-Encoding: chunked\r\n\r\n`],
  ['a bare CR in a field', `GET / HTTP/1.1\r\n${fields}X: a\rb\r\n\r\n`],
  ['a zero byte', `GET / HTTP/1.1\r\n${fields}X: a\0b\r\n\r\n`],
  ['a folded line', `GET / HTTP/1.1\r\n${fields}X: a\r\n b\r\n\r\n`],
  ['a space before the colon', `GET / HTTP/1.1\r\n${fields}Content-Length : 1\r\n\r\n`],
  ['a field without a name', `GET / HTTP/1.1\r\n${fields}: a\r\n\r\n`],
  ['a line without a colon', `GET / HTTP/1.1\r\n${fields}X\r\n\r\n`],
  ['bytes above ASCII', `GET / HTTP/1.1\r\n${fields}X: \xe9\r\n\r\n`],
  ['no Host', 'GET / HTTP/1.1\r\nX: y\r\n\r\n'],
  ['two Hosts', `GET / HTTP/1.1\r\n${fields}host: y\r\n\r\n`],
  ['a field twice', `GET / HTTP/1.1\r\n${fields}Accept: a\r\naccept: b\r\n\r\n`],
  ['HTTP/1.0', `GET / HTTP/1.0\r\n${fields}\r\n`],
  ['two spaces', `GET  / HTTP/1.1\r\n${fields}\r\n`],
  ['another method', `PUT / HTTP/1.1\r\n${fields}\r\n`],
  ['a whole address', `GET http://x/ HTTP/1.1\r\n${fields}\r\n`],
  ['an asterisk', `GET * HTTP/1.1\r\n${fields}\r\n`],
  ['a fragment', `GET /#a HTTP/1.1\r\n${fields}\r\n`],
  ['a GET with a length', `GET / HTTP/1.1\r\n${fields}Content-Length: 0\r\n\r\n`],
  ['a POST without a length', `POST / HTTP/1.1\r\n${fields}\r\n`],
  ['a length of nothing', `POST / HTTP/1.1\r\n${fields}Content-Length: 0\r\n\r\n`],
  ['a signed length', `POST / HTTP/1.1\r\n${fields}Content-Length: +1\r\n\r\na`],
  ['two lengths in one', `POST / HTTP/1.1\r\n${fields}Content-Length: 1, 1\r\n\r\na`],
  ['a byte too few', `POST / HTTP/1.1\r\n${fields}Content-Length: 2\r\n\r\na`],
  ['a byte too many', `POST / HTTP/1.1\r\n${fields}Content-Length: 1\r\n\r\nab`],
  ['chunks', `POST / HTTP/1.1\r\n${fields}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['an upgrade', `GET / HTTP/1.1\r\n${fields}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`],
  ['fields that concern the connection alone', `GET / HTTP/1.1\r\n${fields}Connection: close, x-api-key\r\n\r\n`],
  ['Expect', `POST / HTTP/1.1\r\n${fields}Expect: 100-continue\r\nContent-Length: 1\r\n\r\na`],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['a long head', `GET / HTTP/1.1\r\n${fields}X: ${'x'.repeat(9_000)}\r\n\r\n`],
  ['many fields', `GET / HTTP/1.1\r\n${fields}${Array.from({ length: 64 }, (_, i) => `X${i}: y\r\n`).join('')}\r\n`],
])('left to Node: %s', (_what, message) => {
  expect(read(message)).toBeNull()
})

test('a field may have any name, but for the one that objects have use for', () => {
  expect(read(`GET / HTTP/1.1\r\n${fields}constructor: b\r\ntoString: c\r\n\r\n`)?.headers).toEqual({
    host: 'x',
    constructor: 'b',
    tostring: 'c',
  })
  expect(read(`GET / HTTP/1.1\r\n${fields}__proto__: a\r\n\r\n`)).toBeNull()
})

let node: Server
let seen: { method?: string; url?: string; headers: IncomingHttpHeaders; body: string }[] = []
beforeAll(async () => {
  node = createServer(async (request, response) => {
    const { method, url, headers } = request
    seen.push({ method, url, headers, body: await text(request) })
    response.end()
  })
  await new Promise<void>((done) => node.listen(0, '127.0.0.1', done))
})
afterAll(() => {
  node.closeAllConnections()
  node.close()
})

/** What Node's parser makes of the bytes. */
async function readByNode(message: Buffer): Promise<typeof seen> {
  seen = []
  const to = connect((node.address() as AddressInfo).port, '127.0.0.1')
  to.on('error', () => {})
  to.end(message)
  await text(to).catch(() => '')
  return seen
}

test('whatever is read here, Node reads alike: one request, the same line, fields and body', async () => {
  const piece = fc.constantFrom(
    ...[
      'GET ',
      'POST ',
      '/',
      '/v1/a?b=c',
      '%41',
      ' ',
      ' HTTP/1.1',
      '\r\n',
      '\n',
      '\r',
      '\t',
      ':',
      ': ',
      ',',
      '\0',
      '"',
    ],
    ...[
      'Host: x\r\n',
      'host: y\r\n',
      'Content-Length: 3\r\n',
      'Content-Length: 0\r\n',
      'content-length:3',
      'X-A: b\r\n',
    ],
    ...[
      'Transfer-Encoding: chunked\r\n',
      'Connection: close\r\n',
      'Connection: keep-alive\r\n',
      'TE: x',
      '\r\n\r\n',
      'abc',
    ],
    ...['0\r\n\r\n', 'é', '__proto__: z\r\n', 'Accept: */*\r\n', 'x'],
  )
  const start = fc.constantFrom('GET /v1/a?b=c HTTP/1.1\r\nHost: x\r\n', 'POST /mcp HTTP/1.1\r\nHost: x\r\n', '')
  let both = 0
  await fc.assert(
    fc.asyncProperty(start, fc.array(piece, { maxLength: 8 }), async (begin, pieces) => {
      for (const message of [begin + pieces.join(''), `${begin}${pieces.join('')}\r\n`]) {
        const bytes = Buffer.from(message, 'latin1')
        const clean = readCleanRequest(bytes, socket)
        if (clean === null) continue
        both++
        const { method, url, headers, body = '' } = clean
        expect(await readByNode(bytes)).toEqual([{ method, url, headers: { ...headers }, body }])
      }
    }),
    { numRuns: 1_500 },
  )
  // The comparison took place.
  expect(both).toBeGreaterThan(20)
})
