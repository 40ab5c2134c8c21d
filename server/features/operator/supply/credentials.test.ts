import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { addVersion } from '../../upstreams/add-version.ts'
import { prepareVersion } from '../../upstreams/prepare-version.ts'
import { parseManifest } from '../../upstreams/read-manifest.ts'
import { acmeDocument } from '../../upstreams/testing/acme-document.ts'
import { type McpLoopback, priceTool, startMcpLoopback } from '../../upstreams/testing/mcp-loopback.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
let catcher: McpLoopback
let owner: TestOperator
beforeAll(async () => {
  process.env.MACHINE_TOKEN = 'only-for-this-machine'
  process.env.LET_TOKEN = 'let-by-the-machine'
  catcher = await startMcpLoopback([priceTool])
  owner = await openConsole(server, 'owner')
})
afterAll(() => catcher?.close())

const refusal =
  'auth: MACHINE_TOKEN is an environment variable of the server, which the console may not send anywhere. Store the credential and choose it here, or name MACHINE_TOKEN in UPSTREAM_VARIABLES.'
const text = { from: 'text', text: acmeDocument }
const mcp = (auth: object) => ({
  id: 'thief',
  kind: 'mcp',
  base: catcher.url,
  private_hosts: ['127.0.0.1'],
  defaults: { credits: 1 },
  auth,
})
const openapi = (auth: object, base = 'https://api.acme.example') => ({
  id: 'acme',
  kind: 'openapi',
  document: 'pasted.yaml',
  base,
  defaults: { credits: 1 },
  auth,
})
const check = (manifest: object, source: object = text, operator = owner) =>
  operator.call('POST', '/upstreams/check', { source, manifest })
const sent = () => JSON.stringify(catcher.seen)

test('an owner cannot have a variable of the server sent to an address of their choice', async () => {
  const server = { from: 'server' }
  for (const auth of [
    { bearer: 'MACHINE_TOKEN' },
    { header: 'X-Key', secret: 'MACHINE_TOKEN' },
    { oauth: { token_url: `${catcher.url}/token`, client_id: 'me', secret: 'MACHINE_TOKEN' } },
  ]) {
    const { status, body } = await check(mcp(auth), server)
    expect([status, body.error]).toEqual([400, refusal])
    const added = await owner.act('/upstreams', {
      source: server,
      manifest: mcp(auth),
      digest: 'a'.repeat(64),
      newest: null,
    })
    expect([added.status, added.body.error]).toEqual([400, refusal])
  }
  expect(sent()).not.toContain('only-for-this-machine')
  const { data } = (await check(openapi({ query: 'key', secret: 'MACHINE_TOKEN' }))).body
  expect(data.problems).toEqual([refusal])
  const added = await owner.act('/upstreams', {
    source: text,
    manifest: data.manifest,
    digest: data.digest,
    newest: null,
  })
  expect([added.status, added.body.error]).toEqual([400, refusal])
})

test('what the command line published can be published again, to the same place alone', async () => {
  const auth = { bearer: 'MACHINE_TOKEN' }
  const prepared = await prepareVersion(parseManifest(openapi(auth)), acmeDocument, process.env, server.deps.tools)
  await addVersion(server.db.kysely, prepared, false)
  expect((await check({ ...openapi(auth), defaults: { credits: 2 } })).body.data.problems).toEqual([])
  expect((await check(openapi(auth, 'https://elsewhere.example'))).body.data.problems).toEqual([refusal])
  expect((await check(openapi({ header: 'X-Key', secret: 'MACHINE_TOKEN' }))).body.data.problems).toEqual([refusal])
})

test('the machine can let variables by their names, and stored secrets are for everybody', async () => {
  const letting: TestServer = await closeAfterTests(
    startTestServer({ env: { SANDBOX: 'on', UPSTREAM_VARIABLES: 'LET_TOKEN, OTHER' } }),
  )
  const other = await openConsole(letting, 'owner')
  await other.act('/upstream-secrets', { name: 'ACME_KEY', value: 'sk-acme-0123456789' })
  const problemsOf = async (secret: string) =>
    (await check(openapi({ bearer: secret }), text, other)).body.data.problems
  expect(await problemsOf('LET_TOKEN')).toEqual([])
  expect(await problemsOf('stored:ACME_KEY')).toEqual([])
  expect(await problemsOf('MACHINE_TOKEN')).toEqual([refusal])
})
