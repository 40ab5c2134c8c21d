import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readOpenApi } from '../../../../web/features/sell/read-openapi.ts'
import { sample } from '../../../../web/features/sell/sample.ts'
import { parseDocument } from './load-document.ts'
import { readOperations } from './read-operations.ts'

const packages = join(import.meta.dirname, '../../../../node_modules')

async function serverReads(text: string) {
  const { document, warnings } = await parseDocument(text, 'a document')
  const { title, operations } = readOperations(document, warnings, () => false)
  return { title, gets: operations.flatMap(({ method, path }) => (method === 'GET' ? [`GET ${path}`] : [])) }
}

// The page for those who install reads files in the browser.
test.each<[string, () => Promise<string>]>([
  ['the sample', async () => JSON.stringify(sample.document)],
  // Nobody here wrote these two.
  ...['@okta/openapi/dist/spec.yaml', '@blockfrost/openapi/openapi.yaml'].map(
    (path): [string, () => Promise<string>] => [path, () => readFile(join(packages, path), 'utf8')],
  ),
  [
    'small faults',
    async () =>
      JSON.stringify({
        swagger: '2.0',
        info: { title: 'Faults', version: '1' },
        paths: {
          '/a/{id}': { get: { operationId: 'a', responses: {} } },
          '/b/{id}': {
            parameters: [{ name: 'id', in: 'path', required: true, type: 'string' }],
            get: { operationId: 'b', responses: {} },
          },
          '/c': { get: { operationId: 'b', responses: {} } },
          '/d': { get: { parameters: [{ name: 'x', in: 'path', required: true, type: 'string' }], responses: {} } },
          '/e f': { get: { responses: {} } },
        },
      }),
  ],
])('the browser sells what the server would: %s', async (_name, load) => {
  const text = await load()
  const { title, operations } = readOpenApi(parse(text))
  expect({ title, gets: operations.map(({ name }) => name) }).toEqual(await serverReads(text))
})
