import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import type { Auth } from '../manifest.ts'
import { createCall, operation } from '../testing/route.ts'
import { readCredential } from './credential.ts'

const started: { close: () => unknown }[] = []
afterEach(() => {
  for (const one of started.splice(0)) one.close()
})

/** A call of a server that answers each request with these bytes. */
async function answered(bytes: string | Buffer, more: Parameters<typeof createCall>[2] = {}) {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      requests++
      socket.write(bytes)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const made = createCall(`http://127.0.0.1:${(server.address() as { port: number }).port}`, operation('/a'), more)
  started.push(made, {
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return { ...made, requests: () => requests }
}

const head = (status: number, ...lines: string[]) => [`HTTP/1.1 ${status} X`, ...lines, '', ''].join('\r\n')
const failed = { code: 'upstream_failed' }
const plain = 'content-type: text/plain'

test.each([[false], [true]])(
  'an encoding that is named twice is refused, as in one line (stream: %s)',
  async (stream) => {
    const twice = gzipSync(gzipSync('12345'))
    for (const names of [['content-encoding: gzip', 'content-encoding: gzip'], ['content-encoding: gzip, gzip']]) {
      const bytes = Buffer.concat([Buffer.from(head(200, plain, ...names, `content-length: ${twice.length}`)), twice])
      const { call, failures } = await answered(bytes, { stream })
      await expect(call()).rejects.toMatchObject(failed)
      expect(failures).toEqual(['the encoding of the body is not known'])
    }
  },
)

test.each([
  ['204', head(204, 'content-encoding: gzip')],
  ['empty', head(200, plain, 'content-encoding: gzip', 'content-length: 0')],
  ['empty br', `${head(200, plain, 'content-encoding: br', 'transfer-encoding: chunked')}0\r\n\r\n`],
])('no body is no body, whatever its encoding (%s)', async (_name, bytes) => {
  const { call } = await answered(bytes)
  expect(await call()).toMatchObject({ body: Buffer.alloc(0) })
})

test('a part of an encoded body is a broken one', async () => {
  const whole = gzipSync('12345'.repeat(100))
  const part = whole.subarray(0, whole.length - 9)
  const { call } = await answered(
    Buffer.concat([Buffer.from(head(200, plain, 'content-encoding: gzip', `content-length: ${part.length}`)), part]),
  )
  await expect(call()).rejects.toMatchObject(failed)
})

test('news before an answer, and trailers after it, are not part of it', async () => {
  const { call } = await answered(
    head(103, 'link: </x>') +
      head(102) +
      head(200, plain, 'transfer-encoding: chunked', 'trailer: etag') +
      '2\r\nok\r\n0\r\netag: "evil"\r\n\r\n',
  )
  const answer = await call()
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('ok') })
  expect(answer.headers).not.toHaveProperty('etag')
})

test.each([
  ['a second answer', `${head(200, plain, 'content-length: 1')}a${head(200, plain, 'content-length: 4')}evil`],
  ['a body of 204', `${head(204, plain) + head(200, plain, 'content-length: 4')}evil`],
])('%s in the same bytes reaches no other call', async (_name, bytes) => {
  const { call } = await answered(bytes)
  for (let times = 0; times < 3; times++) {
    const answer = (await call()) as { body: Buffer }
    expect(answer.body.toString()).not.toContain('evil')
  }
})

test.each([
  ['both lengths', `${head(200, plain, 'content-length: 4', 'transfer-encoding: chunked')}0\r\n\r\n`],
  ['two lengths', `${head(200, plain, 'content-length: 1', 'content-length: 2')}ab`],
  ['a negative length', `${head(200, plain, 'content-length: -1')}ab`],
  ['a switch', head(101, 'upgrade: x', 'connection: upgrade')],
  ['a break in a header', head(200, plain, 'etag: "a\rset-cookie: x=1"', 'content-length: 0')],
])('%s is no answer', async (_name, bytes) => {
  const { call } = await answered(bytes)
  await expect(call()).rejects.toMatchObject(failed)
})

const SECRET = 'ab/cd+ef&"gh=='
test.each([
  ['as PHP writes JSON', 'ab\\/cd+ef&\\"gh=='],
  ['as JSON', 'ab/cd+ef&\\"gh=='],
  ['as .NET writes JSON', 'ab/cd\\u002Bef\\u0026\\u0022gh=='],
  ['as Go writes JSON', 'ab/cd+ef\\u0026\\"gh=='],
  ['as HTML', 'ab/cd+ef&amp;&quot;gh=='],
  ['percent-encoded', encodeURIComponent(SECRET)],
])('a body that repeats the credential %s is withheld', async (_name, text) => {
  const body = `{"key":"${text}"}`
  const { call, failures } = await answered(head(404, plain, `content-length: ${body.length}`) + body, {
    credential: readCredential({ header: 'X-Key', prefix: '', secret: 'ACME_KEY' } as Auth, { ACME_KEY: SECRET }),
  })
  await expect(call()).rejects.toMatchObject(failed)
  expect(failures).toEqual(['the body repeats the credential'])
})
