import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newManifest } from './new-manifest.ts'
import { parseManifest, readManifest } from './read-manifest.ts'
import { secretProblem } from './request/credential.ts'
import { toolName } from './tool-name.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'finmeter-manifest-'))
})
afterAll(() => rm(folder, { recursive: true }))

const written = async (text: string): Promise<string> => {
  const path = join(folder, 'acme.yaml')
  await writeFile(path, text)
  return path
}

test('every problem is told with its line and key', async () => {
  const path = await written(`id: acme
kind: openapi
document: acme.json
base: http://api.acme.example
auth: { header: X-Api-Key, secret: sk-live-123 }
operations:
  getPrice: { name: Acme price }
  search:
    credits: 1
    mpc: true
`)
  const [first, ...problems] = String(
    ((await readManifest(path).catch((error: Error) => error)) as Error).message,
  ).split('\n')
  expect(first).toBe(`${path} is not an upstream manifest:`)
  expect(problems.map((line) => line.replace(`- ${path}:`, ''))).toEqual([
    '5: auth.secret: expected the name of an environment variable, such as ACME_KEY, or of a stored secret, such as stored:ACME_KEY',
    '7: operations.getPrice.name: expected lower case letters, digits and underscores',
    '10: operations.search.mpc is not a manifest key',
    '4: base: without TLS only hosts in private_hosts are asked; add api.acme.example there if it is in your own network',
  ])
})

test('broken YAML and a missing file are told', async () => {
  const path = await written('id: acme\nkind: [openapi\n')
  await expect(readManifest(path)).rejects.toThrow(`${path}:3: `)
  await expect(readManifest(join(folder, 'none.yaml'))).rejects.toThrow('There is no file')
})

const plain = { id: 'acme', kind: 'openapi', document: 'a.json', base: 'https://api.acme.example' }

test.each([
  [{ base: 'http://api.acme.example' }, 'base: without TLS only hosts in private_hosts are asked'],
  [{ base: 'https://user:pw@api.acme.example' }, 'base: expected an address without credentials, query or fragment'],
  [{ base: 'ftp://api.acme.example' }, 'base: expected an http or https address'],
  [{ id: 'Acme' }, 'id: expected lower case letters'],
  [{ defaults: { credits: { kib: 1 } } }, 'defaults.credits'],
  [
    { operations: { a: { credits: { rows: '/items', per: 1, credits: 1 } } } },
    'operations.a.credits: a price by rows needs most, which an answer without the array costs; or missing: 0, if that is free',
  ],
  [{ operations: { a: { credits: { rows: '/items', per: 1, credits: 1, missing: 1 } } } }, 'operations.a.credits'],
  [
    { defaults: { credits: { unit: { pointer: '/n' }, per: 1, credits: 1, most: 9, floor: 10 } } },
    'defaults.credits: floor must not be more than most, 9',
  ],
  [
    { operations: { a: { credits: { unit: { header: 'x-n' }, per: 1, credits: 1, most: 9, floor: 2 } } } },
    'operations.a.credits: floor is for a price at a pointer',
  ],
  [{ defaults: { credits: 1, error_texts: ['Error*'] } }, 'error_texts'],
  [{ auth: { header: 'X: y\r\n', secret: 'ACME_KEY' } }, 'auth.header: expected the name of a header'],
  [{ auth: { key: 'x' } }, 'auth: expected { header, secret }'],
  [{ defaults: { hold_seconds: 0 } }, 'defaults.hold_seconds'],
  [{ operations: { a: { hold_seconds: 3_601 } } }, 'operations.a.hold_seconds'],
  [{ operations: { a: { unsettled: 'keep' } } }, 'operations.a.unsettled'],
])('a manifest with %j is refused', (change, problem) => {
  expect(() => parseManifest({ ...plain, ...change })).toThrow(problem)
})

const tools = { id: 'acme', kind: 'mcp', base: 'https://mcp.acme.example/mcp', defaults: { credits: 1 } }
test.each([
  [{ operations: { a: { stream: true } } }, 'stream'],
  [{ defaults: { credits: 1, charge: ['2xx'] } }, 'charge'],
  [{ defaults: { credits: 1, publish: 'get' } }, 'publish'],
  [
    { operations: { a: { credits: { unit: { header: 'x-tokens' }, per: 1, credits: 1, most: 9 } } } },
    'operations.a.credits: results of MCP tools have no headers; use a pointer',
  ],
  [{ defaults: { credits: 1, error_texts: ['*'] } }, 'defaults.error_texts.0: expected a text of 3 to 200 characters'],
  [{ operations: { a: { error_texts: ['(a+)*$'] } } }, 'operations.a.error_texts.0: expected a text'],
  [{ base: 'http://mcp.acme.example/mcp' }, 'without TLS only hosts in private_hosts are asked'],
  [{ auth: { oauth: { token_url: 'x', client_id: 'a', secret: 'ACME_KEY' } } }, 'auth'],
])('a manifest of an MCP server with %j is refused', (change, problem) => {
  expect(parseManifest(tools)).toMatchObject({ stateful: false, defaults: { publish: 'all' } })
  expect(() => parseManifest({ ...tools, ...change })).toThrow(problem)
})

test('missing: 0 stands for the most, and both may be said', () => {
  const credits = { rows: '/items', per: 1, credits: 1, missing: 0 }
  for (const more of [{}, { most: 9 }])
    expect(parseManifest({ ...plain, defaults: { credits: { ...credits, ...more } } }).defaults.credits).toEqual({
      ...credits,
      ...more,
    })
})

test('a command line is a manifest; a literal private address is named by being written', () => {
  const line = { document: 'a.json', id: 'acme', price: '2' }
  expect(
    newManifest({ ...line, base: 'http://localhost:4000', auth: 'header:X-Key=env:ACME_KEY', operations: 'a,b' }),
  ).toMatchObject({
    private_hosts: ['localhost'],
    auth: { header: 'X-Key', secret: 'ACME_KEY' },
    defaults: { credits: 2, publish: 'named' },
    operations: { a: { publish: true }, b: { publish: true } },
  })
  expect(newManifest({ ...line, base: 'https://a.example', auth: 'bearer=stored:ACME_KEY' }).auth).toEqual({
    bearer: 'stored:ACME_KEY',
  })
  expect(newManifest({ id: 'acme', price: '2', base: 'https://mcp.acme.example/mcp' }).kind).toBe('mcp')
  expect(newManifest({ ...line, base: 'https://api.acme.example' }).private_hosts).toEqual([])
  for (const [option, problem] of [
    [{ auth: 'header:X-Key=sk-live-123' }, '--auth: expected header:X-Key=env:ACME_KEY'],
    [{ auth: 'bearer=stored:sk-live-123' }, '--auth: expected header:X-Key=env:ACME_KEY'],
    [{ price: '-1' }, '--price: expected a whole number of credits, not -1.'],
  ] as const)
    expect(() => newManifest({ ...line, base: 'https://a.example', ...option })).toThrow(problem)
})

test('settings of Finmeter are no credentials', () => {
  expect(secretProblem('KEYS_SECRET', { KEYS_SECRET: 'x' })).toBe(
    'KEYS_SECRET is a setting of Finmeter itself and is sent to nobody.',
  )
  expect(secretProblem('ACME_KEY', {})).toBe('The environment variable ACME_KEY is not set.')
  expect(secretProblem('ACME_KEY', { ACME_KEY: 'a\nb' })).toMatch('characters that no header can have')
  expect(secretProblem('ACME_KEY', { ACME_KEY: 'ab' })).toBeNull()
})

test.each([
  ['acme', 'getPrice', 'acme_get_price'],
  ['acme-eu', 'repos/list-commits', 'acme_eu_repos_list_commits'],
  ['acme', 'x'.repeat(80), `acme_${'x'.repeat(49)}`],
])('the tool of %s, %s', (id, operation, name) => {
  expect(toolName(id, operation).replace(/_[0-9a-f]{8}$/, '')).toBe(name)
  expect(toolName(id, operation).length).toBeLessThanOrEqual(63)
})
