import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startTestServer } from '../../../testing/harness.ts'
import { startSession } from '../../../testing/session.ts'

// This installation plays the other server and is reached by its URL, so its sign-in is a real one.
const server = await closeAfterTests(
  startTestServer({ env: { PLAYGROUND_URLS: 'on', PLAYGROUND_PRIVATE_NETWORKS: 'on' } }),
)
const person = await startSession(server)
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })

const base = '/api/playground'
const connect = (name: string, body: object = { command: `${server.url}/mcp` }) =>
  person.call('POST', `${base}/servers/${name}/connect`, { body })
const signInUrl = async (name: string) =>
  new URL((await person.call('GET', `${base}/servers/${name}/sign-in`)).body.data.url)
const finish = (answer: object, who = person) => who.call('POST', `${base}/sign-in`, { body: answer })
const callAdd = (name: string) =>
  person.call('POST', `${base}/servers/${name}/tools/add/call`, { body: { arguments: { a: 2, b: 3 } } })

/** The person's steps at the other end: the consent page, and Allow. Returns the redirect. */
async function allow(url: URL): Promise<Record<string, string>> {
  const asked = await fetch(url, { redirect: 'manual' })
  const id = new URL(asked.headers.get('location')!).searchParams.get('request')!
  const { body } = await person.call('POST', `/api/oauth/requests/${id}/approve`, { body: { monthlyCredits: 5 } })
  return Object.fromEntries(new URL(body.data.redirectTo).searchParams)
}
async function signedIn(name: string): Promise<void> {
  await connect(name)
  expect((await finish(await allow(await signInUrl(name)))).status).toBe(200)
}

test('a server that requires sign-in: requested, approved, connected, called, nothing revealed', async () => {
  const refused = await connect('self')
  expect([refused.status, refused.body]).toEqual([
    403,
    { success: false, error: 'This server requires you to sign in there first.', code: 'sign_in_required' },
  ])
  const url = await signInUrl('self')
  expect(url.origin + url.pathname).toBe(`${server.url}/oauth/authorize`)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: `${server.url}/mcp`,
    redirect_uri: `${server.url}/dashboard/playground/signed-in`,
    scope: 'data:read',
  })
  const answer = await allow(url)
  expect(answer).toMatchObject({ iss: server.url, state: url.searchParams.get('state') })
  const done = await finish(answer)
  expect(done.body.data.server).toMatchObject({ name: 'self', connected: true, protocolVersion: '2026-07-28' })

  const { body } = await callAdd('self')
  expect(body.data.result.structuredContent).toEqual({ result: 5 })
  expect(JSON.stringify(body)).not.toMatch(/fm(at|rt|ac)_/)
  const { rows } = await server.db.pool.query('select kept from playground_sign_ins')
  expect(rows.map(({ kept }) => kept.toString('latin1')).join()).not.toMatch(/fm(at|rt)_|access_token/)
  // It is a grant like any other, with its own key and budget.
  const { apiKeys } = (await person.call('GET', '/api/keys')).body.data
  expect(apiKeys.map((key: { name: string }) => key.name)).toContain('Finmeter playground (connected app)')
})

test('the response is accepted once, from the person who started, and only from the server asked', async () => {
  await connect('once')
  const answer = await allow(await signInUrl('once'))
  const stranger = await startSession(server)
  const gone = [404, 'This sign-in has ended or expired. Connect again.']
  const theirs = await finish(answer, stranger)
  expect([theirs.status, theirs.body.error]).toEqual(gone)
  const forged = await finish({ ...answer, iss: 'https://thief.example' })
  expect(forged.status).toBe(502)
  expect(forged.body.error).toMatch(/^The sign-in at this server failed: /)
  const again = await finish(answer)
  expect([again.status, again.body.error]).toEqual(gone)
  expect((await callAdd('once')).status).toBe(404)
})

test('a sign-in expires; one that the person declines fails with a clear message', async () => {
  await connect('late')
  const late = await allow(await signInUrl('late'))
  await server.db.pool.query(`update playground_sign_ins set state_until = app_now() - interval '1 second'`)
  expect((await finish(late)).status).toBe(404)
  expect((await person.call('GET', `${base}/servers/late/sign-in`)).status).toBe(404)
  await connect('refused')
  const state = (await signInUrl('refused')).searchParams.get('state')
  const refused = await finish({ state, error: 'access_denied', iss: server.url })
  expect([refused.status, refused.body.error]).toEqual([502, expect.stringContaining('access_denied')])
})

test('an expired token is refreshed silently; after the grant ended, sign-in is required again', async () => {
  await signedIn('renewed')
  const key = `(select key_id from oauth_grants order by created_at desc limit 1)`
  const expire = `update oauth_credentials set expires_at = app_now() - interval '1 s' where kind = 'access'`
  await server.db.pool.query(`${expire}; select pg_notify('key_changed', '')`)
  // Until the server has heard of the end, a call still uses the old token.
  await expect
    .poll(async () => {
      const { body } = await callAdd('renewed')
      const { rows } = await server.db.pool.query(
        `select count(*)::int as used from oauth_credentials c join oauth_grants g on g.id = c.grant_id
         where g.key_id = ${key} and c.kind = 'refresh' and c.used_at is not null`,
      )
      return [body.data?.result.structuredContent, rows[0].used]
    })
    .toEqual([{ result: 5 }, 1])
  const { rows } = await server.db.pool.query(`select public_id from api_keys where id = ${key}`)
  await person.call('DELETE', `/api/keys/${rows[0].public_id}`)
  await expect.poll(async () => (await callAdd('renewed')).body.code).toBe('sign_in_required')
})

test('disconnecting deletes the credentials', async () => {
  await signedIn('left')
  await person.call('POST', `${base}/servers/left/disconnect`)
  const { rows } = await server.db.pool.query(`select 1 from playground_sign_ins where name = 'left'`)
  expect(rows).toEqual([])
  expect((await connect('left')).body.code).toBe('sign_in_required')
})

test('the client document names the playground, for servers that read it', async () => {
  expect(await (await fetch(`${server.url}/oauth/playground-client.json`)).json()).toMatchObject({
    client_id: `${server.url}/oauth/playground-client.json`,
    redirect_uris: [`${server.url}/dashboard/playground/signed-in`],
    token_endpoint_auth_method: 'none',
  })
})

describe('a hostile server', () => {
  let hostile: Server
  let other: Server
  let origin: string
  let elsewhere: string
  let authorize: string
  const heard: { path: string; headers: IncomingHttpHeaders }[] = []
  const listen = (handler: Parameters<typeof createServer>[1]) =>
    new Promise<[Server, string]>((done) => {
      const made = createServer(handler).listen(0, '127.0.0.1', () =>
        done([made, `http://127.0.0.1:${(made.address() as AddressInfo).port}`]),
      )
    })
  beforeAll(async () => {
    ;[other, elsewhere] = await listen((request, response) => {
      heard.push({ path: `elsewhere${request.url}`, headers: request.headers })
      const answers: Record<string, unknown> = {
        '/.well-known/oauth-authorization-server': {
          issuer: elsewhere,
          authorization_endpoint: authorize,
          token_endpoint: `${elsewhere}/token`,
          registration_endpoint: `${elsewhere}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        },
        '/register': { client_id: 'x', redirect_uris: [`${server.url}/dashboard/playground/signed-in`] },
      }
      const answer = answers[request.url!]
      response
        .writeHead(answer ? (request.url === '/register' ? 201 : 200) : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer ?? {}))
    })
    ;[hostile, origin] = await listen((request, response) => {
      heard.push({ path: request.url!, headers: request.headers })
      if (request.url === '/.well-known/oauth-protected-resource/mcp')
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [elsewhere] }))
      return response
        .writeHead(401, {
          'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
        })
        .end()
    })
  })
  afterAll(() => {
    hostile?.close()
    other?.close()
  })

  test.each(['javascript:alert(1)', 'data:text/html,<script>', 'vscode://evil'])(
    'cannot have the person open %s',
    async (address) => {
      authorize = address
      const { status, body } = await connect('hostile', { command: `${origin}/mcp` })
      expect([status, body.code]).toEqual([502, 'upstream_failed'])
      expect((await person.call('GET', `${base}/servers/hostile/sign-in`)).status).toBe(404)
    },
  )

  test('gets its configured headers, at its own URL only', async () => {
    authorize = `${elsewhere}/authorize`
    heard.length = 0
    const headers = { 'X-Secret': 'only-for-it' }
    expect((await connect('headers', { command: `${origin}/mcp`, headers })).body.code).toBe('sign_in_required')
    const paths = (found: boolean) =>
      heard.filter(({ headers: sent }) => (sent['x-secret'] === 'only-for-it') === found).map(({ path }) => path)
    expect(new Set(paths(true))).toEqual(new Set(['/mcp']))
    expect(paths(false)).toContain('elsewhere/register')
    expect(heard.some(({ headers: sent }) => JSON.stringify(sent).includes(person.token))).toBe(false)
  })

  test('wrong headers are refused', async () => {
    for (const headers of [{ 'a b': 'x' }, { a: 'x\r\ny: z' }, { a: '' }])
      expect((await connect('wrong', { command: `${origin}/mcp`, headers })).status).toBe(400)
  })
})
