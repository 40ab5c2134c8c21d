import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer()
})
afterAll(() => server?.close())

/** Sends a request with a key that has credits. Expects a problem, no charge and no usage row. */
async function problem(path: string, init: RequestInit = {}, rows = 0) {
  const key = await server.key({ credits: 50 })
  const answer = await fetch(`${server.url}${path}`, { ...init, headers: { 'x-api-key': key.value, ...init.headers } })
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(answer.headers.has('x-credits-charged')).toBe(false)
  const body = await answer.json()
  expect(body).toMatchObject({
    type: `urn:finmeter:error:${body.code}`,
    status: answer.status,
    request_id: answer.headers.get('x-request-id'),
  })
  for (const field of ['title', 'detail', 'docs']) expect(body[field]).toEqual(expect.any(String))
  expect(await server.spending(key.accountId)).toEqual({ rows, failedRows: rows, credits: 0 })
  return { answer, body }
}

test.each([
  [
    '/v1/test/rows/A?foo=1',
    'foo',
    'Unknown parameter "foo". Known parameters: rows, note, order, live, scale, dry_run, format, layout, precision, columns.',
  ],
  [
    '/v1/test/rows/A?symbol=B',
    'symbol',
    'Unknown parameter "symbol". Known parameters: rows, note, order, live, scale, dry_run, format, layout, precision, columns.',
  ],
  ['/v1/test/rows/A?order=sideways', 'order', 'order must be one of: up, down.'],
  ['/v1/test/rows/A?format=xml', 'format', 'format must be one of: json, columns, csv, ndjson, parquet.'],
  ['/v1/test/rows/A?layout=', 'layout', 'layout must be one of: objects, columns.'],
  ['/v1/test/rows/A?rows=1&rows=2', 'rows', 'rows is given twice. Only lists can be repeated.'],
  ['/v1/test/per-rows', 'rows', 'rows is required.'],
])('%s is 400 naming %s', async (path, param, detail) => {
  const { answer, body } = await problem(path)
  expect(answer.status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid_parameter', param, detail })
})

test.each([
  ['/v1/test/rows/A?ordr=up', 'ordr', ['order']],
  ['/v1/test/rows/A?order=dwn', 'order', ['down']],
  ['/v1/test/rows/A?format=parket', 'format', ['parquet']],
  ['/v1/test/rows/A?order=%F0%9F%9A%80', 'order', undefined],
])('%s suggests what may have been meant by %s', async (path, param, suggestions) => {
  const { body } = await problem(path)
  expect([body.param, body.suggestions]).toEqual([param, suggestions])
})

test('the error for a number out of bounds states the bound', async () => {
  expect((await problem('/v1/test/rows/A?rows=-1')).body.detail).toBe('rows must be at least 0.')
  expect((await problem('/v1/test/rows/A?rows=1e15')).body.detail).toMatch(/^rows must be at most \d+\.$/)
})

test.each([
  'rows=two',
  'rows=1.5',
  'rows=',
  'rows=-1',
  'rows=99999999999999999999',
  'rows=0x10',
  'rows=Infinity',
  'live=yes',
  'scale=1,x',
])('?%s is 400 naming the parameter', async (query) => {
  const { answer, body } = await problem(`/v1/test/rows/A?${query}`)
  expect(answer.status).toBe(400)
  expect(body.param.split('.')[0]).toBe(query.split('=')[0])
})

test('wrong values list what is allowed', async () => {
  expect((await problem('/v1/test/rows/A?order=x')).body.allowed).toEqual(['up', 'down'])
})

test('an unknown symbol is 404 with suggestions', async () => {
  const { answer, body } = await problem('/v1/test/rows/NOPE')
  expect(answer.status).toBe(404)
  expect(body).toMatchObject({ code: 'unknown_symbol', param: 'symbol', suggestions: ['NOTE', 'ROPE'] })
})

test.each(['throw', 'not_finite', 'wrong_count'])(
  'a tool that fails by %s is 500, recorded with 0 credits, and reveals nothing',
  async (mode) => {
    const { answer, body } = await problem(`/v1/test/failing?mode=${mode}`, {}, 1)
    expect(answer.status).toBe(500)
    expect(body.code).toBe('internal_error')
    expect(JSON.stringify(body)).not.toContain('hunter2')
  },
)

test.each([
  ['slow', 504, 'tool_timeout'],
  ['deaf', 504, 'tool_timeout'],
  ['upstream', 502, 'upstream_failed'],
])('a tool that is %s is %i, recorded with 0 credits', async (mode, status, code) => {
  expect((await problem(`/v1/test/failing?mode=${mode}`, {}, 1)).body).toMatchObject({ status, code })
})

test.each(['x'.repeat(201), 'with space', 'é'])('Idempotency-Key %s is 400', async (value) => {
  const { answer, body } = await problem('/v1/test/rows/A', {
    headers: { 'idempotency-key': encodeURIComponent(value) === value ? value : Buffer.from(value).toString('latin1') },
  })
  expect(answer.status).toBe(400)
  expect(body.param).toBe('Idempotency-Key')
})

test('an unknown path is 404, also with a body of any type', async () => {
  expect((await problem('/v1/nothing')).answer.status).toBe(404)
  const { answer, body } = await problem('/v1/nothing', {
    method: 'POST',
    body: '<a/>',
    headers: { 'content-type': 'text/xml' },
  })
  expect(answer.status).toBe(404)
  expect(body.code).toBe('not_found')
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s on a GET path is 405 with Allow', async (method) => {
  const { answer, body } = await problem('/v1/test/rows/A', { method })
  expect(answer.status).toBe(405)
  expect(answer.headers.get('allow')).toBe('GET')
  expect(body.code).toBe('method_not_allowed')
})

test('HEAD never runs a tool', async () => {
  const key = await server.key({ credits: 50 })
  const answer = await fetch(`${server.url}/v1/test/rows/A`, { method: 'HEAD', headers: { 'x-api-key': key.value } })
  expect(answer.status).toBe(405)
  expect(await server.spending(key.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
})

test('bodies: too large 413, wrong type 415, not JSON 400, not an object 400, missing 400', async () => {
  const post = (body: string | undefined, type = 'application/json') =>
    problem('/v1/test/sum', { method: 'POST', body, headers: { 'content-type': type } })
  expect((await post(`{"unit":"${'x'.repeat(300_000)}"}`)).body).toMatchObject({
    status: 413,
    code: 'payload_too_large',
  })
  expect((await post('a=1', 'application/x-www-form-urlencoded')).body).toMatchObject({
    status: 415,
    code: 'unsupported_media_type',
  })
  expect((await post('{"numbers":')).body).toMatchObject({ status: 400, code: 'bad_json' })
  expect((await post('[1]')).body).toMatchObject({ status: 400, code: 'bad_json' })
  expect((await post(undefined)).body).toMatchObject({ status: 400, code: 'bad_json' })
  expect((await post('{"numbers":[1,"2"]}')).body).toMatchObject({
    status: 400,
    code: 'invalid_parameter',
    param: 'numbers.1',
  })
})
