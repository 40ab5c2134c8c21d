import { expect, test } from 'vitest'
import { restMatcher } from './rest-routes.ts'

const find = restMatcher(
  [
    ['GET', '/v1/things/{id}'],
    ['POST', '/v1/things/search'],
    ['GET', '/v1/things/special'],
    ['GET', '/v1/things/{id}.json'],
    ['GET', '/v1/things/{from}...{to}'],
    ['DELETE', '/v1/things/{other}'],
    ['GET', '/v1/things/special/{part}/end'],
    ['GET', '/v1/things/{id}/x/end'],
  ].map(([method, path]) => ({ method: method!, path: path!, value: `${method} ${path}` })),
)
const at = (method: string, path: string) => find(method, path.split('/'))

test.each([
  ['GET', '/v1/things/7', 'GET /v1/things/{id}', { id: '7' }],
  ['GET', '/v1/things/special', 'GET /v1/things/special', {}],
  ['GET', '/v1/things/7.json', 'GET /v1/things/{id}.json', { id: '7' }],
  ['GET', '/v1/things/a...b', 'GET /v1/things/{from}...{to}', { from: 'a', to: 'b' }],
  // The text fits, the method does not.
  ['GET', '/v1/things/search', 'GET /v1/things/{id}', { id: 'search' }],
  ['DELETE', '/v1/things/special', 'DELETE /v1/things/{other}', { other: 'special' }],
  ['GET', '/v1/things/special/p/end', 'GET /v1/things/special/{part}/end', { part: 'p' }],
])('%s %s is %s', (method, path, value, params) => {
  expect(at(method, path)).toEqual({ value, params })
})

test('another method is told which there are; a parameter is never empty, and nothing else is found', () => {
  expect(at('PATCH', '/v1/things/search')).toEqual({
    value: 'POST /v1/things/search',
    allowed: ['POST', 'GET', 'DELETE'],
  })
  for (const path of ['/v1/things', '/v1/things/', '/v1/things/7/', '/v1//7', '/v1/things/7/8', '/V1/things/7'])
    expect(at('GET', path)).toBeNull()
})
