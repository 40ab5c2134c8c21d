import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'
import { addVersion } from '../upstreams/add-version.ts'
import { prepareVersion } from '../upstreams/prepare-version.ts'
import { parseManifest } from '../upstreams/read-manifest.ts'
import { type Loopback, startLoopback } from '../upstreams/testing/loopback.ts'
import { makeServiceKey } from './make-service-key.ts'

const found = { responses: { 200: { description: 'ok' } } }
const id = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
const description = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Acme', version: '1' },
  paths: {
    '/items/{id}': { get: { operationId: 'one', parameters: id, ...found } },
    '/items/all': { get: { operationId: 'all', ...found } },
    '/items/{id}.json': { get: { operationId: 'json', parameters: id, ...found } },
    '/items/all.json': { get: { operationId: 'allJson', ...found } },
    '/items/secret': { get: { operationId: 'secret', ...found } },
  },
})

let server: TestServer
let upstream: Loopback
let key: string
let serviceKey: string
beforeAll(async () => {
  upstream = await startLoopback((_request, response) => response.writeHead(200).end('ok'))
  server = await startTestServer()
  const { kysely } = server.db
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    operations: {
      one: { credits: 1 },
      all: { credits: 2 },
      json: { credits: 3 },
      allJson: { credits: 4 },
      secret: { publish: false },
    },
  })
  await addVersion(kysely, await prepareVersion(manifest, description, {}, server.deps.tools), false)
  key = (await makeLoadTestAccount(kysely, server.deps.secrets, 1_000)).key
  serviceKey = (await makeServiceKey(kysely, null)).value
  await vi.waitUntil(() => server.deps.tools.current().get('acme_one'), { timeout: 120_000 })
})
afterAll(async () => {
  upstream?.close()
  await server?.close()
})

const charged = ({ status, headers }: Response) => (status === 200 ? Number(headers.get('x-credits-charged')) : status)
const atGateway = async (path: string) =>
  charged(
    await fetch(`${server.url}/v1/meter/auth?gateway=caddy`, {
      headers: {
        authorization: `Bearer ${key}`,
        'finmeter-service-key': serviceKey,
        'x-forwarded-method': 'GET',
        'x-forwarded-uri': path,
      },
    }),
  )
const overRest = async (path: string) =>
  charged(await fetch(`${server.url}/v1/acme${path}`, { headers: { authorization: `Bearer ${key}` } }))

test.each([
  ['/items/7', 1, 1],
  ['/items/all', 2, 2],
  ['/items/7.json', 3, 3],
  ['/items/all.json', 4, 4],
  // Not published, and no value of {id}: it would be another operation than the one that is charged.
  ['/items/secret', 404, 400],
  ['/items/SECRET', 404, 400],
  ['/items/%73ecret', 404, 400],
])('%s is the operation of that price at a gateway, and over REST', async (path, gateway, rest) => {
  const seen = upstream.seen.length
  expect([await atGateway(path), await overRest(path)]).toEqual([gateway, rest])
  expect(upstream.seen.length - seen).toBe(rest === 400 ? 0 : 1)
})
