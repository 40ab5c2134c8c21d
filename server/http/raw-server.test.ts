import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { rawServer } from './raw-server.ts'

test('the lane sees each request first while the server is open, and none when it begins to stop', async () => {
  let open = true
  const factory = rawServer(
    (request, response) => {
      if (request.url !== '/hot') return false
      response.end('lane')
      return true
    },
    () => open,
  )
  const server = factory((_request, response) => void response.end('framework'), {
    keepAliveTimeout: 72_000,
    requestTimeout: 30_000,
    connectionTimeout: 0,
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const ask = async (path: string) =>
    (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).text()
  expect([await ask('/hot'), await ask('/other')]).toEqual(['lane', 'framework'])
  open = false
  expect(await ask('/hot')).toBe('framework')
  expect([server.keepAliveTimeout, server.requestTimeout]).toEqual([72_000, 30_000])
  server.closeAllConnections()
  server.close()
})
