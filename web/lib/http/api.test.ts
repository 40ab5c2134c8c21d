import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'

let requests: { method: string | undefined; authorization: string | undefined }[] = []
let answer: { status: number; body: unknown } = { status: 200, body: { success: true, data: { ok: 1 } } }
const server = createServer((request, response) => {
  requests.push({ method: request.method, authorization: request.headers.authorization })
  response.writeHead(answer.status, { 'content-type': 'application/json', 'x-request-id': 'req-1' })
  response.end(JSON.stringify(answer.body))
})
let url: string

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/x`
})
afterAll(() => new Promise((done) => server.close(done)))

let token: string | null
vi.mock('./endpoints.ts', () => ({ requestLine: (method: string) => [method, url] }))
vi.mock('../auth/session.ts', () => ({ accessToken: async () => token, recheckSession: () => {} }))

beforeEach(() => {
  requests = []
  token = 'session-token'
})
afterEach(() => vi.useRealTimers())

/** An operation with any method; the contract's names and paths are tested with the endpoints. */
const call = async (method = 'GET') => {
  const { api } = await import('./api.ts')
  return api(method as 'listKeys')
}

test('every request sends the session as a bearer token and returns the envelope’s data', async () => {
  answer = { status: 200, body: { success: true, data: { ok: 1 } } }
  expect(await call()).toEqual({ ok: 1 })
  expect(requests).toEqual([{ method: 'GET', authorization: 'Bearer session-token' }])
})

test('without a session nothing is sent', async () => {
  token = null
  await expect(call()).rejects.toMatchObject({
    message: 'User is not authenticated. Please log in.',
    code: 'unauthorized',
  })
  expect(requests).toEqual([])
})

test.each([408, 413, 429, 500, 502, 503, 504])('GET is sent three times on %i', async (status) => {
  answer = { status, body: { success: false, error: 'not now', code: 'later' } }
  await expect(call()).rejects.toMatchObject({ message: 'not now', code: 'later', status, requestId: 'req-1' })
  expect(requests).toHaveLength(3)
})

test.each([400, 401, 402, 403, 404, 409, 422])('GET is sent once on %i', async (status) => {
  answer = { status, body: { success: false, error: 'no', code: 'refused' } }
  await expect(call()).rejects.toMatchObject({ message: 'no', code: 'refused', status })
  expect(requests).toHaveLength(1)
})

test.each(['POST', 'PUT', 'DELETE'])('%s is sent once on 503', async (method) => {
  answer = { status: 503, body: { success: false, error: 'not now', code: 'later' } }
  await expect(call(method)).rejects.toMatchObject({ status: 503 })
  expect(requests).toHaveLength(1)
})

test('a request ends after 10 seconds', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let ended = false
  const answering = url
  url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  const outcome = call('POST').catch((error: unknown) => {
    ended = true
    return error
  })
  await vi.advanceTimersByTimeAsync(9_999)
  expect(ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  vi.useRealTimers()
  expect(await outcome).toMatchObject({ code: 'timeout', message: 'The server did not answer within 10 seconds.' })
  url = answering
  silent.closeAllConnections()
  await new Promise((done) => silent.close(done))
})
