import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/harness.ts'
import { type ServerProcess, startServerProcess } from '../../testing/process.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

const REDIRECT = 'https://client.example/callback'
const dir = temporaryFolder()
let documents: Server
let origin: string
let database: TestDatabase
let running: ServerProcess
let url: string
/** The product as a process, so that it trusts the documents' certificate by Node's own switch and by nothing of ours. */
const start = async (env: NodeJS.ProcessEnv) => {
  const port = await freePort()
  const server = startServerProcess({
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: database.url,
    KEYS_SECRET: 'ab'.repeat(32),
    SANDBOX: 'off',
    ...env,
  })
  await server.ready
  return { server, url: `http://localhost:${port}` }
}
beforeAll(async () => {
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2', '-nodes']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', ...subject]
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  documents = createServer({ key: await readFile(key), cert: await readFile(cert) }, ({ url: path }, response) => {
    const own = `${origin}${path}`
    const answers: Record<string, unknown> = {
      '/desk.json': { client_id: own, client_name: 'Desk', redirect_uris: [REDIRECT] },
      '/nameless.json': { client_id: own, redirect_uris: [REDIRECT] },
      '/other.json': { client_id: `${origin}/desk.json`, redirect_uris: [REDIRECT] },
      '/secret.json': { client_id: own, redirect_uris: [REDIRECT], token_endpoint_auth_method: 'client_secret_basic' },
      '/script.json': { client_id: own, redirect_uris: ['javascript:alert(1)'] },
      '/large.json': { client_id: own, redirect_uris: [REDIRECT], more: 'x'.repeat(70_000) },
    }
    if (path === '/moved.json') return response.writeHead(302, { location: '/desk.json' }).end()
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[path!] ?? []))
  })
  await new Promise<void>((done) => documents.listen(0, '127.0.0.1', done))
  origin = `https://localhost:${(documents.address() as AddressInfo).port}`
  database = await createTestDatabase()
  ;({ server: running, url } = await start({ PLAYGROUND_PRIVATE_NETWORKS: 'on', NODE_EXTRA_CA_CERTS: cert }))
})
afterAll(async () => {
  await running?.stop()
  documents?.close()
  await database?.drop()
})

const ask = (document: string, at = url, redirect = REDIRECT) =>
  fetch(
    `${at}/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: `${origin}/${document}`,
      redirect_uri: redirect,
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
      resource: `${at}/mcp`,
    })}`,
    { redirect: 'manual' },
  )

test('an https address that says who the client is leads to the consent page', async () => {
  for (const document of ['desk.json', 'nameless.json']) {
    const answer = await ask(document)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringContaining('/connect?request=')])
  }
  const { rows } = await database.db.pool.query('select client_id, client_name from oauth_requests order by 2')
  expect(rows).toEqual([
    { client_id: `${origin}/desk.json`, client_name: 'Desk' },
    { client_id: `${origin}/nameless.json`, client_name: 'localhost' },
  ])
})

test('a redirect that the document does not name is answered to nobody', async () => {
  const answer = await ask('desk.json', url, 'https://thief.example/')
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
})

test.each([
  ['other.json', 'it names another client_id.'],
  ['secret.json', 'it could not be fetched, or is not one.'],
  ['script.json', 'it could not be fetched, or is not one.'],
  ['large.json', 'it could not be fetched, or is not one.'],
  ['moved.json', 'it could not be fetched, or is not one.'],
  ['nothing.json', 'it could not be fetched, or is not one.'],
])('%s is refused', async (document, why) => {
  const answer = await ask(document)
  expect([answer.status, await answer.json()]).toEqual([
    401,
    { error: 'invalid_client', error_description: `The client document cannot be used: ${why}` },
  ])
})

test('with the guard closed the same document is out of reach', async () => {
  const closed = await start({ NODE_EXTRA_CA_CERTS: join(dir, 'cert.pem') })
  expect((await ask('desk.json', closed.url)).status).toBe(401)
  await closed.server.stop()
})
