import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { jsonInput } from '../../tools/json-input.ts'
import { chooseOperations } from '../choose-operations.ts'
import { parseManifest } from '../read-manifest.ts'
import { upstreamTools } from '../upstream-tools.ts'
import { parseDocument } from './load-document.ts'
import type { ReadDocument } from './operation.ts'
import { readOperations } from './read-operations.ts'
import { withDefs } from './references.ts'

// Descriptions that nobody here wrote.
const packages = join(import.meta.dirname, '../../../../node_modules')
const read = async (text: string): Promise<ReadDocument> => {
  const { document, warnings } = await parseDocument(text, 'a document')
  return readOperations(document, warnings, () => false)
}
const ofPackage = async (path: string) => read(await readFile(join(packages, path), 'utf8'))
const compile = ({ operations, schemas }: ReadDocument, id: string) => {
  const operation = operations.find((one) => one.id === id)!
  const input = jsonInput(withDefs(operation.input, schemas))
  input.check()
  return { operation, input }
}

const CURATED = [
  'repos/get',
  'repos/list-commits',
  'repos/get-commit',
  'repos/list-branches',
  'repos/list-contributors',
  'repos/list-languages',
  'repos/list-releases',
  'repos/get-latest-release',
  'repos/compare-commits-with-basehead',
  'issues/list-for-repo',
  'issues/get',
  'issues/create',
  'issues/list-comments',
  'pulls/list',
  'pulls/get',
  'users/get-by-username',
  'orgs/get',
  'search/repos',
  'search/code',
  'licenses/get-all-commonly-used',
]

test('GitHub: all of its operations, curated to 20', async () => {
  const packed = await readFile(join(import.meta.dirname, '../fixtures/api.github.com.json.br'))
  const github = await read(brotliDecompressSync(packed).toString('utf8'))
  expect([github.operations.length, github.skipped, github.warnings]).toEqual([1223, [], []])
  const manifest = parseManifest({
    id: 'github',
    kind: 'openapi',
    document: 'api.github.com.json',
    base: 'https://api.github.com',
    defaults: { credits: 1, publish: 'named' },
    operations: Object.fromEntries(CURATED.map((id) => [id, {}])),
  })
  const { operations, left } = chooseOperations(github.operations, github.skipped, manifest)
  expect(left).toHaveLength(1203)
  const tools = upstreamTools(
    { id: 'github', version: 1, manifest, operations, schemas: github.schemas },
    () => () => null,
  )
  expect(tools.map(({ name }) => name)).toContain('github_repos_compare_commits_with_basehead')
  const issues = tools.find(({ name }) => name === 'github_issues_list_for_repo')!
  expect(issues.rest).toMatchObject({ method: 'GET', path: '/v1/github/repos/{owner}/{repo}/issues' })
  for (const id of CURATED) compile(github, id)
  const { operation, input } = compile(github, 'issues/create')
  expect(operation.method).toBe('POST')
  expect(input.names).toEqual([
    'owner',
    'repo',
    'title',
    'body',
    'assignee',
    'milestone',
    'labels',
    'assignees',
    'issue_field_values',
    'type',
  ])
  expect(() => input.parse({ owner: 'a', repo: 'b', title: 'c', labels: ['x', { name: 'y' }] })).not.toThrow()
  expect(() => input.parse({ owner: 'a', repo: 'b', title: 'c', tittle: 'c' })).toThrow('tittle')
})

test('Okta, Swagger 2: form and body parameters, circular definitions', async () => {
  const okta = await ofPackage('@okta/openapi/dist/spec.yaml')
  expect(okta.operations).toHaveLength(338)
  expect(okta.skipped.map(({ operation }) => operation)).toEqual([
    'expirePassword',
    'expirePasswordAndGetTemporaryPassword',
  ])
  const { operation, input } = compile(okta, 'listUsers')
  expect(operation).toMatchObject({ method: 'GET', path: '/api/v1/users', accept: 'application/json' })
  expect(input.names).toEqual(['q', 'after', 'limit', 'filter', 'search', 'sortBy', 'sortOrder'])
  expect(() => input.parse({ limit: 'many' })).toThrow('limit')
  expect(compile(okta, 'createUser').input.names).toContain('profile')
})

test('Blockfrost, OpenAPI 3.0 in YAML with faults of its own: they are told, and prevent nothing', async () => {
  const blockfrost = await ofPackage('@blockfrost/openapi/openapi.yaml')
  expect([blockfrost.operations.length, blockfrost.warnings.length]).toEqual([127, 6])
  expect(blockfrost.skipped).toEqual([
    { operation: 'post_tx_submit', reason: 'its body is application/cbor' },
    { operation: 'post_utils_txs_evaluate', reason: 'its body is application/cbor' },
  ])
  const block = blockfrost.operations.find(({ path }) => path === '/blocks/{hash_or_number}')!
  const { input } = compile(blockfrost, block.id)
  expect(input.names).toEqual(['hash_or_number'])
  expect(block.response).toEqual({ $ref: '#/$defs/block_content' })
})

test('rclone, OpenAPI 3.1: commands by POST', async () => {
  const rclone = await ofPackage('rclone-openapi/openapi.yaml')
  expect([rclone.operations.length, rclone.skipped]).toEqual([101, []])
  expect(compile(rclone, 'operationsCleanup').operation).toMatchObject({ method: 'POST', path: '/operations/cleanup' })
})
