import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startTestServer } from '../testing/harness.ts'

test('a connection that nobody uses does not hold back the stop', async () => {
  const server = await startTestServer()
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  await fetch(`${server.url}/healthz`).then((answer) => answer.text())
  await server.close()
  await closed
  expect(socket.destroyed).toBe(true)
})

test('MAX_CONNECTIONS limits the connections of the whole product', async () => {
  const server = await startTestServer({ env: { MAX_CONNECTIONS: '1' } })
  const port = Number(new URL(server.url).port)
  const first = connect(port, '127.0.0.1')
  await once(first, 'connect')
  const second = connect(port, '127.0.0.1')
  expect(await text(second)).toMatch(/^HTTP\/1\.1 503 [\s\S]*"code":"overloaded"/)
  first.destroy()
  await server.close()
})
