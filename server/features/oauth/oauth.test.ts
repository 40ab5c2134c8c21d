import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { startSession } from '../../testing/session.ts'

const server = await closeAfterTests(startTestServer())
const person = await startSession(server)
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })

const REDIRECT = 'https://client.example/callback'
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const get = (path: string) => fetch(server.url + path, { redirect: 'manual' })

async function register(metadata: object = { client_name: 'Desk', redirect_uris: [REDIRECT] }) {
  const answer = await fetch(`${server.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  })
  return { status: answer.status, body: await answer.json() }
}
const clientId = async () => (await register()).body.client_id as string

const ask = (client: string, more: Record<string, string> = {}) =>
  get(
    `/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: REDIRECT,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'S',
      resource: `${server.url}/mcp`,
      ...more,
    })}`,
  )
const requestId = (answer: Response) => new URL(answer.headers.get('location')!).searchParams.get('request')!

async function codeFor(client: string, monthlyCredits: number | null = null) {
  const id = requestId(await ask(client))
  const { body } = await person.call('POST', `/api/oauth/requests/${id}/approve`, { body: { monthlyCredits } })
  return new URL(body.data.redirectTo).searchParams.get('code')!
}
async function token(form: Record<string, string>) {
  const answer = await fetch(`${server.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}
const redeem = (client: string, code: string, more: Record<string, string> = {}) =>
  token({
    grant_type: 'authorization_code',
    client_id: client,
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    ...more,
  })
const refresh = (client: string, refresh_token: string) =>
  token({ grant_type: 'refresh_token', client_id: client, refresh_token })
async function connected(monthlyCredits: number | null = null) {
  const client = await clientId()
  const { body } = await redeem(client, await codeFor(client, monthlyCredits))
  return { client, ...body } as { client: string; access_token: string; refresh_token: string }
}
async function mcp(bearer: string, name = 'add', args: object = { a: 1, b: 2 }) {
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

test('metadata name this server, its resource, S256, iss and client documents', async () => {
  const refused = await mcp('')
  const hint = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate')!)![1]!
  const resource = await (await fetch(hint)).json()
  expect(resource).toMatchObject({
    resource: `${server.url}/mcp`,
    authorization_servers: [server.url],
    scopes_supported: ['data:read'],
  })
  expect(await (await get('/.well-known/oauth-protected-resource')).json()).toEqual(resource)
  expect(await (await get('/.well-known/oauth-authorization-server')).json()).toMatchObject({
    issuer: server.url,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  })
})

test('from registration to a metered call; the grant is a key of its own, and deleting it ends the grant', async () => {
  const client = await clientId()
  const asked = await ask(client)
  expect(asked.headers.get('location')).toMatch(`${server.url}/connect?request=`)
  const id = requestId(asked)
  const shown = await person.call('GET', `/api/oauth/requests/${id}`)
  expect(shown.body.data.request).toEqual({
    clientName: 'Desk',
    clientHost: null,
    redirectHost: 'client.example',
    scopes: ['data:read'],
  })
  const approved = await person.call('POST', `/api/oauth/requests/${id}/approve`, { body: { monthlyCredits: 2 } })
  const back = new URL(approved.body.data.redirectTo)
  expect([back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([
    REDIRECT,
    'S',
    server.url,
  ])
  const answer = await redeem(client, back.searchParams.get('code')!)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'data:read' })

  const quote = (n: number) => mcp(answer.body.access_token, 'get_quote', { symbols: ['AAPL', 'MSFT'].slice(0, n) })
  expect((await quote(1)).body.result._meta['finmeter/credits-charged']).toBe(1)
  expect((await quote(1)).body.result.isError).toBeUndefined()
  expect((await quote(1)).body.result._meta['finmeter/error']).toBe('key_budget_exceeded')

  const keys = (await person.call('GET', '/api/keys')).body.data.apiKeys
  const own = keys.find((key: { name: string }) => key.name === 'Desk (connected app)')
  expect(own.unkey).toMatch(/^fm_.{5}\.\.\.$/)
  await person.call('DELETE', `/api/keys/${own.id}`)
  await expect.poll(async () => (await mcp(answer.body.access_token)).status).toBe(401)
  expect((await refresh(client, answer.body.refresh_token)).body.error).toBe('invalid_grant')
})

test('a refresh token is exchanged once; its second use ends the connection', async () => {
  const { client, refresh_token } = await connected()
  const second = await refresh(client, refresh_token)
  expect(second.status).toBe(200)
  expect((await mcp(second.body.access_token)).status).toBe(200)
  expect((await refresh(client, refresh_token)).body.error).toBe('invalid_grant')
  await expect.poll(async () => (await mcp(second.body.access_token)).status).toBe(401)
  expect((await refresh(client, second.body.refresh_token)).body.error).toBe('invalid_grant')
})

test('a code is exchanged once; its second use ends the connection', async () => {
  const client = await clientId()
  const code = await codeFor(client)
  const { body } = await redeem(client, code)
  expect((await redeem(client, code)).body.error).toBe('invalid_grant')
  await expect.poll(async () => (await mcp(body.access_token)).status).toBe(401)
})

describe('a code is worth nothing', () => {
  test.each([
    ['without the verifier', { code_verifier: '' }],
    ['with another verifier', { code_verifier: 'x'.repeat(43) }],
    ['with another redirect_uri', { redirect_uri: 'https://client.example/other' }],
    ['for another client', { client_id: 'client_other' }],
  ])('%s', async (_name, more) => {
    const client = await clientId()
    const { status, body } = await redeem(client, await codeFor(client), more)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
  })

  test('for another audience', async () => {
    const client = await clientId()
    const { body } = await redeem(client, await codeFor(client), { resource: 'https://other.example/mcp' })
    expect(body.error).toBe('invalid_target')
  })
})

test('a token of another audience, an expired one and a session token open nothing', async () => {
  const { access_token } = await connected()
  await server.db.pool.query(
    `update oauth_credentials set resource = 'https://other.example/mcp' where kind = 'access'`,
  )
  const answer = await mcp(access_token)
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('invalid_token'),
  ])
  await server.db.pool.query(
    `update oauth_credentials set resource = $1, expires_at = app_now() - interval '1 s' where kind = 'access'`,
    [`${server.url}/mcp`],
  )
  expect((await mcp(access_token)).status).toBe(401)
  expect((await mcp(person.token)).status).toBe(401)
})

test('a token is taken from the header only, and never for the REST API or the product API', async () => {
  const { access_token } = await connected()
  const url = await fetch(`${server.url}/mcp?apikey=${access_token}`, { method: 'POST', body: '{}' })
  expect([url.status, url.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="Finmeter API key"'])
  const authorization = `Bearer ${access_token}`
  expect((await fetch(`${server.url}/v1/quotes?symbols=AAPL`, { headers: { authorization } })).status).toBe(401)
  expect((await fetch(`${server.url}/api/keys`, { headers: { authorization } })).status).toBe(401)
})

test('an explicit key counts before the token', async () => {
  const { access_token } = await connected()
  const answer = await fetch(`${server.url}/mcp?apikey=fm_wrong`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  })
  expect(answer.status).toBe(401)
})

test('revocation ends the connection; an unknown token is no error', async () => {
  const { access_token } = await connected()
  const revoke = (value: string) =>
    fetch(`${server.url}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token: value }) })
  expect((await revoke('unknown')).status).toBe(200)
  expect((await revoke(access_token)).status).toBe(200)
  await expect.poll(async () => (await mcp(access_token)).status).toBe(401)
})

describe('authorize', () => {
  test.each([
    ['an unknown client', { client_id: 'nobody' }, 401],
    ['a redirect that was not registered', { redirect_uri: 'https://thief.example/' }, 400],
    ['a redirect below the registered one', { redirect_uri: `${REDIRECT}/more` }, 400],
    ['a script', { redirect_uri: 'javascript:alert(1)' }, 400],
  ])('answers nobody for %s', async (_name, more, status) => {
    const answer = await ask(await clientId(), more)
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null])
  })

  test.each([
    ['an unknown client', { client_id: 'nobody' }, 401, 'This client is not registered here. Register it again.'],
    ['a client document inside', { client_id: 'https://[::1]/<b>' }, 401, 'The client document cannot be used'],
    [
      'a redirect that was not registered',
      { redirect_uri: 'https://thief.example/' },
      400,
      'redirect_uri is not one that this client registered.',
    ],
    ['too long a state', { state: 'x'.repeat(2_001) }, 400, 'state can have at most 2000 characters.'],
  ])('shows a person a page and sends nobody anywhere: %s', async (_name, more, status, words) => {
    const asked = new URL((await ask(await clientId(), more)).url)
    const answer = await fetch(asked, { redirect: 'manual', headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null])
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await answer.text()
    expect(page).toContain('<h1>This app cannot be connected</h1>')
    expect(page).toContain(words)
    expect(page).not.toMatch(/thief|<b>|xxxx/)
  })

  test.each([
    ['response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['another audience', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['an unknown scope', { scope: 'admin' }, 'invalid_scope'],
  ])('answers the client: %s', async (_name, more, error) => {
    const location = new URL((await ask(await clientId(), more)).headers.get('location')!)
    expect([location.searchParams.get('error'), location.searchParams.get('state')]).toEqual([error, 'S'])
    expect(location.searchParams.get('iss')).toBe(server.url)
  })

  test('a program on this machine may come back on any port', async () => {
    const { body } = await register({ client_name: 'Local', redirect_uris: ['http://127.0.0.1/callback'] })
    const answer = await ask(body.client_id, { redirect_uri: 'http://127.0.0.1:53122/callback' })
    expect(answer.headers.get('location')).toContain('/connect?request=')
  })

  test('a client document is fetched through the guard: nothing inside is reached', async () => {
    for (const id of ['http://127.0.0.1:9/client', 'https://169.254.169.254/client', 'https://[::1]/client']) {
      const answer = await ask(id)
      expect([answer.status, (await answer.json()).error]).toEqual([401, 'invalid_client'])
    }
  })
})

test.each([
  [{ redirect_uris: ['javascript:alert(1)'] }],
  [{ redirect_uris: ['intent://scan/'] }],
  [{ redirect_uris: ['http://example.com/'] }],
  [{ redirect_uris: ['https://user:pass@example.com/'] }],
  [{ redirect_uris: ['https://example.com/#part'] }],
  [{ redirect_uris: [] }],
  [{}],
])('registration refuses %j', async (metadata) => {
  const { status, body } = await register(metadata)
  expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
})

test("a name cannot hide or reorder its letters, and a request is one person's to decide, once", async () => {
  const { body } = await register({ client_name: 'Fin\u202Emeter\u200B\n', redirect_uris: [REDIRECT] })
  expect(body.client_name).toBe('Finmeter')
  const id = requestId(await ask(body.client_id))
  const denied = await person.call('POST', `/api/oauth/requests/${id}/deny`)
  expect(new URL(denied.body.data.redirectTo).searchParams.get('error')).toBe('access_denied')
  const again = await person.call('POST', `/api/oauth/requests/${id}/approve`, { body: {} })
  expect([again.status, again.body.error]).toEqual([
    404,
    'This request was already decided or has expired. Start again from the client.',
  ])
  expect((await person.call('GET', '/api/oauth/requests/nonsense')).status).toBe(404)
})

describe('the token endpoint refuses', () => {
  const move = (interval: string, kind: string) =>
    server.db.pool.query(
      `update oauth_credentials set expires_at = app_now() + $1::interval where kind = $2 and used_at is null`,
      [interval, kind],
    )
  const refused = 'It is unknown, expired, revoked, or belongs to another client.'

  test('a code after its minute, which ends nothing else', async () => {
    const client = await clientId()
    const code = await codeFor(client)
    await move('-1 second', 'code')
    const { body } = await redeem(client, code)
    expect(body).toEqual({ error: 'invalid_grant', error_description: refused })
  })

  test('a refresh token after its month, of another client, and none', async () => {
    const { client, refresh_token } = await connected()
    const { body: another } = await register({ client_name: 'Another', redirect_uris: [REDIRECT] })
    expect((await refresh(another.client_id, refresh_token)).body.error).toBe('invalid_grant')
    const other = await connected()
    await move('-1 second', 'refresh')
    expect((await refresh(other.client, other.refresh_token)).body.error_description).toBe(refused)
    expect((await refresh(client, '')).body.error).toBe('invalid_grant')
  })

  test('an access token in the place of a refresh token, and the reverse', async () => {
    const { client, access_token, refresh_token } = await connected()
    expect((await refresh(client, access_token)).body.error).toBe('invalid_grant')
    expect((await mcp(refresh_token)).status).toBe(401)
  })

  test.each([
    ['password', 'unsupported_grant_type'],
    ['client_credentials', 'unsupported_grant_type'],
    ['', 'unsupported_grant_type'],
  ])('the grant type "%s"', async (grant_type, error) => {
    expect((await token({ grant_type, client_id: await clientId() })).body.error).toBe(error)
  })
})

test('a client that names no resource, or a scope more, gets what there is', async () => {
  const client = await clientId()
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'data:read offline_access',
  })
  const id = requestId(await get(`/oauth/authorize?${asked}`))
  const { body } = await person.call('POST', `/api/oauth/requests/${id}/approve`, { body: { monthlyCredits: null } })
  const answer = await redeem(client, new URL(body.data.redirectTo).searchParams.get('code')!)
  expect(answer.body.scope).toBe('data:read')
  expect((await mcp(answer.body.access_token)).status).toBe(200)
})

test('browser clients may read every answer, and nothing is kept', async () => {
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp']) {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  }
  const preflight = await fetch(`${server.url}/oauth/token`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  const refused = await token({ grant_type: 'x' })
  expect([refused.headers.get('access-control-allow-origin'), refused.headers.get('cache-control')]).toEqual([
    '*',
    'no-store',
  ])
})

test('a body that is too large, or no JSON, is refused in words', async () => {
  const send = (body: string) => fetch(`${server.url}/oauth/register`, { method: 'POST', body })
  expect((await send('x'.repeat(17_000))).status).toBe(413)
  expect((await (await send('{"')).json()).error).toBe('invalid_client_metadata')
})
