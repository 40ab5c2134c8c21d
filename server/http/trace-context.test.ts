import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { startToolServer } from '../features/tools/testing/tool-server.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const SENT = `00-${TRACE}-${SPAN}-01`

const server = await closeAfterTests(startToolServer())
const key = (await server.key({ credits: 1000 })).value

/** One request byte by byte: fetch would refuse some of these headers itself. */
async function send(line: string, headers: string[], body = ''): Promise<{ status: number; head: string }> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`, 'Content-Type: application/json']
  const all = [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', `X-API-Key: ${key}`, ...length, ...headers]
  socket.write(Buffer.from(`${all.join('\r\n')}\r\n\r\n${body}`, 'latin1'))
  const answer = await text(socket)
  return { status: Number(answer.slice(9, 12)), head: answer.slice(0, answer.indexOf('\r\n\r\n')) }
}
const field = (head: string, name: string): string[] =>
  [...head.matchAll(new RegExp(`^${name}: (.*)$`, 'gim'))].map((found) => found[1]!.trim())

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
/** Each way through the server; an encoded path and a batch leave the raw lane. */
const ways: Record<string, [line: string, body?: string]> = {
  'REST, raw lane': ['GET /v1/test/rows/A'],
  'REST, framework': ['GET /v1/test/rows/%41'],
  'REST, a refused call': ['GET /v1/test/rows/NOPE'],
  'REST, wrong method': ['DELETE /v1/test/rows/A'],
  'MCP, raw lane': ['POST /mcp', ping],
  'MCP, framework': ['POST /mcp?tools=add', ping],
  'product API': ['GET /api/plans'],
  'product API, no session': ['GET /api/keys'],
  'nothing there': ['GET /v1/nothing/there'],
  'an address that cannot be read': ['GET /v1/test/rows/%zz'],
  health: ['GET /healthz'],
}

describe.each(Object.entries(ways))('%s', (_name, [line, body]) => {
  test('takes over and answers the request id and the trace', async () => {
    const { head } = await send(line, ['X-Request-Id: Job_7.a-B', `traceparent: ${SENT}`], body)
    expect(field(head, 'x-request-id')).toEqual(['Job_7.a-B'])
    const [answered, ...more] = field(head, 'traceparent')
    expect(more).toEqual([])
    // No spans are recorded, so the flag is off, and the span is ours.
    expect(answered).toMatch(new RegExp(`^00-${TRACE}-(?!${SPAN}|0{16})[0-9a-f]{16}-00$`))
  })

  test('makes a request id, and no trace, where the caller sent none', async () => {
    const { head } = await send(line, [], body)
    expect(field(head, 'x-request-id')).toEqual([expect.stringMatching(UUID)])
    expect(field(head, 'traceparent')).toEqual([])
  })
})

describe.each(['REST, raw lane', 'REST, framework', 'MCP, raw lane'])('%s: nothing is echoed', (way) => {
  const [line, body] = ways[way]!
  test.each([
    ['too long', 'a'.repeat(129)],
    ['empty', ''],
    ['a space', 'a b'],
    ['a tab', 'a\tb'],
    ['markup', '<b>'],
    ['a key', `fm_${'a1'.repeat(19)}`],
    ['a token', `job-fmat_${'a1-_'.repeat(10)}`],
    ['a service key', `fms_${'a1'.repeat(19)}`],
    ['a device code', `fmdc_${'a1-_'.repeat(10)}`],
    ['a hold', `hold_${'a1-_'.repeat(20)}.${'a1'.repeat(11)}`],
    ['a quote', 'a"b'],
    ['JSON', '{"level":60}'],
    ['letters beyond ASCII', 'caf\xe9'],
    ['a terminal code', 'a\x1b[31m'],
    ['a lone line feed', 'a\nSet-Cookie: stolen=1'],
    ['a lone carriage return', 'a\rSet-Cookie: stolen=1'],
    ['a second header', 'one\r\nX-Request-Id: two'],
    ['an escaped line end', 'a%0d%0aSet-Cookie:%20stolen=1'],
  ])('%s in X-Request-Id', async (_what, value) => {
    const { head } = await send(line, [`X-Request-Id: ${value}`], body)
    expect(field(head, 'x-request-id')).toEqual([expect.stringMatching(UUID)])
    expect(head).not.toMatch(/stolen|<b>|\[31m|caf\xe9/)
  })

  test('128 characters are accepted', async () => {
    const id = 'a'.repeat(128)
    expect(field((await send(line, [`X-Request-Id: ${id}`], body)).head, 'x-request-id')).toEqual([id])
  })

  test.each([
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['version 00 with more fields', `${SENT}-more`],
    ['a field too few', `00-${TRACE}-${SPAN}`],
    ['digits too many', `00-${TRACE}0-${SPAN}-01`],
    ['text after it', `${SENT}\tx`],
    ['two headers', `${SENT}\r\ntraceparent: ${SENT}`],
    ['a line end', `${SENT}\nSet-Cookie: stolen=1`],
  ])('%s in traceparent', async (_what, value) => {
    const { head } = await send(line, [`traceparent: ${value}`], body)
    expect(field(head, 'traceparent')).toEqual([])
    expect(head).not.toMatch(/stolen/)
  })

  test('a later version with more fields continues the trace', async () => {
    const { head } = await send(line, [`traceparent: 01-${TRACE}-${SPAN}-09-more`], body)
    expect(field(head, 'traceparent')).toEqual([expect.stringContaining(TRACE)])
  })
})

test('what cannot be parsed as HTTP gets a request id, too', async () => {
  const { status, head } = await send('NONSENSE /', ['X-Request-Id: mine'])
  expect([status, field(head, 'x-request-id')]).toEqual([400, [expect.stringMatching(UUID)]])
})
