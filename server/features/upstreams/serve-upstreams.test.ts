import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { createToolRegistry } from '../tools/registry.ts'
import { addVersion } from './add-version.ts'
import { prepareVersion } from './prepare-version.ts'
import { parseManifest } from './read-manifest.ts'
import { serveUpstreams } from './serve-upstreams.ts'
import { acmeDocument } from './testing/acme-document.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: 'https://acme.example',
    defaults: { credits: 1 },
  })
  await addVersion(server.db.kysely, await prepareVersion(manifest, acmeDocument, {}, server.deps.tools), false)
})
afterAll(() => server?.close())

test('a version that the database did not give is looked for again', async () => {
  const tools = await createToolRegistry([], server.db)
  const { kysely } = server.db
  // As while a database restarts: the list of versions is read, and the version is not.
  let failed = false
  const selectFrom = vi.fn((table: 'upstream_versions') => {
    if (failed || table !== 'upstream_versions') return kysely.selectFrom(table)
    failed = true
    throw new Error('the database is starting')
  })
  const db = { ...server.db, kysely: { selectFrom } as unknown as typeof kysely }
  const upstreams = await serveUpstreams({ ...server.deps, db, tools, env: {} })
  expect(tools.current().get('acme_search')).toBe(undefined)
  await expect.poll(() => tools.current().get('acme_search')).toBeTruthy()
  await upstreams.close()
})

test('a server starts when tools of upstreams cannot be numbered, and serves them once they can', async () => {
  const tools = await createToolRegistry([], server.db)
  const replace = vi.fn(tools.replace).mockRejectedValueOnce(new Error('the numbers are used up'))
  const upstreams = await serveUpstreams({ ...server.deps, tools: { ...tools, replace }, env: {} })
  expect(tools.current().get('acme_search')).toBe(undefined)
  await expect.poll(() => tools.current().get('acme_search')).toBeTruthy()
  await upstreams.close()
})
