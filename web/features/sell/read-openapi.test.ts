import { expect, test } from 'vitest'
import { readFile } from './read-file.ts'
import { readOpenApi } from './read-openapi.ts'

const file = (text: string, name = 'api.yaml') => new File([text], name)
const description = (paths: object, more: object = {}) => ({
  openapi: '3.0.3',
  info: { title: 'Stock prices' },
  paths,
  ...more,
})

test('GET operations become endpoints, with examples for what a call needs; the rest is counted', () => {
  const api = readOpenApi(
    description(
      {
        '/prices/{symbol}': {
          parameters: [{ $ref: '#/components/parameters/Symbol' }],
          get: { summary: 'Last price', parameters: [{ name: 'at', in: 'query', schema: { type: 'string' } }] },
          delete: {},
        },
        '/search': {
          get: {
            operationId: 'find',
            parameters: [{ name: 'q', in: 'query', required: true, schema: { enum: ['a b'] } }],
          },
        },
        '/broken/{id}': { get: {} },
        '/with?query': { get: {} },
        '/nowhere': { get: { parameters: [{ $ref: '#/components/parameters/Missing' }] } },
      },
      {
        servers: [{ url: 'https://api.acme.example/v2/' }],
        components: { parameters: { Symbol: { name: 'symbol', in: 'path', required: true, example: 'ACME' } } },
      },
    ),
  )
  expect(api).toEqual({
    title: 'Stock prices',
    id: 'stock',
    base: 'https://api.acme.example/v2',
    operations: [
      { name: 'GET /prices/{symbol}', title: 'Last price', example: '/prices/ACME' },
      { name: 'GET /search', title: 'find', example: '/search?q=a%20b' },
    ],
    left: 4,
  })
})

test.each([
  [{}, 'This is not an OpenAPI 3.0 or 3.1 or Swagger 2 description.'],
  [null, 'This is not an OpenAPI'],
  ['text', 'This is not an OpenAPI'],
  [{ openapi: '4.0.0', paths: {} }, 'This is not an OpenAPI'],
  [{ swagger: '2.0' }, 'This description has no paths'],
  [description({ '/a': { post: {} } }), 'This description has no GET operation that can be sold.'],
  [
    description({ '/a': { get: { $ref: 'https://evil.example/x' } } }),
    'It refers to another file (https://evil.example/x).',
  ],
  [description({ '/a': { $ref: '#/paths/~1a' } }), 'This description has no GET operation'],
])('%j is refused', (given, message) => {
  expect(() => readOpenApi(given)).toThrow(message)
})

test('a file is JSON or YAML, with or without a mark of its encoding', async () => {
  const json = JSON.stringify(description({ '/a': { get: {} } }))
  for (const text of [json, `\uFEFF${json}`, 'openapi: 3.1.0\npaths:\n  /a:\n    get: {}\n'])
    expect((await readFile(file(text))).operations.map(({ name }) => name)).toEqual(['GET /a'])
})

test.each([
  ['', 'api.yaml is empty.'],
  ['{"openapi":', 'This is neither JSON nor YAML.'],
  ['a: [b', 'This is neither JSON nor YAML.'],
  ['just words', 'This is not an OpenAPI'],
  [
    'a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]',
    'This is neither JSON nor YAML.',
  ],
])('the file %j is refused', async (text, message) => {
  await expect(readFile(file(text))).rejects.toThrow(message)
})

test('a file of more than 4 MiB is refused before it is read', async () => {
  const large = file('x'.repeat(5 * 2 ** 20), 'large.json')
  large.text = () => Promise.reject(new Error('it was read'))
  await expect(readFile(large)).rejects.toThrow('large.json has 5.0 MiB. This page reads up to 4 MiB')
})
