import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createStripeAccess } from './client.ts'

const none = { STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined, STRIPE_URL: undefined }
const withKey = (STRIPE_SECRET_KEY: string) => ({ ...none, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: 'whsec_a1' })

afterEach(() => {
  vi.useRealTimers()
})

describe('the billing mode', () => {
  test.each([
    ['sk_live_a1', 'live'],
    ['rk_live_a1', 'live'],
    ['sk_test_a1', 'test'],
    ['rk_test_a1', 'test'],
  ])('%s is %s', (key, mode) => {
    expect(createStripeAccess(withKey(key), null)).toMatchObject({ mode, webhookSecret: 'whsec_a1' })
  })

  test('a key takes precedence over the local peer', () => {
    const peer = { fetch: vi.fn(), webhookSecret: 'whsec_peer' }
    expect(createStripeAccess(withKey('sk_test_a1'), peer)).toMatchObject({ mode: 'test', webhookSecret: 'whsec_a1' })
    expect(createStripeAccess(none, peer)).toMatchObject({ mode: 'sandbox', webhookSecret: 'whsec_peer' })
  })

  test('without key and peer nothing is sold', () => {
    expect(createStripeAccess(none, null)).toBeNull()
  })
})

describe('a request', () => {
  test('asks the server that STRIPE_URL names, with the version that the SDK pins', async () => {
    const asked: unknown[] = []
    const server = createServer((request, answer) => {
      asked.push([request.url, request.headers['stripe-version'], request.headers.authorization])
      answer.setHeader('content-type', 'application/json').end('{"object":"list","data":[],"has_more":false}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const access = createStripeAccess({ ...withKey('sk_test_a1'), STRIPE_URL: `http://127.0.0.1:${port}` }, null)
    await access?.client.products.list({ limit: 1 })
    server.closeAllConnections()
    server.close()
    expect(asked).toEqual([['/v1/products?limit=1', '2026-10-28.endive', 'Bearer sk_test_a1']])
  })

  test('that fails is made once more, with the same idempotency key, and then given up', async () => {
    const keys: (string | null)[] = []
    const fetch = async (_url: unknown, init?: RequestInit) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      return Response.json({ error: { type: 'api_error', message: 'down' } }, { status: 500 })
    }
    const access = createStripeAccess(none, { fetch: fetch as typeof globalThis.fetch, webhookSecret: 'whsec_peer' })
    await expect(access?.client.customers.create({})).rejects.toThrow(Stripe.errors.StripeAPIError)
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBeTruthy()
    expect(keys[1]).toBe(keys[0])
  })

  test('is given up after 8 seconds without an answer, twice', async () => {
    vi.useFakeTimers()
    const began = Date.now()
    const asked: number[] = []
    const fetch = (_url: unknown, init?: RequestInit) => {
      asked.push(Date.now() - began)
      return new Promise<Response>((_done, failed) =>
        init?.signal?.addEventListener('abort', () => failed(init.signal?.reason)),
      )
    }
    const access = createStripeAccess(none, { fetch: fetch as typeof globalThis.fetch, webhookSecret: 'whsec_peer' })
    const ended = access?.client.products.list().then(
      () => 'answered',
      (error: Error) => `${error.constructor.name} after ${Date.now() - began}`,
    )
    await vi.advanceTimersByTimeAsync(7_999)
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(asked).toHaveLength(2)
    const [, second = 0] = asked
    expect(second).toBeGreaterThanOrEqual(8_000)
    expect(await ended).toBe(`StripeConnectionError after ${second + 8_000}`)
  })
})
