import { expect, test } from 'vitest'
import { jsonInput } from '../../tools/json-input.ts'
import { flattenInputs } from './flatten-inputs.ts'
import { parseDocument } from './load-document.ts'
import { readOperations } from './read-operations.ts'
import { createSchemaCopier, withDefs } from './references.ts'

const operation = (more: object = {}) => ({ operationId: 'one', responses: { 200: { description: 'ok' } }, ...more })
const description = (paths: object, more: object = {}) =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths, ...more })
const read = async (text: string, omit = (_place: string, _name: string) => false) => {
  const { document, warnings } = await parseDocument(text, 'api.json')
  return readOperations(document, warnings, omit)
}
const json = (schema: object) => ({ required: true, content: { 'application/json': { schema } } })

test.each([
  ['{}', 'api.json is not an OpenAPI 3.0 or 3.1 or Swagger 2 description.'],
  ['{"openapi":"3.0.0"}', 'api.json has no paths.'],
  ['{"openapi":"4.0.0","paths":{}}', 'api.json is not an OpenAPI 3.0 or 3.1 or Swagger 2 description.'],
  ['{"openapi":', 'api.json is neither JSON nor YAML'],
  ['a: [b', 'api.json is neither JSON nor YAML'],
  [
    description({ '/a': { get: operation({ parameters: [{ $ref: 'file:///etc/passwd' }] }) } }),
    'api.json refers to another file or address (file:///etc/passwd)',
  ],
])('%s is refused', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})

test('inputs of one name keep apart, and those that are ours or of the credential are left out', async () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'id', in: 'query', schema: { type: 'integer' } },
    { name: 'filter[status]', in: 'query', schema: { type: 'string' } },
    { name: 'Authorization', in: 'header', schema: { type: 'string' } },
    { name: 'X-Forwarded-For', in: 'header', schema: { type: 'string' } },
    { name: 'X-Region', in: 'header', schema: { type: 'string' } },
    { name: 'apikey', in: 'query', schema: { type: 'string' } },
    { name: 'session', in: 'cookie', schema: { type: 'string' } },
  ]
  const body = json({
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'boolean' }, seen: { readOnly: true } },
  })
  const { operations } = await read(
    description({ '/a/{id}': { post: operation({ parameters, requestBody: body }) } }),
    (place, name) => place === 'query' && name === 'apikey',
  )
  expect(operations[0]!.places).toMatchObject({
    id: { in: 'path', name: 'id' },
    query_id: { in: 'query', name: 'id' },
    filter_status: { in: 'query', name: 'filter[status]' },
    X_Region: { in: 'header', name: 'X-Region' },
    body_id: { in: 'body', name: 'id' },
  })
  expect(Object.keys(operations[0]!.places)).toHaveLength(5)
  expect(operations[0]!.input).toMatchObject({ required: ['id', 'body_id'], additionalProperties: false })
})

test('allOf of objects is flattened; a choice of bodies is one input', async () => {
  const parts = {
    allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { b: { type: 'integer' } }, required: ['b'] }],
  }
  const { operations } = await read(
    description(
      {
        '/flat': { post: operation({ requestBody: json(parts) }) },
        '/whole': {
          post: operation({
            operationId: 'two',
            requestBody: json({ oneOf: [{ type: 'object' }, { type: 'array' }] }),
          }),
        },
      },
      { components: { schemas: { Base: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } } } },
    ),
  )
  expect(operations[0]).toMatchObject({ body: { type: 'json', whole: false }, input: { required: ['a', 'b'] } })
  expect(operations[1]).toMatchObject({ body: { type: 'json', whole: true }, input: { required: ['body'] } })
})

test('a schema that others refer to again and again is read once', () => {
  let reads = 0
  const leaf = {
    get properties() {
      reads++
      return { a: { type: 'string' } }
    },
  }
  const schemas: Record<string, object> = { A7: leaf }
  for (let level = 6; level >= 0; level--)
    schemas[`A${level}`] = { allOf: Array.from({ length: 4 }, () => ({ $ref: `#/components/schemas/A${level + 1}` })) }
  const body = json({ $ref: '#/components/schemas/A0' })
  const { places } = flattenInputs(
    { components: { schemas } },
    [],
    body,
    () => ({}),
    () => false,
  )
  expect([Object.keys(places), reads]).toEqual([['a'], 1])
})

/** So many schemas within one another, and a reference to each. */
function nested(levels: number) {
  let inner: object = {}
  for (let level = 1; level < levels; level++) inner = { items: inner }
  const allOf = Array.from({ length: levels }, (_, level) => ({
    $ref: `#/components/schemas/A${'/items'.repeat(level)}`,
  }))
  return { root: { components: { schemas: { A: inner } } }, schema: { allOf } }
}

test('references into the middle of other schemas are copied in a bounded number of steps', async () => {
  const few = nested(50)
  expect(Object.keys(createSchemaCopier(few.root, 10_000).copy(few.schema).allOf as object)).toHaveLength(50)
  const many = nested(500)
  const message =
    'the schemas of its description refer into one another so often that copying them takes more than 10,000 steps'
  expect(() => createSchemaCopier(many.root, 10_000).copy(many.schema)).toThrow(message)
  const { root, schema } = nested(1_500)
  const { skipped } = await read(description({ '/a': { post: operation({ requestBody: json(schema) }) } }, root))
  expect(skipped).toEqual([{ operation: 'one', reason: message.replace('10,000', '1,000,000') }])
})

test('names that are written alike take no more steps than others', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `A${'.'.repeat(at % 60)}${'-'.repeat(Math.floor(at / 60))}`)
  const schemas = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const allOf = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const copier = createSchemaCopier({ components: { schemas } }, 10_000)
  copier.copy({ allOf })
  expect(Object.keys(copier.schemas)).toHaveLength(new Set(names).size)
})

test('circular schemas stay finite and still check', async () => {
  const Node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' }, name: { type: 'string' } } }
  const { operations, schemas } = await read(
    description(
      { '/a': { post: operation({ requestBody: json({ $ref: '#/components/schemas/Node' }) }) } },
      { components: { schemas: { Node } } },
    ),
  )
  const input = jsonInput(withDefs(operations[0]!.input, schemas))
  expect(() => input.parse({ next: { next: { name: 1 } } })).toThrow('next.next.name')
  expect(input.parse({ next: { next: { name: 'x' } } })).toBeTruthy()
})

test.each([
  ['/a/{id}', operation(), 'its path names id, which is no parameter'],
  ['/a?b=c', operation(), 'its path has a query, a fragment or other characters that no path here may have'],
  ['/a/../b', operation(), 'its path has a query, a fragment or other characters that no path here may have'],
  [
    '/a',
    operation({ parameters: [{ $ref: '#/components/parameters/None' }] }),
    '#/components/parameters/None leads nowhere',
  ],
  ['/a', operation({ parameters: [{ name: 's', in: 'cookie', required: true }] }), 'it needs the cookie s'],
  [
    '/a',
    operation({ requestBody: { required: true, content: { 'multipart/form-data': {} } } }),
    'its body is multipart/form-data',
  ],
])('the operation at %s is skipped: %#', async (path, post, reason) => {
  const { operations, skipped } = await read(
    description({ [path]: { post }, '/good': { get: operation({ operationId: 'good' }) } }),
  )
  expect(operations.map(({ id }) => id)).toEqual(['good'])
  expect(skipped).toEqual([{ operation: 'one', reason }])
})

test('text of others: hidden and control characters are marked, long text is cut', async () => {
  const hidden = `Price\u202E of\u0007 \u{E0041}it ${'x'.repeat(2_000)}`
  const { operations } = await read(
    description({ '/a': { get: operation({ summary: 'S\u200B', description: hidden }) } }),
  )
  expect(operations[0]!.title).toBe('S\uFFFD')
  expect(operations[0]!.description).toMatch(/^Price\uFFFD of\uFFFD \uFFFDit x+…$/)
  expect(operations[0]!.description).toHaveLength(1_024)
})

test('an operation knows those with its method that its values could lead to, also those that are skipped', async () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const at = (operationId: string, parameters: object[] = []) => ({ delete: operation({ operationId, parameters }) })
  const part = { ...id, name: 'part' }
  const { operations } = await read(
    description({
      '/items/{id}': at('remove', [id]),
      '/items/all/': at('removeAll'),
      '/items/export.{id}': at('skipped'),
      '/items/{part}/parts': at('parts', [part]),
      '/items/me/{part}': at('own', [part]),
      '/{part}/{id}': at('any', [part, id]),
      '/items/list': { get: operation({ operationId: 'list' }) },
      '/users/me': at('other'),
    }),
  )
  expect(Object.fromEntries(operations.map((one) => [one.id, one.narrower]))).toEqual({
    remove: ['/items/all/', '/items/export.{id}'],
    removeAll: undefined,
    parts: ['/items/me/{part}'],
    own: ['/items/{part}/parts'],
    any: ['/items/{id}', '/items/all/', '/items/export.{id}', '/users/me'],
    list: undefined,
    other: undefined,
  })
})
