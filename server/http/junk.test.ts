import { connect } from 'node:net'
import pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { grantCredits } from '../features/credits/grant.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { insertAccount, insertKey } from '../testing/factories.ts'
import { startTestServer } from '../testing/harness.ts'
import { startSession } from '../testing/session.ts'

const server = await closeAfterTests(startTestServer({ env: { LOG_LEVEL: 'silent' } }))
const key = await insertKey(server.db, await insertAccount(server.db))
beforeAll(async () => {
  await grantCredits(server.db.kysely, {
    accountId: key.accountId,
    kind: 'promo',
    amount: 10,
    sourceType: 't',
    sourceId: '1',
  })
})

const quote = () => fetch(`${server.url}/v1/quotes?symbols=AAPL`, { headers: { 'x-api-key': key.value } })

/** Sends bytes as they are and answers everything that comes back until the other side hangs up. */
const sendRaw = (parts: Iterable<string>): Promise<string> =>
  new Promise((done) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    let said = ''
    socket.on('data', (bytes) => {
      said += bytes.toString('latin1')
    })
    // The server may hang up while we are still writing.
    socket.on('error', () => {})
    socket.on('close', () => done(said))
    for (const part of parts) socket.write(part)
  })

test.each([
  ['the Data API', 'GET /v1/quotes?symbols=AAPL HTTP/1.1'],
  ['MCP', 'POST /mcp HTTP/1.1'],
  ['the product API', 'GET /api/keys HTTP/1.1'],
])('10 MB of headers to %s are answered 431 after a few kilobytes, and the server goes on', async (_, line) => {
  const megabyte = `${'x'.repeat(1 << 20)}`
  const heap = process.memoryUsage().rss
  const said = await sendRaw([
    `${line}\r\nhost: localhost\r\nx-junk: `,
    ...Array<string>(10).fill(megabyte),
    '\r\n\r\n',
  ])
  expect(said).toMatch(/^HTTP\/1\.1 431 /)
  expect(said).not.toContain('xxxx')
  expect(process.memoryUsage().rss - heap).toBeLessThan(200 * 1024 * 1024)
  expect((await quote()).status).toBe(200)
})

test('10,000 distinct junk keys, in every place and shape, touch no database and put no good key out of memory', async () => {
  expect((await quote()).status).toBe(200)
  // Every statement of this process, whatever sends it.
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  const junk = (i: number): string => {
    const text = `fm_${i.toString(36).padStart(32, '0')}AAAAA${i % 10}`
    const credential = [`x-api-key: ${text}`, `authorization: Bearer ${text}`, `x-api-key: ${i}`][i % 3]
    const end = i === 9_999 ? 'close' : 'keep-alive'
    return `GET /v1/quotes?symbols=AAPL HTTP/1.1\r\nhost: localhost\r\n${credential}\r\nconnection: ${end}\r\n\r\n`
  }
  const said = await sendRaw(Array.from({ length: 10_000 }, (_, i) => junk(i)))
  expect(said.match(/HTTP\/1\.1 401 /g)).toHaveLength(10_000)
  expect(said.match(/"code":"key_invalid"/g)).toHaveLength(10_000)
  expect(server.deps.keys.verify(key.value)).toMatchObject({ keyId: key.id })
  const aboutKeys = (queries.mock.calls as unknown[][]).filter(([statement]) =>
    /api_keys|meter_/.test(JSON.stringify(statement)),
  )
  queries.mockRestore()
  expect(aboutKeys).toEqual([])
})

test.each(['/api/keys/%', '/v1/bars/%E0%A4%A', '/auth/v1/%', '/%'])(
  'the address %s, which cannot be decoded, is refused in the shape of its surface and not repeated',
  async (path) => {
    const said = await sendRaw([`GET ${path}?apikey=secret HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`])
    expect(said).toMatch(/^HTTP\/1\.1 400 /)
    expect(said).not.toMatch(/FST_|secret/)
    expect(said).toContain('x-content-type-options: nosniff')
    const body = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)) as Record<string, unknown>
    const text = 'The address could not be read.'
    expect(body).toMatchObject(
      path.startsWith('/v1')
        ? { status: 400, code: 'invalid_parameter', detail: text }
        : { success: false, error: text, code: 'invalid_parameter' },
    )
  },
)

describe('what is not HTTP as we serve it', () => {
  const ok = 'Host: localhost\r\n'
  const bad: [what: string, message: string, status: number, code: string][] = [
    ['two Host headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed_request'],
    ['the same Host twice', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n', 400, 'malformed_request'],
    ['two Hosts in one', 'GET /healthz HTTP/1.1\r\nHost: a, b\r\n\r\n', 400, 'malformed_request'],
    ['a Host with a path', 'GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n', 400, 'malformed_request'],
    ['a Host with a user name', 'GET /healthz HTTP/1.1\r\nHost: a@b\r\n\r\n', 400, 'malformed_request'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['an asterisk for an address', `GET * HTTP/1.1\r\n${ok}\r\n`, 400, 'malformed_request'],
    [
      'two Host headers for the lane',
      'GET /v1/status HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['two Host headers in HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed_request'],
    ['HTTP/2.0', `GET /healthz HTTP/2.0\r\n${ok}\r\n`, 505, 'http_version_not_supported'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'http_version_not_supported'],
    ['HTTP/0.9', `GET /healthz HTTP/0.9\r\n${ok}\r\n`, 505, 'http_version_not_supported'],
    ['HTTP/1.2', `GET /healthz HTTP/1.2\r\n${ok}\r\n`, 505, 'http_version_not_supported'],
    ['HTTP/3', `GET /healthz HTTP/3\r\n${ok}\r\n`, 505, 'http_version_not_supported'],
    ['a request without version', 'GET /healthz\r\n\r\n', 505, 'http_version_not_supported'],
    ['lower case', `GET /healthz http/1.1\r\n${ok}\r\n`, 400, 'malformed_request'],
    [
      'a length and chunks',
      `POST /mcp HTTP/1.1\r\n${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    [
      'two lengths',
      `POST /mcp HTTP/1.1\r\n${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`,
      400,
      'malformed_request',
    ],
    ['a field name with a space', `GET /healthz HTTP/1.1\r\n${ok}X y: z\r\n\r\n`, 400, 'malformed_request'],
    [
      'a chunk without size',
      `POST /mcp HTTP/1.1\r\n${ok}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      'malformed_request',
    ],
    ['noise', '\x00\xff\r\n\r\n', 400, 'malformed_request'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'malformed_request'],
  ]

  test.each(bad)(
    '%s: %j is refused by both readers in the same words, and the connection ends',
    async (_, message, status, code) => {
      const alone = await sendRaw([message])
      // The first request takes the connection to Node's parser.
      const later = await sendRaw([`GET /healthz HTTP/1.1\r\n${ok}\r\n`, message])
      const last = later.slice(later.lastIndexOf(`HTTP/1.1 ${status}`))
      expect(later.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', `HTTP/1.1 ${status}`])
      for (const said of [alone, last]) {
        const [head, body] = said.split('\r\n\r\n') as [string, string]
        expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
        expect(head).toContain('x-content-type-options: nosniff')
        expect(head.toLowerCase()).toContain('connection: close')
        expect(JSON.parse(body)).toMatchObject({ code })
      }
    },
  )

  test('HTTP/1.0 is served as such: no Host needed, no chunks, and the connection ends', async () => {
    const probe = await sendRaw(['GET /healthz HTTP/1.0\r\n\r\n'])
    expect(probe).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(probe.toLowerCase()).toContain('\r\nconnection: close\r\n')
    for (const path of ['/v1/quotes?symbols=AAPL', '/v1/bars/AAPL?range=max&format=csv']) {
      const said = await sendRaw([`GET ${path} HTTP/1.0\r\nX-API-Key: ${key.value}\r\n\r\n`])
      expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(said.toLowerCase()).not.toContain('transfer-encoding')
    }
  })
})

describe('a zero character, which PostgreSQL cannot store, is the fault of the request', () => {
  test('in a path of the product API', async () => {
    const person = await startSession(server)
    const { status, body } = await person.call('GET', '/api/playground/servers/%00/sign-in')
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
  })

  test.each([
    ['/oauth/authorize?client_id=%00', 400],
    ['/auth/v1/verify?type=signup&token=%00&redirect_to=%00', 303],
    ['/v1/bars/%00', 404],
  ])('GET %s', async (path, status) => {
    const answer = await fetch(server.url + path, { redirect: 'manual', headers: { 'x-api-key': key.value } })
    expect([path, answer.status]).toEqual([path, status])
  })
})
