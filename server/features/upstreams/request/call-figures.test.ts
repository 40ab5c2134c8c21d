import { expect, test } from 'vitest'
import { startLoopback } from '../testing/loopback.ts'
import { createUpstreamClient } from './upstream-client.ts'

const limits = { concurrency: 50, breaker: { errors: 2, within_s: 10, rest_s: 3_600 } }
const of = { account: 'a', operation: 'one' }
const request = { method: 'GET', path: '/', headers: {}, body: undefined } as never
const reading = { mostBytes: 1_000, accept: () => {} }
const signal = new AbortController().signal

test('figures count calls that were sent, and the breaker says when none is', async () => {
  const upstream = await startLoopback((_request, response) => response.end('ok'))
  const client = createUpstreamClient({
    id: 'acme',
    name: 'Acme',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    limits,
    onFailure() {},
  })
  const ask = () => client.askWhole(of, request, signal, reading, ({ status }) => status)
  expect(client.health()).toMatchObject({ calls: 0, failed: 0, p50Ms: null, p95Ms: null, breaker: 'closed' })
  expect(await ask()).toBe(200)
  expect(client.health()).toMatchObject({ calls: 1, failed: 0, breaker: 'closed' })
  expect(client.health().p95Ms).not.toBeNull()
  const closed = createUpstreamClient({
    id: 'gone',
    name: 'Gone',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    limits,
    onFailure() {},
  })
  upstream.close()
  for (let call = 0; call < 2; call++)
    await expect(closed.askWhole(of, request, signal, reading, () => 1)).rejects.toThrow(
      'did not return a usable response',
    )
  expect(closed.health()).toMatchObject({ calls: 2, failed: 2, breaker: 'open' })
  await expect(closed.askWhole(of, request, signal, reading, () => 1)).rejects.toThrow(
    'did not return a usable response',
  )
  // It was not sent.
  expect(closed.health()).toMatchObject({ calls: 2, failed: 2, breaker: 'open' })
  await Promise.all([client.close(), closed.close()])
})
