import { once } from 'node:events'
import { connect } from 'node:net'
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
