import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { startSession, type TestSession } from '../../testing/session.ts'

/** A server whose operator lets users connect servers by URL, but none on private networks. */
let server: TestServer
let person: TestSession
const reached: string[] = []
const inside = createServer((request, response) => {
  reached.push(`${request.method} ${request.url}`)
  if (request.url === '/away') return response.writeHead(307, { location: '/secret' }).end()
  return response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})
let port: number
beforeAll(async () => {
  await new Promise<void>((done) => inside.listen(0, '127.0.0.1', done))
  port = (inside.address() as AddressInfo).port
  server = await startTestServer({ env: { PLAYGROUND_URLS: 'on' } })
  person = await startSession(server)
})
afterAll(async () => {
  inside.close()
  await server?.close()
})

const connect = (command: string, who = person) =>
  who.call('POST', '/api/playground/servers/other/connect', { body: { command, args: [] } })

test.each([
  ['https://127.0.0.1/mcp', 'This address leads into a private network.'],
  ['https://2130706433/mcp', 'This address leads into a private network.'],
  ['https://0x7f.1/mcp', 'This address leads into a private network.'],
  ['https://[::ffff:127.0.0.1]/mcp', 'This address leads into a private network.'],
  ['https://[::1]/mcp', 'This address leads into a private network.'],
  ['https://169.254.169.254/latest/meta-data/', 'This address leads into a private network.'],
  ['https://[fd00:ec2::254]/', 'This address leads into a private network.'],
  ['https://localhost/mcp', 'This address leads into a private network.'],
  ['https://user:pass@example.com/mcp', 'An address with a user name or password is not fetched.'],
  ['https://example.com:5432/', 'Only the ports 443 and 8443 are fetched.'],
])('a server at %s is not connected', async (address, why) => {
  const { status, body } = await connect(address)
  expect([status, body.code, body.error]).toEqual([400, 'invalid_parameter', why])
})

test('plain http to a private address is refused before anything is sent', async () => {
  const { status, body } = await connect(`http://127.0.0.1:${port}/mcp`)
  expect([status, body.error]).toEqual([400, 'Only https addresses are fetched.'])
  expect(reached).toEqual([])
})

test('redirects are not followed, even where private networks are allowed', async () => {
  const open = await closeAfterTests(
    startTestServer({ env: { PLAYGROUND_URLS: 'on', PLAYGROUND_PRIVATE_NETWORKS: 'on' } }),
  )
  const { status, body } = await connect(`http://127.0.0.1:${port}/away`, await startSession(open))
  expect(status).toBe(400)
  expect(body.error).toContain('redirects are not followed')
  expect(new Set(reached)).toEqual(new Set(['POST /away']))
})
