import { expect, test } from 'vitest'
import { type ApiDocument, breakingChanges } from './api-changes.ts'
import { currentApi } from './current-api.ts'

// biome-ignore lint/suspicious/noExplicitAny: each case changes another part of the document
type Anything = any
const current = (): Anything => JSON.parse(JSON.stringify(currentApi()))
const changed = (change: (document: Anything) => void): string[] => {
  const after = current()
  change(after)
  return breakingChanges(current() as ApiDocument, after)
}
const parameter = (document: Anything, path: string, name: string): Anything =>
  document.paths[path].get.parameters.find((one: { name?: string }) => one.name === name)
const BARS = '/v1/bars/{symbol}'

test('the document breaks nothing of itself', () => {
  expect(changed(() => {})).toEqual([])
})

test.each<[string, (document: Anything) => void, string[]]>([
  ['a path', (d) => delete d.paths['/v1/status'], ['GET /v1/status was removed']],
  [
    'a parameter',
    (d) => d.paths[BARS].get.parameters.splice(d.paths[BARS].get.parameters.indexOf(parameter(d, BARS, 'range')), 1),
    ['GET /v1/bars/{symbol}: range was removed'],
  ],
  [
    'a parameter that is now required',
    (d) => {
      parameter(d, BARS, 'range').required = true
    },
    ['GET /v1/bars/{symbol}: range is now required'],
  ],
  [
    'a choice',
    (d) => parameter(d, BARS, 'range').schema.enum.pop(),
    ['GET /v1/bars/{symbol}: range no longer takes "max"'],
  ],
  [
    'a shared parameter, everywhere',
    (d) => d.components.parameters.Format.schema.enum.shift(),
    Object.entries(current().paths)
      .flatMap(([path, methods]) => Object.entries(methods as object).map(([method, one]) => [path, method, one]))
      .filter(([, , one]) => JSON.stringify(one).includes('#/components/parameters/Format'))
      .map(([path, method]) => `${method.toUpperCase()} ${path}: format no longer takes "json"`),
  ],
  [
    'a maximum',
    (d) => {
      parameter(d, BARS, 'limit').schema.maximum = 10
    },
    ['GET /v1/bars/{symbol}: limit has maximum 10, before 1000000'],
  ],
  [
    'a field of an answer',
    (d) =>
      delete d.paths['/v1/usage'].get.responses[200].content['application/json'].schema.properties.data.anyOf[0]
        .properties.unlimited,
    ['GET /v1/usage answer.data.unlimited was removed'],
  ],
  [
    'a format',
    (d) => delete d.paths[BARS].get.responses[200].content['text/csv'],
    ['GET /v1/bars/{symbol} no longer answers text/csv'],
  ],
  [
    'a header',
    (d) => delete d.paths[BARS].get.responses[200].headers['X-Receipt-Id'],
    ['GET /v1/bars/{symbol} no longer sends X-Receipt-Id'],
  ],
  [
    'a name',
    (d) => {
      d.paths[BARS].get.operationId = 'bars'
    },
    ['GET /v1/bars/{symbol} is now named bars, before get_bars'],
  ],
])('noticed: %s', (_name, change, sentences) => {
  expect(changed(change)).toEqual(sentences)
})

test('more is no break, and neither is the end of what was deprecated', () => {
  const grown = changed((d) => {
    d.paths['/v1/new'] = d.paths['/v1/status']
    parameter(d, BARS, 'range').schema.enum.push('10y')
    d.components.schemas.Problem.properties.code.enum.push('new_code')
    d.paths[BARS].get.parameters.push({ name: 'more', in: 'query', schema: { type: 'string' } })
  })
  expect(grown).toEqual([])
  const before = current()
  before.paths['/v1/status'].get.deprecated = true
  parameter(before, BARS, 'adjust').deprecated = true
  const after = current()
  delete after.paths['/v1/status']
  after.paths[BARS].get.parameters = after.paths[BARS].get.parameters.filter(
    ({ name }: { name?: string }) => name !== 'adjust',
  )
  expect(breakingChanges(before, after)).toEqual([])
})
