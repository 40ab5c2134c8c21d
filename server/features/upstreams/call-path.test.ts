import { readFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'
import { addVersion } from './add-version.ts'
import { prepareVersion } from './prepare-version.ts'
import { parseManifest } from './read-manifest.ts'
import { acmeDocument } from './testing/acme-document.ts'
import { type Loopback, startLoopback } from './testing/loopback.ts'

const root = join(import.meta.dirname, '../../..')
/** What serves every request, and what commits every batch, are followed elsewhere: of the meter, its door counts. */
const ELSEWHERE = /^server\/(app\.ts|http\/|db\/|json-schema\/|features\/metering\/(?!create-meter))/

let server: TestServer
let upstream: Loopback
let key: string

beforeAll(async () => {
  process.env.ACME_KEY = 'sk-acme-0123456789'
  upstream = await startLoopback((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":1.5}'),
  )
  server = await startTestServer()
  key = (await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1000)).key
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: `${upstream.url}/v2`,
    auth: { header: 'X-Key', secret: 'env:ACME_KEY' },
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 1 },
  })
  const version = await prepareVersion(manifest, acmeDocument, process.env, server.deps.tools)
  await addVersion(server.db.kysely, version, false)
})
afterAll(async () => {
  delete process.env.ACME_KEY
  upstream?.close()
  await server?.close()
})

async function call(): Promise<[status: number, charged: string | null]> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${server.url}/v1/acme/prices/ACME?days=5`, { headers })
  await response.text()
  return [response.status, response.headers.get('x-credits-charged')]
}

async function ranIn(session: Session, coverage: Profiler.ScriptCoverage[]): Promise<string[]> {
  const files: string[] = []
  for (const { url, scriptId, functions } of coverage) {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : ''
    if (!file.startsWith('server/') || /\.test\.ts$|\/testing\//.test(file) || ELSEWHERE.test(file)) continue
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
    const ran = functions.map(({ ranges }) => ranges[0]!).filter(({ count }) => count > 0)
    // Vitest reads imported constants with a function of its own.
    if (ran.some(({ startOffset }) => !scriptSource.startsWith('() => { try { return', startOffset))) files.push(file)
  }
  return files
}

/** The files of the product of which a function ran each time that `work` was done. What ran only once belonged to a timer. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Debugger.enable')
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const times: Set<string>[] = []
    for (let time = 0; time < 5; time++) {
      await session.post('Profiler.takePreciseCoverage')
      await work()
      const { result } = await session.post('Profiler.takePreciseCoverage')
      times.push(new Set(await ranIn(session, result)))
    }
    const [first, ...rest] = times
    return [...first!].filter((file) => rest.every((one) => one.has(file))).sort()
  } finally {
    session.disconnect()
  }
}

test('a metered call of an upstream crosses 22 files in 6 rooms, and the architecture lists these and no others', async () => {
  // The first calls also read what later ones remember: the key, the names of the account, the compiled input.
  await expect.poll(() => call()).toEqual([200, '1'])
  await call()
  const files = await filesOf(async () => expect(await call()).toEqual([200, '1']))
  expect(files).toEqual([
    'server/features/data-api/answer-body.ts',
    'server/features/data-api/answer-headers.ts',
    'server/features/data-api/rest-input.ts',
    'server/features/data-api/rest-routes.ts',
    'server/features/keys/credentials.ts',
    'server/features/keys/key-format.ts',
    'server/features/keys/last-use.ts',
    'server/features/keys/verify.ts',
    'server/features/metering/create-meter.ts',
    'server/features/tools/execute.ts',
    'server/features/tools/json-input.ts',
    'server/features/tools/prepare.ts',
    'server/features/tools/price.ts',
    'server/features/tools/run-tool.ts',
    'server/features/tools/settle.ts',
    'server/features/upstreams/request/build-request.ts',
    'server/features/upstreams/request/call-upstream.ts',
    'server/features/upstreams/request/compare-answer.ts',
    'server/features/upstreams/request/read-answer.ts',
    'server/features/upstreams/request/secret-search.ts',
    'server/features/upstreams/request/upstream-client.ts',
    'server/raw-lane.ts',
  ])
  expect(new Set(files.map((file) => dirname(file))).size).toBe(6)
  const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const steps = architecture
    .split('## The path of a call to an upstream')[1]!
    .split('\nOther calls take more files.')[0]!
  const listed = new Set(steps.slice(steps.indexOf('\n1. ')).match(/server\/[\w/.-]+\.ts/g))
  expect([...listed].filter((file) => !ELSEWHERE.test(file)).sort()).toEqual(files)
})
