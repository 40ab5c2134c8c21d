import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { jsonInput } from '../tools/json-input.ts'
import { json, operation } from '../tools/testing/body-tools.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'

const server = await closeAfterTests(startToolServer())

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
const read = async (): Promise<any> => (await fetch(`${server.url}/openapi.json`)).json()

test('the document is valid OpenAPI 3.1 and readable without a key', async () => {
  const result = await new Validator().validate(await read())
  expect(result).toEqual({ valid: true })
})

test('this check rejects an invalid document', async () => {
  const document = await read()
  delete document.paths['/v1/test/rows/{symbol}'].get.responses
  document.components.parameters.Format.in = 'nowhere'
  expect((await new Validator().validate(document)).valid).toBe(false)
})

test('operations come from the tools: parameters, defaults of this surface, price, errors, headers', async () => {
  const { paths, components, servers } = await read()
  const { get } = paths['/v1/test/rows/{symbol}']
  expect(servers).toEqual([{ url: server.url }])
  expect(get).toMatchObject({ operationId: 'test_rows', summary: 'Rows', 'x-credits': { kind: 'fixed', credits: 3 } })
  expect(get.description).toContain('Price: 3 credits per call.')
  expect(get.parameters.slice(0, 3)).toMatchObject([
    { name: 'symbol', in: 'path', required: true, description: 'Symbol', schema: { type: 'string' } },
    { name: 'rows', in: 'query', required: false, schema: { default: 3, maximum: 5000 } },
    { name: 'note', in: 'query' },
  ])
  expect(get.parameters.find(({ name }: { name: string }) => name === 'scale')).toMatchObject({
    style: 'form',
    explode: false,
  })
  expect(Object.keys(get.responses)).toEqual([
    '200',
    '304',
    '400',
    '401',
    '402',
    '403',
    '404',
    '409',
    '422',
    '429',
    '500',
    '502',
    '503',
    '504',
  ])
  expect(get.responses[402].description).toContain('insufficient_credits')
  expect(Object.keys(get.responses[402].headers)).toEqual(['X-Credits-Charged', 'X-Credits-Remaining'])
  expect(Object.keys(get.responses[200].headers)).toContain('X-Credits-Charged')
  expect(components.schemas.Problem.properties.code.enum).toContain('unknown_symbol')
  expect(paths['/v1/test/sum'].post.requestBody.content['application/json'].schema.required).toEqual(['numbers'])
  expect(Object.keys(paths['/v1/test/sum'].post.responses)).toContain('415')
})

test('prices in words', async () => {
  const { paths } = await read()
  expect(paths['/v1/test/per-rows'].get.description).toContain('Price: 2 credits per 10 rows, rounded up.')
  expect(paths['/v1/test/failing'].get.description).toContain('Price: 1 credit per call.')
})

test('every header and every problem that the API sends is described', async () => {
  const { components } = await read()
  const key = await server.key({ credits: 10, rateLimit: 10 })
  const ask = (path: string) => fetch(`${server.url}${path}`, { headers: { 'x-api-key': key.value } })
  const answer = await ask('/v1/test/rows/A')
  for (const name of Object.keys(components.headers)) expect([name, answer.headers.has(name)]).toEqual([name, true])
  const problem = await (await ask('/v1/test/rows/A?order=x')).json()
  for (const field of Object.keys(problem)) expect(components.schemas.Problem.properties).toHaveProperty(field)
  for (const field of components.schemas.Problem.required) expect(problem).toHaveProperty(field)
})

test('operations of an upstream: places of their inputs, their answer, and shared schemas under names of their own', async () => {
  const tool = operation('search', () => json({}), {
    method: 'POST',
    path: '/search/{id}',
    output: { jsonSchema: { $ref: '#/$defs/Item', $defs: { Item: { type: 'object' } } } },
  })
  const input = jsonInput({
    properties: { id: { type: 'string' }, tenant: { type: 'string' }, filter: { $ref: '#/$defs/Item' } },
    required: ['id', 'filter'],
    $defs: { Item: { type: 'object', properties: { next: { $ref: '#/$defs/Item' } } } },
  })
  await server.deps.tools.replace('upstreams', [
    { ...tool, input, rest: { ...tool.rest!, names: { tenant: 'x-tenant' }, places: { tenant: 'header' } } },
  ])
  const document = await read()
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  const { post } = document.paths['/v1/acme/search/{id}']
  expect(post.parameters.slice(0, 2)).toEqual([
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'x-tenant', in: 'header', required: false, schema: { type: 'string' } },
  ])
  const ref = '#/components/schemas/acme_search_input_Item'
  expect(post.requestBody.content['application/json'].schema).toEqual({
    type: 'object',
    properties: { filter: { $ref: ref } },
    required: ['filter'],
  })
  expect(document.components.schemas.acme_search_input_Item.properties.next).toEqual({ $ref: ref })
  expect(post.responses['2XX'].content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/acme_search_output_Item',
  })
  await server.deps.tools.replace('upstreams', [])
  expect((await read()).paths['/v1/acme/search/{id}']).toBeUndefined()
})
