import { expect, test } from 'vitest'
import { operation } from '../testing/route.ts'
import { buildRequest } from './build-request.ts'

const build = (given: ReturnType<typeof operation>, input: Record<string, unknown>) =>
  buildRequest(given, '/v2', input, 1_000)

test.each([
  '..',
  '.',
  '',
  'a/b',
  '../admin',
  'a\\b',
  '%2e%2e',
  '%252e%252e',
  '..%2fadmin',
  '%2fadmin',
  '%25252525252f',
  '..;x=1',
  'a\r\nb',
  'a\u0000b',
  '.\u200B.',
  '.\u00AD.',
  '.\u0307.',
  '%c0%ae%c0%ae',
  '%e0%80%ae.',
  'a%c0%afb',
  'a%c1%9cb',
  'a\u2215b',
])('a path parameter of %j is refused', (id) => {
  expect(() => build(operation('/users/{id}', { id: 'path' }), { id })).toThrow(/^id must not/)
})

test('two parameters together do not make a dot segment', () => {
  const both = operation('/users/{a}{b}', { a: 'path', b: 'path' })
  expect(() => build(both, { a: '.x', b: 'y' })).not.toThrow()
  expect(() => build(both, { a: '%2', b: 'e%2e' })).toThrow('a must not make . or .. in the path')
})

test.each([
  ['a b?c#d&e=f', '/v2/users/a%20b%3Fc%23d%26e%3Df'],
  ['50%', '/v2/users/50%25'],
  ["it's(a)*!", '/v2/users/it%27s%28a%29%2A%21'],
  ['\u00fc\ud800', '/v2/users/%C3%BC%EF%BF%BD'],
  [['a', 'b'], '/v2/users/a%2Cb'],
  [12, '/v2/users/12'],
])('a path parameter of %j stays in its segment', (id, path) => {
  expect(build(operation('/users/{id}', { id: 'path' }), { id }).path).toBe(path)
})

test('queries are encoded by their style', () => {
  const styled = operation('/s')
  styled.places = {
    list: { in: 'query', name: 'list', style: 'form', explode: true },
    joined: { in: 'query', name: 'joined', style: 'form', explode: false },
    piped: { in: 'query', name: 'piped', style: 'pipeDelimited', explode: false },
    deep: { in: 'query', name: 'deep', style: 'deepObject', explode: true },
    json: { in: 'query', name: 'js&on', style: 'json', explode: false },
  }
  expect(
    build(styled, { list: ['a&b', 2], joined: ['a,b', 'c'], piped: ['x', 'y'], deep: { k: 'v=1' }, json: { a: [1] } })
      .path,
  ).toBe('/v2/s?list=a%26b&list=2&joined=a%2Cb,c&piped=x%7Cy&deep%5Bk%5D=v%3D1&js%26on=%7B%22a%22%3A%5B1%5D%7D')
})

test.each(['a\r\nX-Admin: 1', 'a\nb', '\u00fc', 'a\u0000'])('a header of %j is refused', (region) => {
  expect(() => build(operation('/s', { region: 'header' }), { region })).toThrow('region must be plain text')
})

test('bodies as JSON, whole or of parts, and as a form; too large ones are refused', () => {
  const places = { a: 'body', b: 'body' } as const
  const post = (body: { type: 'json' | 'form'; whole: boolean }) => operation('/s', places, { method: 'POST', body })
  expect(build(post({ type: 'json', whole: false }), { a: 1, b: [2] })).toMatchObject({
    body: '{"a":1,"b":[2]}',
    headers: { 'content-type': 'application/json' },
  })
  expect(build(post({ type: 'form', whole: false }), { a: 'x&y', b: ['1', '2'] })).toMatchObject({
    body: 'a=x%26y&b=1&b=2',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(build(post({ type: 'json', whole: true }), { a: null }).body).toBe('null')
  expect(() => build(post({ type: 'json', whole: true }), { a: 'x'.repeat(1_000) })).toThrow('at most 1000 bytes')
})

test.each(['all', 'ALL', 'a%6Cl', '%2561ll'])('a value of %j that leads to another operation is refused', (id) => {
  const remove = operation(
    '/items/{id}',
    { id: 'path' },
    { method: 'DELETE', narrower: ['/items/all', '/items/x.{type}'] },
  )
  expect(() => build(remove, { id })).toThrow('This value names another operation of this API.')
  expect(() => build(remove, { id: 'x.csv' })).toThrow('This value names another operation of this API.')
  expect(build(remove, { id: 'wall' }).path).toBe('/v2/items/wall')
})

test('text between parameters of one segment is found in one pass', () => {
  const narrow = operation('/c/{id}', { id: 'path' }, { narrower: ['/c/{a}x{b}y{c}z'] })
  const isOther = 'This value names another operation of this API.'
  for (const id of ['1x2y3z', '1X2yyZ']) expect(() => build(narrow, { id })).toThrow(isOther)
  for (const id of ['xyz', '1xyz', '1x2yz', '1x2y3', 'xy'.repeat(4_096)])
    expect(build(narrow, { id }).path).toContain(id)
  expect(() => build(narrow, { id: 'x'.repeat(8_193) })).toThrow('id may have at most 8192 characters')
})
