import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { startTestServer, type TestServer } from '../testing/harness.ts'

const pages = [
  '/sandbox/mail',
  '/sandbox/mail/messages?to=a@example.com',
  '/sandbox/identity/google/avatar?name=A',
  '/%73andbox/mail',
]

describe('the sandbox by default', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server?.close())
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await server.app.inject({ url: path, headers: { host: 'localhost:3000', ...headers } })).statusCode

  test.each(pages)('%s answers this machine', async (path) => {
    expect(await status(path)).toBe(200)
  })

  describe.each(pages)('%s refuses', (path) => {
    test.each([
      ['x-forwarded-for', '203.0.113.9'],
      ['forwarded', 'for=203.0.113.9'],
      ['via', '1.1 proxy'],
      ['x-real-ip', '203.0.113.9'],
      ['x-forwarded-proto', 'https'],
      ['host', 'api.example.com'],
      ['host', 'localhost.example.com'],
    ])('%s: %s', async (name, value) => {
      expect(await status(path, { [name]: value })).toBe(403)
    })
  })

  test('a proxy that adds no header and names us as the host, as nginx does by default, is refused', async () => {
    const { port } = new URL(server.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`GET /sandbox/mail HTTP/1.0\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
    expect(await text(socket)).toContain('HTTP/1.1 403 ')
  })

  test('the product itself is served behind a proxy', async () => {
    expect(await status('/healthz', { 'x-forwarded-for': '203.0.113.9' })).toBe(200)
  })
})

test('SANDBOX=on opens it behind a proxy, and every page says that it is a sandbox', async () => {
  const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
  const answer = await server.app.inject({
    url: '/sandbox/identity/google/avatar?name=A',
    headers: { 'x-forwarded-for': '203.0.113.9' },
  })
  expect(answer.statusCode).toBe(200)
  const config = await server.app.inject({ url: '/config.json', headers: { 'x-forwarded-for': '203.0.113.9' } })
  expect(config.json()).toMatchObject({ sandbox: true })
})
