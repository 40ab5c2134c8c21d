import { expect, test } from 'vitest'
import { buildCall, type FieldValue } from './build-call.ts'

const field = (place: FieldValue['place'], name: string, value: string, kind: FieldValue['kind'] = 'text') => ({
  place,
  name,
  value,
  kind,
})

test('path and query are encoded, commas stay, and empty fields are not sent', () => {
  const call = buildCall('GET', '/v1/bars/{symbol}', [
    field('path', 'symbol', ' BRK/B '),
    field('query', 'columns', 'date,close', 'list'),
    field('query', 'from', ''),
    field('query', 'q', 'a&b=c'),
    // The shell would read these in the copied command.
    field('query', 'r', '!!"$(id)`id`'),
  ])
  expect(call).toEqual({
    path: '/v1/bars/BRK%2FB?columns=date,close&q=a%26b%3Dc&r=%21%21%22%24(id)%60id%60',
  })
})

test('a path parameter that is missing stays visible', () => {
  expect(buildCall('GET', '/v1/bars/{symbol}', [field('path', 'symbol', '')])).toEqual({ path: '/v1/bars/{symbol}' })
})

test('a body has the types of its fields; what is no number stays as typed', () => {
  const { path, body } = buildCall('POST', '/v1/screen', [
    field('body', 'filters', '[{"field":"profit_margin","op":"gt","value":20}]', 'json'),
    field('body', 'columns', 'symbol, name,', 'list'),
    field('body', 'params', '1,2.5,x', 'numbers'),
    field('body', 'limit', '10', 'number'),
    field('body', 'days', 'many', 'number'),
    field('body', 'dry_run', 'false', 'boolean'),
    field('body', 'on', '2026-01-02', 'date'),
  ])
  expect(path).toBe('/v1/screen')
  expect(body).toEqual({
    filters: [{ field: 'profit_margin', op: 'gt', value: 20 }],
    columns: ['symbol', 'name'],
    params: [1, 2.5, 'x'],
    limit: 10,
    days: 'many',
    dry_run: false,
    on: '2026-01-02',
  })
})

test('JSON that is none is an error', () => {
  expect(() => buildCall('POST', '/v1/screen', [field('body', 'filters', '[{', 'json')])).toThrow(SyntaxError)
})
