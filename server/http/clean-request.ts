import type { LaneRequest } from './exchange.ts'
import { HOST } from './refuse-message.ts'

/** A request that arrived complete in one chunk and has only one meaning. */
export interface CleanRequest extends LaneRequest {
  /** Undefined for GET. */
  body: string | undefined
  /** False: the client wants the connection closed after the response. */
  keepAlive: boolean
}

/** Longer ones are left to Node, which has its own limit and response. */
const MAX_HEAD_BYTES = 8_192
const MAX_FIELDS = 64

// RFC 9112, with less freedom: one space, the plain characters of a path and query, HTTP/1.1, no other line end than CRLF.
const REQUEST_LINE = /^(GET|POST) (\/[-._~:/?@!$&'()*+,;=%0-9A-Za-z]*) HTTP\/1\.1\r\n/
// A token, a colon, printable ASCII. No folded lines, no bytes above 126, no tabs.
const FIELD_LINES = /^(?:[-!#$%&'*+.^_`|~0-9A-Za-z]+:[ -~]*\r\n)+$/
const LENGTH = /^[1-9]\d{0,6}$/
/** Fields that change how a message is read or transported, and a name with a meaning in JavaScript. Left to Node's parser. */
const DELICATE = [
  '__proto__',
  'transfer-encoding',
  'upgrade',
  'expect',
  'trailer',
  'te',
  'http2-settings',
  'proxy-connection',
]

/**
 * Reads a chunk as one HTTP/1.1 request if it is exactly that: the complete head and body of one request, in a form that all
 * parsers understand alike. Returns null for anything unusual, such as a repeated field, a GET with a length, a POST without
 * one, or a missing or extra byte. Then Node's parser must read the same bytes.
 */
export function readCleanRequest(chunk: Buffer, socket: LaneRequest['socket']): CleanRequest | null {
  // One character is one byte. Strings are faster to search and slice than buffers.
  const start = chunk.toString('latin1', 0, Math.min(chunk.length, MAX_HEAD_BYTES + 4))
  const headEnd = start.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  // With the end of its last line, without the empty one.
  const head = start.slice(0, headEnd + 2)
  const line = REQUEST_LINE.exec(head)
  if (line === null) return null
  const fields = head.slice(line[0].length)
  if (!FIELD_LINES.test(fields)) return null
  const headers = readFields(fields)
  if (headers === null || headers.host === undefined || !HOST.test(headers.host)) return null
  for (const name of DELICATE) if (headers[name] !== undefined) return null

  const connection = headers.connection?.toLowerCase()
  if (connection !== undefined && connection !== 'keep-alive' && connection !== 'close') return null
  const [, method, url] = line
  const bodyStart = headEnd + 4
  let body: string | undefined
  if (method === 'GET') {
    if (headers['content-length'] !== undefined || chunk.length !== bodyStart) return null
  } else {
    const length = headers['content-length']
    if (length === undefined || !LENGTH.test(length) || chunk.length - bodyStart !== Number(length)) return null
    body = chunk.toString('utf8', bodyStart)
  }
  return { method, url, headers, socket, body, keepAlive: connection !== 'close' }
}

/** Names in lower case. Null if one is repeated, or if there are too many. */
function readFields(text: string): Record<string, string> | null {
  const headers: Record<string, string> = { __proto__: null as never }
  let count = 0
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\r\n', colon)
    const name = text.slice(at, colon).toLowerCase()
    if (headers[name] !== undefined || ++count > MAX_FIELDS) return null
    headers[name] = text.slice(colon + 1, end).trim()
    at = end + 2
  }
  return headers
}
