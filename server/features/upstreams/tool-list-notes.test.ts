import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'
import { addVersion } from './add-version.ts'
import { prepareVersion } from './prepare-version.ts'
import { parseManifest } from './read-manifest.ts'
import { removeUpstream } from './remove.ts'

let server: TestServer
let key: string
beforeAll(async () => {
  server = await startTestServer()
  key = (await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 100)).key
})
afterAll(() => server?.close())

const github = brotliDecompressSync(
  readFileSync(join(import.meta.dirname, 'fixtures/api.github.com.json.br')),
).toString()

async function prepare(count: number) {
  const paths = Object.values(
    (JSON.parse(github) as { paths: Record<string, { get?: { operationId: string } }> }).paths,
  )
  const ids = paths.flatMap(({ get }) => (get ? [get.operationId] : [])).slice(0, count)
  const manifest = parseManifest({
    id: 'github',
    kind: 'openapi',
    document: 'github.json',
    base: 'https://api.github.com',
    defaults: { publish: 'named' },
    operations: Object.fromEntries(ids.map((id) => [id, { credits: 1, mcp: true }])),
  })
  return prepareVersion(manifest, github, {}, server.deps.tools)
}

/** The list that an MCP client gets, and what the tokenizer of current models (o200k) counts in it. */
async function listed(query: string) {
  const answer = await fetch(`${server.url}/mcp${query}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })
  const { result } = (await answer.json()) as { result?: { tools: { name: string }[] } }
  return {
    names: result?.tools.map(({ name }) => name) ?? [],
    tokens: encode(JSON.stringify(result?.tools ?? [])).length,
  }
}

test('40 operations of GitHub over MCP: publishing names sets, and the list of each has fewer than 6,000 tokens', async () => {
  const prepared = await prepare(40)
  expect(prepared.notes.join('\n')).toContain('6,000')
  const sets = [...prepared.notes.join('\n').matchAll(/^\/mcp(\?tools=\S+)$/gm)].map(([, query]) => query!)
  await addVersion(server.db.kysely, prepared, false)
  await expect.poll(async () => (await listed('?tools=github')).names.length).toBe(40)
  expect((await listed('?tools=github')).tokens).toBeGreaterThan(6_000)
  const lists = await Promise.all(sets.map(listed))
  for (const { tokens } of lists) expect(tokens).toBeLessThan(6_000)
  expect(lists.flatMap(({ names }) => names)).toHaveLength(40)
  await removeUpstream(server.db.kysely, 'github')
})

test('a short list needs no sets', async () => {
  expect((await prepare(5)).notes).toEqual([])
})
