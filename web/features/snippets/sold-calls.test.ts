import { expect, test } from 'vitest'
import { callAddress, readSold } from './sold-calls.ts'

const price = 'High and low of the next days.\n\nPrice: 2 credits per call.'
const sold = readSold({
  paths: {
    '/v1/usage': { get: { operationId: 'get_usage', parameters: [] } },
    '/v1/weather/places/{place}/forecast': {
      get: {
        operationId: 'weather_get_forecast',
        summary: 'Forecast',
        description: price,
        tags: ['weather'],
        parameters: [
          { name: 'place', in: 'path', required: true, schema: { enum: ['bergen', 'lisbon'] } },
          { name: 'days', in: 'query', schema: { default: 7 } },
          { name: 'unit', in: 'query' },
          { $ref: '#/components/parameters/DryRun' },
        ],
        responses: { '2XX': { content: { 'application/json': { example: { high: 21.4 } } } } },
      },
    },
    '/v1/weather/private': {
      get: { operationId: 'p', tags: ['weather'], parameters: [{ name: 'x', in: 'header', required: true }] },
    },
  },
})

test('the calls of the operator are found, with their price and a value for each input', () => {
  expect(sold.tables).toBe(false)
  expect(sold.calls.map(({ operation, isOwn }) => [operation, isOwn])).toEqual([
    ['get_usage', false],
    ['weather_get_forecast', true],
  ])
  expect(sold.calls[1]).toEqual({
    operation: 'weather_get_forecast',
    title: 'Forecast',
    path: '/v1/weather/places/{place}/forecast',
    price: '2 credits per call',
    inputs: [
      { name: 'place', place: 'path', required: true, value: 'bergen', choices: ['bergen', 'lisbon'] },
      { name: 'days', place: 'query', required: false, value: '7', choices: null },
      { name: 'unit', place: 'query', required: false, value: '', choices: null },
    ],
    isOwn: true,
    example: { high: 21.4 },
  })
  expect(readSold({ paths: { '/v1/bars/{symbol}': {} } })).toEqual({ tables: true, calls: [] })
})

test('an address has what was chosen, and the name of what is missing', () => {
  const [, call] = sold.calls
  expect(callAddress('https://x.example', call!, {})).toBe('https://x.example/v1/weather/places/bergen/forecast?days=7')
  expect(callAddress('', call!, { place: '', days: '', unit: 'a&b' })).toBe(
    '/v1/weather/places/PLACE/forecast?unit=a%26b',
  )
})
