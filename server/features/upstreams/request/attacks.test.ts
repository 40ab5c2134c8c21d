import { createServer, type Server, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { type Loopback, startLoopback } from '../testing/loopback.ts'
import { CREDENTIAL, createCall, operation } from '../testing/route.ts'

const started: { close: () => unknown }[] = []
afterEach(() => {
  for (const one of started.splice(0)) one.close()
})
const loopback = async (answer: Parameters<typeof startLoopback>[0]): Promise<Loopback> => {
  const made = await startLoopback(answer)
  started.push(made)
  return made
}
const calling = (...given: Parameters<typeof createCall>) => {
  const made = createCall(...given)
  started.push(made)
  return made
}
/** A server that speaks to the socket itself; it has read one request when `speak` is called. */
async function rawServer(speak: (socket: Socket, requests: number) => void): Promise<string> {
  let requests = 0
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => speak(socket, ++requests))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  started.push(server)
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}
const failed = { code: 'upstream_failed', message: 'Acme did not return a usable response. Nothing was charged.' }
const json = { 'content-type': 'application/json' }

test('redirects are not followed, neither to another host nor to its own', async () => {
  const secret = await loopback((_request, response) => response.end('inside'))
  const upstream = await loopback((request, response) =>
    response.writeHead(302, { location: request.url === '/a' ? `${secret.url}/x` : '/elsewhere' }).end(),
  )
  const first = calling(upstream.url, operation('/a'))
  await expect(first.call()).rejects.toMatchObject(failed)
  await expect(calling(upstream.url, operation('/b')).call()).rejects.toMatchObject(failed)
  expect([secret.seen.length, upstream.seen.map(({ url }) => url), first.failures]).toEqual([
    0,
    ['/a', '/b'],
    ['it answered 302'],
  ])
})

test.each([
  [500, {}],
  [503, { 'retry-after': '7' }],
  [401, { 'www-authenticate': 'Basic' }],
  [402, { 'payment-required': 'e30=' }],
  [407, {}],
  [429, { 'retry-after': '7' }],
])('a %i is no answer for customers', async (status, headers) => {
  const upstream = await loopback((_request, response) => response.writeHead(status, headers).end('inner details'))
  await expect(calling(upstream.url, operation('/a')).call()).rejects.toMatchObject({
    ...failed,
    detail: 'retry-after' in headers ? { retryAfterSeconds: 7 } : {},
  })
})

test('other refusals of the upstream are passed on, with the usual headers only', async () => {
  const upstream = await loopback((_request, response) =>
    response
      .writeHead(404, { ...json, etag: '"1"', 'x-internal': 'db-3', 'set-cookie': 'a=b', 'x-tokens': '5' })
      .end('{"error":"no such symbol"}'),
  )
  const answer = await calling(upstream.url, operation('/a'), { responseHeaders: ['x-tokens'] }).call()
  expect(answer).toMatchObject({ status: 404, body: Buffer.from('{"error":"no such symbol"}') })
  expect(answer.headers).toEqual({ ...json, etag: '"1"', 'x-tokens': '5' })
})

test.each([['text/html'], ['image/svg+xml'], ['application/xhtml+xml'], ['text/javascript'], ['text/css']])(
  'a browser downloads %s instead of running it on our address',
  async (type) => {
    const upstream = await loopback((_request, response) =>
      response.writeHead(200, { 'content-type': type, 'content-disposition': 'inline' }).end('<script>1</script>'),
    )
    const { headers } = await calling(upstream.url, operation('/a')).call()
    expect(headers['content-disposition']).toBe('attachment')
  },
)

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('a decompression bomb in %s ends at the limit', async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(50_000_000))
  const upstream = await loopback((_request, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
  )
  const { call, failures } = calling(upstream.url, operation('/a'), { responseBytes: 1_000_000 })
  await expect(call()).rejects.toMatchObject(failed)
  expect(failures).toEqual(['the body has more than 1000000 bytes'])
})

test('a good compressed body arrives decoded; broken and unknown encodings are no answers', async () => {
  const upstream = await loopback((request, response) => {
    if (request.url === '/good')
      return response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}'))
    if (request.url === '/cut')
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(999)).subarray(0, 15))
    return response.writeHead(200, { 'content-encoding': request.url!.slice(1) }).end('x')
  })
  expect(await calling(upstream.url, operation('/good')).call()).toMatchObject({
    body: Buffer.from('{"a":1}'),
    headers: json,
  })
  await expect(calling(upstream.url, operation('/cut')).call()).rejects.toMatchObject(failed)
  for (const path of ['/rot13', '/constructor'])
    await expect(calling(upstream.url, operation(path)).call()).rejects.toMatchObject(failed)
})

test('an endless body ends at the limit, and its connection with it', async () => {
  let closed: () => void
  const ended = new Promise<void>((done) => {
    closed = done
  })
  const upstream = await loopback((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024)
    const push = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', push).on('close', () => closed())
    push()
  })
  await expect(calling(upstream.url, operation('/a')).call()).rejects.toMatchObject(failed)
  await ended
})

test.each([
  ['more than it sends', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'],
  ['more than is allowed', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\nx'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 5\r\n\r\nhello'],
  ['no number', 'HTTP/1.1 200 OK\r\ncontent-length: ten\r\n\r\nhello'],
  ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
])('a Content-Length that lies, %s, is no answer', async (_what, bytes) => {
  const url = await rawServer((socket) => socket.end(bytes))
  const { call, failures } = calling(url, operation('/a'))
  await expect(call()).rejects.toMatchObject(failed)
  expect(failures).toHaveLength(1)
})

test('bytes after an answer never become the next answer', async () => {
  const ok = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`
  const url = await rawServer((socket, requests) =>
    socket.write(requests === 1 ? ok('first') + ok('smuggled') : ok('second')),
  )
  const { call } = calling(url, operation('/a'))
  expect((await call()) as object).toMatchObject({ body: Buffer.from('first') })
  expect((await call()) as object).toMatchObject({ body: Buffer.from('second') })
})

test('a body that is not the JSON that its type says is broken', async () => {
  const upstream = await loopback((_request, response) => response.writeHead(200, json).end('{"a":'))
  const { call, failures } = calling(upstream.url, operation('/a'))
  await expect(call()).rejects.toMatchObject(failed)
  expect(failures).toEqual(['the body is not the JSON that its type says'])
})

test.each([
  ['header', { header: 'X-Key', secret: 'ACME_KEY' }, CREDENTIAL],
  ['query', { query: 'key', secret: 'ACME_KEY' }, CREDENTIAL],
  ['bearer', { bearer: 'ACME_KEY' }, CREDENTIAL],
  ['basic', { basic: { user: 'us', secret: 'ACME_KEY' } }, Buffer.from(`us:${CREDENTIAL}`).toString('base64')],
])(
  'an upstream that repeats the credential (%s) reaches nobody, in body, header, error or log',
  async (_kind, auth, told) => {
    const upstream = await loopback((request, response) => {
      if (request.url!.startsWith('/header')) return response.writeHead(200, { etag: `"${told}"` }).end('x')
      if (request.url!.startsWith('/error')) return response.writeHead(403, json).end(JSON.stringify({ bad: told }))
      return response.writeHead(200, json).end(JSON.stringify({ headers: request.headers, url: request.url }))
    })
    for (const path of ['/header', '/error', '/echo']) {
      const { call, failures } = calling(upstream.url, operation(path), { manifest: { auth } })
      const error = await call().catch((thrown: Error) => thrown)
      expect(error).toMatchObject(failed)
      expect(`${JSON.stringify(error)} ${failures}`).not.toContain(told)
    }
    const sent = JSON.stringify(upstream.seen.at(-1))
    expect(sent).toContain(told)
  },
)

const escaped = Array.from(CREDENTIAL, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`).join('')
test.each([
  ['JSON escapes', `{"a":"${escaped}"}`],
  ['base64', Buffer.from(`user:${CREDENTIAL}`).toString('base64')],
  ['hexadecimal', Buffer.from(CREDENTIAL).toString('hex')],
  ['capitals', CREDENTIAL.toUpperCase()],
])('the credential in %s reaches nobody, however often, in answers and streams', async (_, told) => {
  const type = { 'content-type': told.startsWith('{') ? 'application/json' : 'text/plain' }
  const upstream = await loopback((request, response) =>
    request.url === '/b' ? response.end('ok') : response.writeHead(200, type).end(`${told}\n\n`),
  )
  const breaker = { manifest: { limits: { breaker: { errors: 2 } } } }
  const { call, failures } = calling(upstream.url, operation('/a'), breaker)
  for (let time = 0; time < 4; time++) await expect(call()).rejects.toMatchObject(failed)
  expect(failures).toEqual(Array(4).fill('the body repeats the credential'))
  const answer = await calling(upstream.url, operation('/a'), { stream: true }).call()
  let got = ''
  const reading = (async () => {
    if ('stream' in answer) for await (const chunk of answer.stream) got += chunk
  })()
  await expect(reading).rejects.toThrow('repeats the credential')
  expect(told.slice(0, 6)).toContain(got)
})

test.each(['apikey', 'ApiKey', 'apikey[]'])('an object in the query cannot name the credential as %s', async (name) => {
  const upstream = await loopback((_request, response) => response.end('{}'))
  const { call } = calling(upstream.url, operation('/a', { filter: 'query' }), {
    manifest: { auth: { query: 'apikey', secret: 'ACME_KEY' } },
  })
  expect(() => call({ filter: { [name]: 'mine' } })).toThrow('No parameter of this API may be called apikey.')
  await call({ filter: { color: 'red' } })
  expect(upstream.seen.map(({ url }) => url)).toEqual([`/a?color=red&apikey=${CREDENTIAL}`])
})

test('a stream that repeats the credential breaks off before it, however it is cut', async () => {
  let read: () => void = () => {}
  const firstRead = new Promise<void>((done) => {
    read = done
  })
  const upstream = await loopback((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: 1\n\ndata: ${CREDENTIAL.slice(0, 9)}`)
    void firstRead.then(() => response.end(`${CREDENTIAL.slice(9)}\n\n`))
  })
  const answer = await calling(upstream.url, operation('/a'), { stream: true }).call()
  let got = ''
  const reading = (async () => {
    if ('stream' in answer) {
      for await (const chunk of answer.stream) {
        got += chunk
        read()
      }
    }
  })()
  await expect(reading).rejects.toThrow('repeats the credential')
  expect(got).toBe('data: 1\n\ndata: ')
})

test('a stream of a killed upstream ends with an error', async () => {
  const upstream = await loopback((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n', () => response.destroy())
  })
  const answer = await calling(upstream.url, operation('/a'), { stream: true }).call()
  const reading = (async () => {
    if ('stream' in answer) for await (const _ of answer.stream);
  })()
  await expect(reading).rejects.toThrow('broke off')
})

test('private addresses are for named hosts only, however the name leads there', async () => {
  const upstream = await loopback((_request, response) => response.end('inside'))
  const port = upstream.host.split(':')[1]
  const inside = async () => [{ address: '127.0.0.1', family: 4 }]
  const unnamed = calling(`https://rebind.example:${port}`, operation('/a'), {
    manifest: { private_hosts: [] },
    lookup: inside,
  })
  await expect(unnamed.call()).rejects.toMatchObject(failed)
  const literal = calling(`https://127.0.0.1:${port}`, operation('/a'), { manifest: { private_hosts: [] } })
  await expect(literal.call()).rejects.toMatchObject(failed)
  expect(upstream.seen).toEqual([])
  const named = calling(`http://api.internal:${port}`, operation('/a'), {
    manifest: { private_hosts: ['api.internal'] },
    lookup: inside,
  })
  expect(await named.call()).toMatchObject({ body: Buffer.from('inside') })
})

test('DNS that changes: each new connection checks its own answer', async () => {
  const upstream = await loopback((_request, response) =>
    response.writeHead(200, { connection: 'close' }).end('inside'),
  )
  const lookup = vi.fn(async () => [
    { address: '203.0.113.9', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ])
  const { call } = calling(`https://mixed.example:${upstream.host.split(':')[1]}`, operation('/a'), {
    manifest: { private_hosts: [] },
    lookup,
  })
  await expect(call()).rejects.toMatchObject(failed)
  await expect(call()).rejects.toMatchObject(failed)
  expect(lookup.mock.calls.length).toBeGreaterThanOrEqual(2)
  expect(upstream.seen).toEqual([])
})
