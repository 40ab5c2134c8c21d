import { expect, test } from 'vitest'
import { readSold } from '../snippets/sold-calls.ts'
import { readyCall } from './ready-call.ts'

const soldCall = (description: Parameters<typeof readSold>[0]) => readyCall(readSold(description))

const get = (operationId: string, parameters: object[] = [], more: object = {}) => ({
  get: { operationId, summary: `Says ${operationId}.`, parameters, ...more },
})
const place = { name: 'place', in: 'path', required: true, schema: { enum: ['bergen', 'oslo'] } }

test('the operator’s own call comes first, with the examples of what it needs', () => {
  const call = soldCall({
    paths: {
      '/v1/datasets': get('list_datasets'),
      '/v1/weather/{place}/forecast': get(
        'weather_forecast',
        [
          place,
          { name: 'days', in: 'query', schema: { default: 7 } },
          { name: 'unit', in: 'query', required: true, example: '°C' },
          { $ref: '#/components/parameters/DryRun' },
        ],
        { tags: ['weather'] },
      ),
    },
  })
  expect(call).toEqual({
    path: '/v1/weather/bergen/forecast?unit=%C2%B0C',
    operation: { tool: 'weather_forecast', template: '/v1/weather/{place}/forecast' },
    about: 'Says weather_forecast',
  })
})

test('of the operator’s own calls, the one whose example makes a chart comes first', () => {
  const answers = (example: object) => ({
    tags: ['weather'],
    responses: { '2XX': { content: { 'application/json': { example } } } },
  })
  const days = ['03', '04', '05'].map((day) => ({ date: `2026-08-${day}`, high: 20 }))
  const call = soldCall({
    paths: {
      '/v1/weather/places': get('list_places', [], answers({ places: [{ id: 'bergen' }] })),
      '/v1/weather/forecast': get('forecast', [], answers({ place: 'bergen', days })),
    },
  })
  expect(call?.path).toBe('/v1/weather/forecast')
})

test.each([
  ['an input without an example', get('a', [{ name: 'id', in: 'path', required: true, schema: {} }])],
  ['an input in a header', get('a', [{ name: 'Account', in: 'header', required: true, example: 'x' }])],
  ['a list', get('a', [{ name: 'ids', in: 'query', required: true, example: ['x'] }])],
  ['a stream', get('a', [], { responses: { '2XX': { content: { '*/*': {} } } } })],
  ['an operation on its way out', get('a', [], { deprecated: true })],
  ['another method', {}],
])('%s is no ready call', (_name, operation) => {
  expect(soldCall({ paths: { '/v1/x/{id}': operation } })).toBeNull()
  expect(soldCall({ paths: { '/v1/x/{id}': operation, '/v1/datasets': get('list_datasets') } })?.path).toBe(
    '/v1/datasets',
  )
})

test('nothing sold is no call', () => expect(soldCall({})).toBeNull())
