import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { allow, chooseKey, presented, takeKeyFromUrl } from './credentials.ts'

const message = (url: string, headers: Record<string, string> = {}) =>
  ({ url, headers, originalUrl: url }) as unknown as IncomingMessage & { originalUrl: string }

test.each([
  ['/mcp?apikey=SECRET', '/mcp', 'SECRET'],
  ['/v1/bars/A?limit=3&apikey=SECRET&range=1y', '/v1/bars/A?limit=3&range=1y', 'SECRET'],
  ['/mcp?%61pikey=SECRET', '/mcp', 'SECRET'],
  ['/mcp?api%6Bey=SECRET', '/mcp', 'SECRET'],
  ['/mcp?%61%70%69%6B%65%79=SECRET', '/mcp', 'SECRET'],
  ['/mcp?APIKEY=SECRET', '/mcp', 'SECRET'],
  ['/mcp?ApiKey=SECRET', '/mcp', 'SECRET'],
  ['/mcp?+apikey=SECRET', '/mcp', 'SECRET'],
  ['/mcp?apikey%20=SECRET', '/mcp', 'SECRET'],
  ['/mcp?apikey=S%45CRET', '/mcp', 'SECRET'],
  ['/mcp?apikey=&apikey=SECRET&apikey=SECRET2', '/mcp', 'SECRET'],
  ['/mcp?x=%zz&apikey=SECRET', '/mcp?x=%zz', 'SECRET'],
  ['/mcp?apikey', '/mcp', undefined],
  ['/mcp?apikeys=1&xapikey=2', '/mcp?apikeys=1&xapikey=2', undefined],
  ['/mcp', '/mcp', undefined],
])('%s leaves %s and the key %s', (url, clean, key) => {
  const request = message(url)
  expect(takeKeyFromUrl(request)).toBe(clean)
  expect(request.url).toBe(clean)
  expect(request.originalUrl).toBe(clean)
  expect(chooseKey(presented(request))).toBe(key)
})

test("an explicit key takes precedence over a client's bearer token", () => {
  const request = message('/mcp?apikey=URL', { 'x-api-key': 'HEADER', authorization: 'Bearer TOKEN' })
  takeKeyFromUrl(request)
  expect(chooseKey(presented(request))).toBe('HEADER')
  const two = message('/mcp?apikey=URL', { authorization: 'Bearer TOKEN' })
  takeKeyFromUrl(two)
  expect(chooseKey(presented(two))).toBe('URL')
  expect(chooseKey(presented(message('/mcp', { authorization: 'bearer  TOKEN ' })))).toBe('TOKEN')
  expect(chooseKey(presented(message('/mcp', { authorization: 'Basic dXNlcg==' })))).toBe(undefined)
  expect(chooseKey(presented(message('/mcp', { 'x-api-key': ' ' })))).toBe(undefined)
})

test('a key bound to networks is refused where the address is unknown', () => {
  const keys = { used: () => {} } as unknown as Parameters<typeof allow>[0]
  const bound = { scopes: null, allowsAddress: (address: string) => address === '10.0.0.1' } as unknown as Parameters<
    typeof allow
  >[1]
  const from = (address?: string) =>
    allow(
      keys,
      bound,
      { apiKeyHeader: 'x', urlKey: undefined, authorization: undefined, ...(address && { address }) },
      'rest',
    )
  expect(from('10.0.0.1')).toBe(bound)
  expect(() => from('10.0.0.2')).toThrow('This API key may not be used from 10.0.0.2.')
  expect(() => from()).toThrow('This API key may not be used from an unknown address.')
})
