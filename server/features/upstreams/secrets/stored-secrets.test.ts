import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/harness.ts'
import { runCommand, runDoctor } from '../../../testing/run-admin.ts'
import { makeLoadTestAccount } from '../../operator/make-load-test-account.ts'
import { addVersion } from '../add-version.ts'
import { pause } from '../pause.ts'
import { prepareVersion } from '../prepare-version.ts'
import { publishVersion } from '../publish.ts'
import { parseManifest } from '../read-manifest.ts'
import { acmeDocument } from '../testing/acme-document.ts'
import { type Loopback, startLoopback } from '../testing/loopback.ts'
import { setSecret } from './set-secret.ts'
import { credentialEnv, readSealed } from './stored-secrets.ts'

const FIRST = 'sk-stored-first-0123456789'
const SECOND = 'sk-stored-second-9876543210'
const json = { 'content-type': 'application/json' }

let server: TestServer
let other: TestServer
let upstream: Loopback
let account: { accountId: string; key: string }
/** Everything that commands printed. */
let printed = ''

beforeAll(async () => {
  upstream = await startLoopback((_request, response) => response.writeHead(200, json).end('{"price":1.5}'))
  server = await startTestServer()
  other = await startTestServer({ databaseUrl: server.databaseUrl })
})
afterAll(async () => {
  upstream?.close()
  await other?.close()
  await server?.close()
})
beforeEach(async () => {
  account = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1_000_000)
})

const command = async (words: string[], input = '') => {
  const env = { NODE_ENV: 'test', DATABASE_URL: server.databaseUrl, KEYS_SECRET: 'ab'.repeat(32) }
  const ended = await runCommand('upstream', words, env, ({ stdin }) => stdin?.end(input))
  printed += ended.out + ended.err
  return ended
}
const store = (name: string, value: string) => setSecret(server.db.kysely, server.deps.secrets, name, value)
const add = async (id: string, secret: string) => {
  const { kysely } = server.db
  const manifest = parseManifest({
    id,
    kind: 'openapi',
    document: 'acme.json',
    base: upstream.url,
    auth: { header: 'X-Key', secret },
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 1 },
  })
  const env = credentialEnv(secret, process.env, await readSealed(kysely), server.deps.secrets)
  return addVersion(kysely, await prepareVersion(manifest, acmeDocument, env, server.deps.tools), false)
}
/** The credential that the upstream gets from a server. */
const sent = async (id: string, at = server) => {
  const seen = upstream.seen.length
  const headers = { authorization: `Bearer ${account.key}` }
  const response = await fetch(`${at.url}/v1/${id}/prices/ACME`, { headers })
  const text = await response.text()
  expect(text + JSON.stringify([...response.headers])).not.toContain('sk-stored')
  return upstream.seen.length > seen ? upstream.seen.at(-1)!.headers['x-key'] : response.status
}

test('a stored credential is sent to the upstream, every server takes over a new value, and no output has it', async () => {
  await expect(add('acme', 'stored:ACME_STORED')).rejects.toThrow(
    'The secret store has no ACME_STORED. Set it with: npm run upstream -- secret set ACME_STORED',
  )
  expect((await command(['secret', 'set', 'ACME_STORED'], `${FIRST}\n`)).out).toBe(
    'ACME_STORED is stored. Manifests name it as stored:ACME_STORED.\n',
  )
  await add('acme', 'stored:ACME_STORED')
  for (const one of [server, other]) await expect.poll(() => sent('acme', one)).toBe(FIRST)
  await store('ACME_STORED', SECOND)
  for (const one of [server, other]) await expect.poll(() => sent('acme', one)).toBe(SECOND)
  const date = String.raw`\d{4}-\d\d-\d\dT\S+Z`
  expect((await command(['secret', 'list'])).out).toMatch(
    new RegExp(`^ACME_STORED {2}stored ${date} {2}changed ${date} {2}used by acme\n$`),
  )
  expect((await command(['show', 'acme'])).out).toContain('secret: stored:ACME_STORED')
  await command(['list'])
  expect(printed).not.toContain('sk-stored')
  const { rows } = await server.db.pool.query(
    `select t::text as row from (select to_jsonb(u) as t from upstream_secrets u union all select to_jsonb(v) from upstream_versions v
       union all select to_jsonb(a) from audit_log a union all select to_jsonb(e) from usage_events e) all_rows`,
  )
  const kept = rows.map(({ row }) => row).join('\n')
  expect(kept).toContain('"action": "upstream_secret.set"')
  for (const value of [FIRST, SECOND]) {
    expect(kept).not.toContain(value)
    expect(kept).not.toContain(Buffer.from(value).toString('hex'))
  }
})

test('a value that the upstream repeats is discarded', async () => {
  await store('ACME_REPEATED', FIRST)
  await add('repeats', 'stored:ACME_REPEATED')
  const echo = await startLoopback((request, response) =>
    response.writeHead(200, json).end(JSON.stringify(request.headers)),
  )
  const { kysely } = server.db
  await kysely
    .updateTable('upstream_versions')
    .set({ manifest: JSON.stringify(manifestAt(echo.url)) })
    .where('upstream_id', '=', 'repeats')
    .execute()
  await publishVersion(kysely, 'repeats')
  await expect.poll(() => server.deps.tools.current().get('repeats_get_price')).toBeTruthy()
  await store('ACME_REPEATED', SECOND)
  await expect.poll(() => sent('repeats').then(() => echo.seen.at(-1)?.headers['x-key'])).toBe(SECOND)
  expect(await sent('repeats')).toBe(502)
  echo.close()
})

const manifestAt = (base: string) =>
  parseManifest({
    id: 'repeats',
    kind: 'openapi',
    document: 'acme.json',
    base,
    auth: { header: 'X-Key', secret: 'stored:ACME_REPEATED' },
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 1 },
  })

test('a row of another name, an altered one and a variable of the same name do not pass for a stored value', async () => {
  await store('ACME_OWN', FIRST)
  await store('ACME_OTHER', SECOND)
  await add('bound', 'stored:ACME_OWN')
  await expect.poll(() => sent('bound')).toBe(FIRST)
  await server.db.pool.query(
    `update upstream_secrets set secret = (select secret from upstream_secrets where name = 'ACME_OTHER'), revision = gen_random_uuid()
     where name = 'ACME_OWN'`,
  )
  await publishVersion(server.db.kysely, 'bound')
  await add('witness', 'stored:ACME_OTHER')
  await expect.poll(() => sent('witness')).toBe(SECOND)
  // What was opened before stays.
  expect(await sent('bound')).toBe(FIRST)
  const doctor = await runDoctor(server.databaseUrl, [])
  expect(doctor.out).toContain(
    'WRONG  upstream bound: The stored secret ACME_OWN cannot be opened. Set it again: npm run upstream -- secret set ACME_OWN',
  )
  expect(doctor.out).not.toContain('sk-stored')
  const sealed = await readSealed(server.db.kysely)
  const env = { 'stored:ACME_NONE': FIRST, ACME_NONE: FIRST }
  expect(credentialEnv('stored:ACME_NONE', env, sealed, server.deps.secrets)['stored:ACME_NONE']).toBe(undefined)
  await store('ACME_OWN', SECOND)
  await expect.poll(() => sent('bound')).toBe(SECOND)
})

test('a value is never an argument, and must fit a header', async () => {
  const argument = await command(['secret', 'set', 'ACME_KEY', FIRST])
  expect([argument.code, argument.err]).toEqual([1, expect.stringContaining('The value is never an argument')])
  expect(argument.err).not.toContain(FIRST)
  for (const [name, value, problem] of [
    ['ACME_KEY', '', 'The value is empty.'],
    ['ACME_KEY', 'sk-stored\nsecond line', 'The value has characters that no header can have.'],
    ['ACME_KEY', 'x'.repeat(8_001), 'The value has more than 8000 characters.'],
    ['acme', FIRST, 'acme is no name of a secret'],
  ] as const) {
    const refused: Error = await store(name, value).then(
      () => new Error('stored'),
      (error) => error,
    )
    expect(refused.message).toContain(problem)
    expect(refused.message).not.toContain('sk-stored')
  }
  expect((await command(['secret', 'list'])).out).not.toContain('ACME_KEY ')
})

test('one that is used is not removed, and one that is missing is named', async () => {
  await store('ACME_KEPT', FIRST)
  await add('keeper', 'stored:ACME_KEPT')
  const used = await command(['secret', 'remove', 'ACME_KEPT'])
  expect([used.code, used.err]).toEqual([
    1,
    'ACME_KEPT is used by keeper version 1. Publish a version without it first, or remove the upstream.\n',
  ])
  await pause(server.db.kysely, 'keeper')
  expect((await command(['secret', 'remove', 'ACME_KEPT'])).code).toBe(1)
  await add('keeper', 'ACME_VARIABLE')
  expect((await command(['secret', 'remove', 'ACME_KEPT'])).out).toBe('ACME_KEPT is removed.\n')
  expect((await command(['secret', 'remove', 'ACME_KEPT'])).err).toBe('The secret store has no ACME_KEPT.\n')
  await expect(publishVersion(server.db.kysely, 'keeper', 1)).rejects.toThrow(
    'keeper version 1 needs the stored secret ACME_KEPT. Set it first: npm run upstream -- secret set ACME_KEPT',
  )
  const { out, code } = await runDoctor(server.databaseUrl, [])
  expect(out).toContain('WRONG  upstream keeper: The environment variable ACME_VARIABLE is not set.')
  expect(code).toBe(1)
})

test('a version that was stored before answers without rows had a price is named', async () => {
  const prepared = await prepareVersion(
    { ...manifestAt(upstream.url), id: 'shapes' },
    acmeDocument,
    { 'stored:ACME_REPEATED': FIRST },
    server.deps.tools,
  )
  const { manifest } = prepared.version
  const operations = { search: { publish: true, credits: { rows: '/items', per: 1, credits: 1 } } }
  const version = { ...prepared.version, manifest: { ...manifest, operations } as typeof manifest }
  await addVersion(server.db.kysely, { ...prepared, version }, false)
  expect((await runDoctor(server.databaseUrl, [])).out).toContain(
    'WRONG  upstream shapes: version 1 charges one portion for an answer without the rows that it counts (operations.search.credits). Add most or missing: 0, and publish its manifest again',
  )
})

test('a version that was stored before path values were checked is named', async () => {
  await store('ACME_OLD', FIRST)
  await add('narrow', 'stored:ACME_OLD')
  const text = JSON.parse(acmeDocument)
  text.paths['/prices/all'] = { get: { operationId: 'all', responses: { 200: { description: 'ok' } } } }
  const manifest = { ...manifestAt(upstream.url), id: 'narrow' }
  const prepared = await prepareVersion(
    manifest,
    JSON.stringify(text),
    { 'stored:ACME_REPEATED': FIRST },
    server.deps.tools,
  )
  const named = 'WRONG  upstream narrow: version'
  await addVersion(server.db.kysely, prepared, false)
  expect((await runDoctor(server.databaseUrl, [])).out).not.toContain(named)
  const operations = prepared.version.operations.map(({ narrower: _, ...operation }) => operation)
  await addVersion(server.db.kysely, { ...prepared, version: { ...prepared.version, operations } }, false)
  expect((await runDoctor(server.databaseUrl, [])).out).toContain(
    `${named} 3 is of a release that did not check where path values lead. Publish its manifest again`,
  )
})
