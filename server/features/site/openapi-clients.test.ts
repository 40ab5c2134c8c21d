import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installPackage } from '../../../scripts/install-package.ts'
import { productTools } from '../../product-tools.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'

const run = promisify(execFile)
const clients = join(import.meta.dirname, '../../../packages/openapi-clients')
installPackage(clients)

interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query'
  required: boolean
  example?: unknown
}
interface Operation {
  method: string
  path: string
  operationId: string
  parameters: Parameter[]
  /** The request that the examples of the document describe. */
  example: { params: { path?: object; query?: object }; body?: unknown }
}

let dir: string
let text: string
let operations: Operation[]
const server = await closeAfterTests(startToolServer(productTools))
const key = (await server.key({ credits: 10_000 })).value
beforeAll(async () => {
  // Within the package: generated clients import its dependencies.
  dir = await mkdtemp(join(clients, 'generated-'))
  text = await (await fetch(`${server.url}/openapi.json`)).text()
  await writeFile(join(dir, 'openapi.json'), text)
  operations = readOperations(JSON.parse(text))
})
afterAll(async () => {
  if (dir) await rm(dir, { recursive: true })
})

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
const readOperations = ({ paths }: any): Operation[] =>
  Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method,
      path,
      ...operation,
      example: {
        params: { ...examples(operation.parameters, 'path'), ...examples(operation.parameters, 'query') },
        ...(operation.requestBody && { body: operation.requestBody.content['application/json'].example }),
      },
    })),
  )

function examples(parameters: Parameter[], place: 'path' | 'query'): Partial<Record<typeof place, object>> {
  const given = parameters.filter((one) => one.in === place && one.example !== undefined)
  return given.length > 0 ? { [place]: Object.fromEntries(given.map(({ name, example }) => [name, example])) } : {}
}

test('every operation has an example of each thing that it requires', () => {
  expect(operations.length).toBeGreaterThan(20)
  for (const { operationId, method, parameters, example } of operations) {
    const required = parameters.filter((one) => one.required && one.example === undefined).map(({ name }) => name)
    expect([operationId, required, method === 'post' && example.body === undefined]).toEqual([operationId, [], false])
  }
})

test('Redocly finds nothing to criticize', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  // Redocly objects to the address of a server on this machine.
  const source = text.replaceAll(server.url, 'https://api.acme.dev')
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

test('openapi-typescript with openapi-fetch: every example compiles and succeeds', async () => {
  await run(join(clients, 'node_modules/.bin/openapi-typescript'), ['openapi.json', '-o', 'schema.d.ts'], { cwd: dir })
  const calls = operations.map(
    ({ method, path, example }) =>
      `report('${path}', await client.${method.toUpperCase()}('${path}', ${JSON.stringify(example)}))`,
  )
  await writeFile(
    join(dir, 'calls.mts'),
    `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

const client = createClient<paths, 'application/json'>({ baseUrl: '${server.url}', headers: { authorization: 'Bearer ${key}' } })
const report = (path: string, { response, data }: { response: Response; data?: { data: unknown } }) =>
  console.log(path, response.status, data?.data !== undefined)
${calls.join('\n')}
`,
  )
  const strict = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--allowImportingTsExtensions',
    '--ignoreConfig',
  ]
  const checked = await run('tsc', ['--noEmit', '--types', 'node', '--skipLibCheck', ...strict, 'calls.mts'], {
    cwd: dir,
  }).catch((error) => error)
  expect(checked.stdout).toBe('')
  const { stdout } = await run(process.execPath, ['calls.mts'], { cwd: dir })
  expect(stdout.trim().split('\n')).toEqual(operations.map(({ path }) => `${path} 200 true`))
})

test('@hey-api/openapi-ts: every example succeeds', async () => {
  const { createClient } = await import(join(clients, 'node_modules/@hey-api/openapi-ts/dist/index.js'))
  await createClient({
    input: join(dir, 'openapi.json'),
    output: { path: join(dir, 'hey'), entryFile: false },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  })
  const sdk = await import(join(dir, 'hey/sdk.gen.ts'))
  const { client } = await import(join(dir, 'hey/client.gen.ts'))
  client.setConfig({ baseUrl: server.url, auth: key })
  const answers = await Promise.all(
    operations.map(async ({ operationId, path, example: { params, body } }) => {
      const name = operationId.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
      const { response, data } = await sdk[name]({ ...params, body })
      return [path, response.status, data?.data !== undefined]
    }),
  )
  expect(answers).toEqual(operations.map(({ path }) => [path, 200, true]))
})

test('lists are accepted separated by commas and repeated', async () => {
  const rowsOf = async (query: string) => {
    const answer = await fetch(`${server.url}/v1/quotes?${query}`, { headers: { 'x-api-key': key } })
    return [answer.status, (await answer.json()).data?.map((row: { symbol: string }) => row.symbol)]
  }
  expect(await rowsOf('symbols=AAPL,MSFT')).toEqual([200, ['AAPL', 'MSFT']])
  expect(await rowsOf('symbols=AAPL&symbols=MSFT')).toEqual([200, ['AAPL', 'MSFT']])
  expect(await rowsOf('symbols=AAPL&symbols=MSFT&layout=objects&layout=objects')).toEqual([400, undefined])
})

test.each(['/v1/status', '/v1/usage', '/v1/symbols/AAPL'])('the dry run of %s is in its schema', async (path) => {
  const { paths, components } = JSON.parse(await readFile(join(dir, 'openapi.json'), 'utf8'))
  const documented = paths[path.replace('AAPL', '{symbol}')].get.responses[200].content['application/json'].schema
  const answer = await fetch(`${server.url}${path}?dry_run=true`, { headers: { 'x-api-key': key } })
  const { data } = await answer.json()
  expect(documented.properties.data.anyOf).toContainEqual({ $ref: '#/components/schemas/Estimate' })
  expect(Object.keys(data).sort()).toEqual([...components.schemas.Estimate.required].sort())
})
