import type { Random } from './random.ts'

const HOST = 'Host: localhost\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

/** Names a request in its path, and so in the response. The checksum tells a changed mark from that of another request. */
export const mark = (kind: string, id: number): string => `${kind}-${id}-${(id * 7919) % 99_991}`

/** The ids of the whole marks in a text, in order. */
export const marksIn = (text: string): { kind: string; id: number }[] =>
  [...text.matchAll(/\b(probe|inner|sentinel)-(\d+)-\d+/g)]
    .map(([whole, kind, digits]) => ({ whole, kind: kind!, id: Number(digits) }))
    .filter(({ whole, kind, id }) => whole === mark(kind, id))

/** Valid requests to begin with. `id` is part of each, so that responses that name it can be told apart. */
const bases: ((id: number) => string)[] = [
  (id) => `GET /v1/${mark('probe', id)} HTTP/1.1\r\n${HOST}\r\n`,
  (id) => `GET /v1/quotes?symbols=AAPL&${mark('probe', id)}=1 HTTP/1.1\r\n${HOST}X-API-Key: fm_no\r\n\r\n`,
  (id) => `GET /${mark('probe', id)}.txt HTTP/1.1\r\n${HOST}Accept: text/html\r\n\r\n`,
  () => `GET /healthz HTTP/1.1\r\n${HOST}\r\n`,
  (id) => withLength('POST /mcp', `{"jsonrpc":"2.0","id":${id},"method":"ping"}`),
  (id) => withLength('POST /mcp', smuggled(id)),
  (id) => withLength('POST /v1/options/price', smuggled(id)),
  (id) => withLength('POST /api/auth/callback', `{"access_token":"${id}"}`),
  (id) => inChunks('POST /api/invitations/preview', [`{"token":`, `"${id}"}`]),
  (id) => inChunks('POST /mcp', [smuggled(id)]),
  (id) => withLength('DELETE /api/keys/1', smuggled(id)),
]

/** A body that is a request: it must be answered only if the framing of the request around it was changed. */
const smuggled = (id: number): string => `GET /v1/${mark('inner', id)} HTTP/1.1\r\n${HOST}\r\n`
const withLength = (line: string, body: string): string =>
  `${line} HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n${body}`
const inChunks = (line: string, chunks: string[]): string =>
  `${line} HTTP/1.1\r\n${HOST}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${chunks
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('')}0\r\n\r\n`

/** Lines that decide, or could seem to decide, where a message ends or who it is for. */
const lines = [
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: 300',
  'Content-Length: +5',
  'Content-Length: 5, 5',
  'Content-Length: 0x5',
  'Content-Length : 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  ' Transfer-Encoding: chunked',
  'Host: other.example',
  'Host: a b',
  'Connection: close, content-length',
  'Connection: keep-alive, transfer-encoding',
  'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'TE: trailers',
  'Trailer: Content-Length',
  'Content-Encoding: gzip',
  'Content-Type: text/plain',
  'Authorization: Basic Og==',
  'Origin: https://other.example',
  'X-Forwarded-For: \xff',
  'X-HTTP-Method-Override: DELETE',
  'Range: bytes=0-0,-1',
  'Accept-Encoding: br;q=x',
  '__proto__: 1',
  ': empty',
  'no colon',
  'X: \0',
]
const targets = [
  '*',
  '/',
  '//',
  '/%',
  '/%00',
  '/..%2f',
  '/v1/..',
  '/v1//x',
  '/%E0%A4%A',
  'http://localhost/healthz',
  'a:1',
  '?',
  '/#x',
]
const versions = ['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', 'http/1.1', 'HTTP/1.1\t', '', 'HTTP/11']
const methods = ['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'get', 'G\tET', 'CONNECT', 'PRI', 'QUERY', 'POST', 'GET ', '']
const bytes = ['\0', '\r', '\n', '\r\n', ' ', '\t', '\x7f', '\xff', ':', ';', ',', '%', '0', 'a', '\r\n\r\n']
const sizes = ['0', '5;x=y', '0005', '5 ', '-1', '+5', '0x5', 'ffffffffffffffff', '', 'g', '5\n']

const mutations: ((text: string, random: Random) => string)[] = [
  (text, { pick }) => text.replace('\r\n', `\r\n${pick(lines)}\r\n`),
  (text, { pick }) => text.replace('\r\n\r\n', `\r\n${pick(lines)}\r\n\r\n`),
  (text, { pick }) => text.replace(/Content-Length: \d+|Transfer-Encoding: chunked/, pick(lines)),
  (text, { pick }) => text.replace(/ \S+ HTTP/, ` ${pick(targets)} HTTP`),
  (text, { pick }) => text.replace('HTTP/1.1', pick(versions)),
  (text, { pick }) => text.replace(/^\w+/, pick(methods)),
  (text, { pick }) => text.replace(/\r\n[0-9a-f]+\r\n/, `\r\n${pick(sizes)}\r\n`),
  (text, { below, pick }) => insert(text, below(text.length + 1), pick(bytes)),
  (text, { below }) => remove(text, below(text.length)),
  (text, { below }) => replace(text, below(text.length), String.fromCharCode(below(256))),
  (text, { below }) => text.slice(0, below(text.length)),
  (text, { below }) => insert(text, below(text.length), text.slice(below(text.length))),
  (text) => text.replaceAll('\r\n', '\n'),
  (text) => text.replace(HOST, ''),
  (text, { below }) => text.replace('\r\n', `\r\nX-Long: ${'x'.repeat(below(20_000))}\r\n`),
  (text, { below }) => text.replace('\r\n', `\r\n${'X: y\r\n'.repeat(below(200))}`),
]

const insert = (text: string, at: number, what: string): string => text.slice(0, at) + what + text.slice(at)
const remove = (text: string, at: number): string => text.slice(0, at) + text.slice(at + 1)
const replace = (text: string, at: number, what: string): string => text.slice(0, at) + what + text.slice(at + 1)

/** A valid request. */
export const validRequest = (id: number, { pick }: Random): string => pick(bases)(id)

/** A request that was valid until one or two changes. One character is one byte. */
export function mutateRequest(id: number, random: Random): string {
  let text = validRequest(id, random)
  for (let left = 1 + random.below(2); left > 0; left--) text = random.pick(mutations)(text, random)
  return text
}
