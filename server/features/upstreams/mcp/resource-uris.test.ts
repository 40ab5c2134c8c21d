import { expect, test } from 'vitest'
import { createResourceUris, templateProblem } from './resource-uris.ts'

const published = (uri: string) => ({
  uri,
  template: uri.includes('{'),
  name: '',
  title: '',
  description: '',
  pins: {},
})
const uris = (...all: string[]) => createResourceUris('acme', all.map(published), [])

test.each([
  ['demo://a/{id}', 'demo://a/7', true],
  ['demo://a/{id}', 'demo://a/', false],
  ['demo://a/{id}', 'demo://a/7/8', false],
  ['demo://a/{id}', 'demo://a/7?all=1', false],
  ['demo://a/{id}', 'demo://a/%5c..', false],
  ['demo://a/{id}/b', 'demo://a/7/b', true],
  ['demo://a/{id}/b', 'demo://a/7/b/b', false],
  ['demo://{year}-{month}', 'demo://2026-08', true],
  ['demo://{year}-{month}', 'demo://2026', false],
  ['file:///{+path}', 'file:///data/2026/a.csv', true],
  ['file:///{+path}', 'file:///data/../secret', false],
  ['file:///{+path}', 'file:///data/%2E%2e/secret', false],
  ['file:///{+path}', 'file:///data/%2E%2e/%2e%2e/secret%', false],
  ['file:///{+path}', 'file:///data/%2E%2e/secret%FF', false],
  ['file:///{+path}', 'file:///data/%252e%252e/secret', false],
  ['file:///{+path}', 'file:///data/..;/secret', false],
  ['file:///{+path}', 'file:///100%/..a/caf%C3%A9', true],
  ['demo://a/{id}', 'demo://a/7%2F8%', false],
  ['demo://a/{id}', 'demo://a/7%253Fall', false],
  ['demo://a', 'demo://a', true],
  ['demo://a', 'demo://A', false],
])('%s and %s', (listed, uri, fits) => {
  const { toOwn, toPublic } = uris(listed)
  expect(toOwn(`acme.${uri}`)).toBe(fits ? uri : undefined)
  expect(toPublic(uri)).toBe(fits ? `acme.${uri}` : uri)
  expect(toOwn(uri)).toBeUndefined()
  expect(toOwn(`other.${uri}`)).toBeUndefined()
})

test.each([
  'file:///SECRET.csv',
  'file:///secret%2Ecsv',
  'file:///secret%252Ecsv',
  'file:///secret.csv#1',
  'file:///secret.csv?x=1',
  'file:///secret.csv%3F',
  'file:////secret.csv',
  'file:///secret.csv/',
  'file:///secret.csv.',
  'file:///secret.csv;v=1',
  'file:///ｓecret.csv',
  'file:///cafe%CC%81',
])('a template does not lead to what is withheld, spelled as %s', (uri) => {
  const { toOwn } = createResourceUris(
    'acme',
    [published('file:///{+path}')],
    ['file:///secret.csv', 'file:///caf\u00E9', 'file:///list?all=1'],
  )
  expect(toOwn(`acme.${uri}`)).toBeUndefined()
  expect(toOwn('acme.file:///list?all=2')).toBe('file:///list?all=2')
})

test('templates that are understood', () => {
  expect(templateProblem('demo://{a}/{+b}')).toBeNull()
  for (const other of ['demo://{/a}', 'demo://{a*}', 'demo://{a,b}', 'demo://a{', 'demo://a'])
    expect(templateProblem(other)).toBe('its template has more than {name} and {+name}')
})
