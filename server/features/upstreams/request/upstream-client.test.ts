import { createServer, type Socket } from 'node:net'
import { createVerifier, httpbis } from 'http-message-signatures'
import { afterEach, expect, test } from 'vitest'
import { AppError } from '../../../http/errors.ts'
import { startLoopback } from '../testing/loopback.ts'
import { CREDENTIAL, createCall, operation, signingSecret } from '../testing/route.ts'

const started: { close: () => unknown }[] = []
afterEach(() => {
  for (const one of started.splice(0)) one.close()
})
const calling = (...given: Parameters<typeof createCall>) => {
  const made = createCall(...given)
  started.push(made)
  return made
}
const loopback = async (answer: Parameters<typeof startLoopback>[0]) => {
  const made = await startLoopback(answer)
  started.push(made)
  return made
}

const post = operation(
  '/orders',
  { note: 'body', region: 'header' },
  { method: 'POST', body: { type: 'json', whole: false } },
)

test('the upstream learns whom a call is for, signed as RFC 9421 says; another library agrees', async () => {
  const upstream = await loopback((_request, response) => response.writeHead(201).end())
  await calling(`${upstream.url}/v2/`, post).call({ note: 'hello', region: 'eu' })
  const [seen] = upstream.seen
  expect(seen).toMatchObject({
    method: 'POST',
    url: '/v2/orders',
    body: '{"note":"hello"}',
    headers: {
      host: upstream.host,
      'x-key': CREDENTIAL,
      region: 'eu',
      'finmeter-account': 'a-1',
      'finmeter-key': 'k-1',
      'finmeter-request': 'r-1',
      'idempotency-key': 'd1c9fcc4c3521ff6f0cb17a265ff753876d57f60fa3170f2b68c030c3d42a042',
      'content-type': 'application/json',
    },
  })
  const verify = (message: { method: string; url: string; headers: Record<string, string> }) =>
    httpbis.verifyMessage(
      {
        keyLookup: async () => ({
          id: 'finmeter',
          algs: ['hmac-sha256'],
          verify: createVerifier(signingSecret, 'hmac-sha256'),
        }),
        requiredFields: ['@method', '@path', '@query', 'content-digest', 'finmeter-account'],
      },
      message,
    )
  const message = {
    method: 'POST',
    url: `http://${upstream.host}/v2/orders`,
    headers: seen!.headers as Record<string, string>,
  }
  expect(await verify(message)).toBe(true)
  for (const changed of [
    { ...message, method: 'PUT' },
    { ...message, url: `${message.url}?admin=1` },
    { ...message, headers: { ...message.headers, 'finmeter-account': 'a-2' } },
    { ...message, headers: { ...message.headers, 'content-type': 'text/plain' } },
    { ...message, headers: { ...message.headers, 'idempotency-key': 'another' } },
    { ...message, headers: { ...message.headers, 'content-digest': 'sha-256=:AAAA:' } },
  ])
    expect(await verify(changed)).toBe(false)
})

/** Closes a connection when its second request arrives, as a server does that has just given up on an idle one. */
async function closesKeptConnections(): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      // A body may arrive by itself.
      if (!/^(GET|POST) /.test(String(chunk))) return
      if (++requests > 1) socket.resetAndDestroy()
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  started.push(server)
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, sockets }
}

test('a read whose connection was closed before an answer is sent again', async () => {
  const { url, sockets } = await closesKeptConnections()
  const read = calling(url, operation('/a'))
  await read.call()
  expect(await read.call()).toMatchObject({ status: 200 })
  expect(sockets).toHaveLength(2)
})

test('a read is sent again once, and other methods never: they may have done their work', async () => {
  const upstream = await loopback((request) => request.socket.resetAndDestroy())
  await expect(calling(upstream.url, operation('/a')).call()).rejects.toMatchObject({ code: 'upstream_failed' })
  expect(upstream.seen).toHaveLength(2)
  await expect(calling(upstream.url, post).call()).rejects.toMatchObject({ code: 'upstream_failed' })
  expect(upstream.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST'])
})

test('a read that breaks off, or is longer than allowed, is not sent again', async () => {
  const upstream = await loopback((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    response.socket!.end()
  })
  const { call, failures } = calling(upstream.url, operation('/a'))
  await expect(call()).rejects.toMatchObject({ code: 'upstream_failed' })
  const long = await loopback((_request, response) => {
    response.writeHead(200).write('x'.repeat(15_000))
    setImmediate(() => response.end('x'.repeat(15_000)))
  })
  const other = calling(long.url, operation('/a'))
  await expect(other.call()).rejects.toMatchObject({ code: 'upstream_failed' })
  expect([failures, other.failures]).toEqual([['the body broke off'], ['the body has more than 20000 bytes']])
  expect([upstream.seen, long.seen].map(({ length }) => length)).toEqual([1, 1])
})

test('a call ends at its deadline, and its connection with it', async () => {
  let closed: () => void = () => {}
  const ended = new Promise<void>((done) => {
    closed = done
  })
  const stop = new AbortController()
  const upstream = await loopback((request, _response) => {
    request.socket.on('close', () => closed())
    stop.abort(new AppError('tool_timeout'))
  })
  await expect(calling(upstream.url, operation('/a')).call({}, stop.signal)).rejects.toMatchObject({
    code: 'tool_timeout',
  })
  await ended
})

test('the breaker opens after so many failures, says when to come back, and closes after a good answer', async () => {
  let status = 500
  const upstream = await loopback((_request, response) => response.writeHead(status).end())
  const { call } = calling(upstream.url, operation('/a'), {
    manifest: { limits: { breaker: { errors: 3, within_s: 60, rest_s: 1 } } },
  })
  for (let n = 0; n < 3; n++) await expect(call()).rejects.toMatchObject({ code: 'upstream_failed', detail: {} })
  await expect(call()).rejects.toMatchObject({ code: 'upstream_failed', detail: { retryAfterSeconds: 1 } })
  expect(upstream.seen).toHaveLength(3)
  status = 200
  await expect
    .poll(() =>
      call().then(
        (answer) => answer.status,
        () => 0,
      ),
    )
    .toBe(200)
  expect(await call()).toMatchObject({ status: 200 })
})

test('more calls than the upstream takes are refused; a stream keeps its place until it ends', async () => {
  const upstream = await loopback((_request, response) => response.writeHead(200).write('first'))
  const { call } = calling(upstream.url, operation('/a'), { manifest: { limits: { concurrency: 1 } }, stream: true })
  const answer = await call()
  await expect(call()).rejects.toMatchObject({ code: 'overloaded', detail: { retryAfterSeconds: 1 } })
  if ('stream' in answer) answer.stream.destroy()
  await expect
    .poll(() =>
      call().then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
})

test('one account has at most half of the places, and gets them back', async () => {
  const upstream = await loopback((_request, response) => response.writeHead(200).write('first'))
  const { call } = calling(upstream.url, operation('/a'), { manifest: { limits: { concurrency: 3 } }, stream: true })
  const first = await call()
  await expect(call()).rejects.toMatchObject({ code: 'overloaded' })
  expect(await call({}, undefined, 'a-2')).toMatchObject({ status: 200 })
  if ('stream' in first) first.stream.destroy()
  await expect
    .poll(() =>
      call().then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
})

test.each([
  ['too large', 200, 'x'.repeat(20_001)],
  ['a redirect', 302, ''],
  ['one that repeats the credential', 200, CREDENTIAL],
])('an answer that is %s does not shut the upstream for others', async (_what, status, body) => {
  const upstream = await loopback((_request, response) => response.writeHead(status).end(body))
  const { call } = calling(upstream.url, operation('/a'), { manifest: { limits: { breaker: { errors: 1 } } } })
  for (let n = 0; n < 2; n++) await expect(call()).rejects.toMatchObject({ code: 'upstream_failed', detail: {} })
  expect(upstream.seen).toHaveLength(2)
})

test('a silent upstream counts for the breaker', async () => {
  const upstream = await loopback(() => {})
  const { call } = calling(upstream.url, operation('/a'), { manifest: { limits: { breaker: { errors: 1 } } } })
  const stop = new AbortController()
  const waiting = call({}, stop.signal)
  await expect.poll(() => upstream.seen.length).toBe(1)
  stop.abort(new AppError('tool_timeout'))
  await expect(waiting).rejects.toMatchObject({ code: 'tool_timeout' })
  await expect(call()).rejects.toMatchObject({ code: 'upstream_failed', detail: { retryAfterSeconds: 5 } })
})

test('an upstream that asks for a rest gets it at once, and its answers do not count for the breaker', async () => {
  let answer: { status: number; headers: Record<string, string> } = { status: 429, headers: { 'retry-after': '3600' } }
  const upstream = await loopback((_request, response) => response.writeHead(answer.status, answer.headers).end())
  const breaker = { errors: 2, within_s: 60, rest_s: 3_600 }
  const { call } = calling(upstream.url, operation('/a'), { manifest: { limits: { breaker } } })
  await expect(call()).rejects.toMatchObject({ code: 'upstream_failed', detail: { retryAfterSeconds: 3_600 } })
  // Not for an hour: one header could be wrong.
  await expect(call()).rejects.toMatchObject({ code: 'upstream_failed', detail: { retryAfterSeconds: 60 } })
  expect(upstream.seen).toHaveLength(1)

  answer = { status: 429, headers: { 'retry-after': '1' } }
  const other = calling(upstream.url, operation('/a'), { manifest: { limits: { breaker: { ...breaker, errors: 1 } } } })
  await expect(other.call()).rejects.toMatchObject({ detail: { retryAfterSeconds: 1 } })
  answer = { status: 200, headers: {} }
  await expect
    .poll(() =>
      other.call().then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
})

test.each([
  ['429 without a time', 429, true],
  ['401', 401, true],
  ['503', 503, true],
  ['403', 403, false],
  ['404', 404, false],
])('%s counts for the breaker: %s, %s', async (_what, status, counts) => {
  const upstream = await loopback((_request, response) => response.writeHead(status).end())
  const { call } = calling(upstream.url, operation('/a'), { manifest: { limits: { breaker: { errors: 1 } } } })
  for (let n = 0; n < 2; n++) await call().catch(() => {})
  expect(upstream.seen).toHaveLength(counts ? 1 : 2)
})

test('a credential that is not accepted is named as such to the operator', async () => {
  const upstream = await loopback((_request, response) => response.writeHead(401).end())
  const { call, failures } = calling(upstream.url, operation('/a'))
  await expect(call()).rejects.toMatchObject({ code: 'upstream_failed' })
  expect(failures).toEqual(['it answered 401: it does not accept the credential'])
})
