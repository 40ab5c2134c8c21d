import * as oauth from 'oauth4webapi'
import { expect, test } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startTestServer } from '../../../testing/harness.ts'
import { call, joinWorkspace, startSession, type TestSession } from '../../../testing/session.ts'

const server = await closeAfterTests(startTestServer())
const person = await startSession(server)
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })

const ALL = 'data:read account:read keys:write'
const insecure = { [oauth.allowInsecureRequests]: true }
const cli: oauth.Client = { client_id: 'finmeter-cli' }

async function post(path: string, form: Record<string, string>) {
  const answer = await fetch(server.url + path, { method: 'POST', body: new URLSearchParams(form) })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}
const begin = async (scope = ALL) =>
  (await post('/oauth/device_authorization', { client_id: 'finmeter-cli', scope })).body as {
    device_code: string
    user_code: string
  }
const poll = (device_code: string, client_id = 'finmeter-cli') =>
  post('/oauth/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, client_id })
const later = (seconds: number) =>
  server.db.pool.query('update oauth_device_requests set polled_at = polled_at - make_interval(secs => $1)', [seconds])
const expire = () =>
  server.db.pool.query("update oauth_device_requests set expires_at = app_now() - interval '1 second'")
const decide = (verb: string, code: string, by = person, body: object = {}) =>
  by.call('POST', `/api/oauth/device/${verb}`, { body: { code, ...body } })

async function signedIn(scope = ALL): Promise<string> {
  const { device_code, user_code } = await begin(scope)
  await decide('approve', user_code)
  return (await poll(device_code)).body.access_token
}
const as = (token: string, method: string, path: string, body?: object) =>
  call(server, method, path, { headers: { authorization: `Bearer ${token}` }, ...(body && { body }) })

test('an outside client finds the endpoint, shows the code, waits, and gets tokens that work', async () => {
  const issuer = new URL(server.url)
  const as = await oauth
    .discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
    .then((response) => oauth.processDiscoveryResponse(issuer, response))
  const shown = await oauth.processDeviceAuthorizationResponse(
    as,
    cli,
    await oauth.deviceAuthorizationRequest(as, cli, oauth.None(), { scope: ALL }, insecure),
  )
  expect(shown).toMatchObject({ verification_uri: `${server.url}/device`, expires_in: 600, interval: 5 })
  expect(shown.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  expect(shown.verification_uri_complete).toBe(`${server.url}/device?code=${shown.user_code}`)
  const ask = async () =>
    oauth.processDeviceCodeResponse(
      as,
      cli,
      await oauth.deviceCodeGrantRequest(as, cli, oauth.None(), shown.device_code, insecure),
    )
  const early = await ask().catch((error: oauth.ResponseBodyError) => error)
  expect(early).toMatchObject({ error: 'authorization_pending' })

  const found = await decide('find', ` ${shown.user_code.toLowerCase()} `)
  expect(found.body.data.request).toEqual({
    clientName: 'Finmeter command line',
    address: '127.0.0.1',
    requestedAt: expect.stringMatching(/Z$/),
    scopes: ['data:read', 'account:read', 'keys:write'],
  })
  const approved = await decide('approve', shown.user_code, person, { monthlyCredits: 2 })
  expect([approved.status, approved.body.data]).toEqual([200, { approved: true }])
  const tokens = await ask()
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'data:read account:read' })

  const authorization = `Bearer ${tokens.access_token}`
  const quote = () => fetch(`${server.url}/v1/quotes?symbols=AAPL`, { headers: { authorization } })
  expect((await quote()).headers.get('x-credits-charged')).toBe('1')
  const listed = await call(server, 'POST', '/mcp', {
    headers: { authorization },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_quote', arguments: { symbols: ['AAPL'] } },
    },
  })
  expect(listed.body.result._meta['finmeter/credits-charged']).toBe(1)
  expect((await (await quote()).json()).code).toBe('key_budget_exceeded')

  const renewed = await oauth.processRefreshTokenResponse(
    as,
    cli,
    await oauth.refreshTokenGrantRequest(as, cli, oauth.None(), tokens.refresh_token!, insecure),
  )
  const profile = await call(server, 'GET', '/api/auth/profile', {
    headers: { authorization: `Bearer ${renewed.access_token}` },
  })
  expect(profile.body.data.user.email).toBe(person.email)
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, cli, oauth.None(), renewed.access_token, insecure),
  )
  await expect.poll(async () => (await quote()).status).toBe(401)
})

test('a program that polls too fast is told to slow down, each time by five seconds more', async () => {
  const { device_code } = await begin()
  expect((await poll(device_code)).body.error).toBe('authorization_pending')
  expect((await poll(device_code)).body.error).toBe('slow_down')
  await later(6)
  expect((await poll(device_code)).body.error).toBe('slow_down')
  await later(16)
  expect((await poll(device_code)).body).toEqual({
    error: 'authorization_pending',
    error_description: 'Nobody has answered the request yet.',
  })
})

test('a denied request ends, and its code with it', async () => {
  const { device_code, user_code } = await begin()
  expect((await decide('deny', user_code)).body.data).toEqual({ denied: true })
  expect((await poll(device_code)).body.error).toBe('access_denied')
  for (const verb of ['find', 'approve', 'deny']) {
    const { status, body } = await decide(verb, user_code)
    expect([status, body.error]).toEqual([404, 'This code was already used. Start again from the program.'])
  }
})

test('after ten minutes the code is worth nothing', async () => {
  const { device_code, user_code } = await begin()
  await expire()
  expect((await poll(device_code)).body.error).toBe('expired_token')
  for (const verb of ['find', 'approve', 'deny']) {
    const { status, body } = await decide(verb, user_code)
    expect([status, body.error]).toEqual([404, 'This code has expired. Start again from the program.'])
  }
})

test('tokens are given out once, to the client that asked', async () => {
  const { device_code, user_code } = await begin()
  await decide('approve', user_code)
  expect((await poll(device_code, 'client_other')).body.error).toBe('invalid_grant')
  expect((await poll(device_code)).status).toBe(200)
  expect((await poll(device_code)).body.error).toBe('invalid_grant')
  expect((await poll('fmdc_unknown')).body.error).toBe('invalid_grant')
})

test('a connection that was ended before the first poll gives no tokens', async () => {
  const { device_code, user_code } = await begin()
  await decide('approve', user_code)
  await server.db.pool.query(
    `update api_keys set deleted_at = app_now() where id = (select key_id from oauth_grants g
       join oauth_device_requests d on d.grant_id = g.id where d.user_code = $1)`,
    [user_code.replace('-', '')],
  )
  expect((await poll(device_code)).body.error).toBe('access_denied')
})

test.each([
  ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
  ['no client', {}, 401, 'invalid_client'],
  ['an unknown scope', { client_id: 'finmeter-cli', scope: 'data:read admin' }, 400, 'invalid_scope'],
  ['another audience', { client_id: 'finmeter-cli', resource: 'https://other.example' }, 400, 'invalid_target'],
])('the endpoint refuses %s', async (_name, form, status, error) => {
  const answer = await post('/oauth/device_authorization', form as Record<string, string>)
  expect([answer.status, answer.body.error]).toEqual([status, error])
})

test('a client that registered itself cannot show a code under its own name', async () => {
  const registered = await call(server, 'POST', '/oauth/register', {
    body: { client_name: 'Your bank', redirect_uris: ['https://client.example/callback'] },
  })
  const answer = await post('/oauth/device_authorization', { client_id: registered.body.client_id })
  expect([answer.status, answer.body.error]).toEqual([400, 'unauthorized_client'])
})

test('a wrong code, one of wrong form, a member, and a stranger are refused', async () => {
  const wrong = await decide('find', 'BBBB-BBBB')
  expect([wrong.status, wrong.body.error]).toEqual([404, 'No program is waiting with this code. Check the letters.'])
  expect((await decide('approve', '')).status).toBe(404)
  expect((await decide('find', 'B'.repeat(41))).body.code).toBe('invalid_parameter')
  const { user_code } = await begin()
  const member = await startSession(server)
  const workspace = await joinWorkspace(server, person, member, 'member')
  const refused = await member.call('POST', '/api/oauth/device/approve', {
    body: { code: user_code },
    headers: { 'x-workspace-id': workspace },
  })
  expect(refused.status).toBe(403)
  expect((await call(server, 'POST', '/api/oauth/device/find', { body: { code: user_code } })).status).toBe(401)
})

test('codes cannot be guessed: right and wrong ones count', async () => {
  const guesser = await startSession(server)
  const statuses: number[] = []
  for (let n = 0; n < 31; n++) statuses.push((await decide(n % 2 ? 'approve' : 'find', 'BBBB-BBBB', guesser)).status)
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(404))
  expect(statuses[30]).toBe(429)
})

test('a token opens what its scopes name, of its own workspace, and shows no existing key', async () => {
  const token = await signedIn()
  const made = await as(token, 'POST', '/api/keys', { name: 'From the terminal' })
  expect([made.status, made.body.data.apiKey.unkey]).toEqual([201, expect.stringMatching(/^fm_\w{20,}/)])
  const listed = (await as(token, 'GET', '/api/keys')).body.data.apiKeys as {
    id: string
    name: string
    unkey: string
  }[]
  expect(listed.find(({ name }) => name === 'From the terminal')?.unkey).toMatch(/^fm_.{5}\.\.\.$/)
  expect(listed.filter(({ unkey }) => !unkey.endsWith('...'))).toEqual([])
  expect((await as(token, 'DELETE', `/api/keys/${made.body.data.apiKey.id}`)).status).toBe(200)
  expect((await as(token, 'GET', '/api/billing/credits')).body.data.credits.unlimited).toBe(false)
  expect((await as(token, 'GET', '/api/usage?range=7d')).status).toBe(200)
  const other = await startSession(server)
  const stranger = await as(await signedIn(), 'DELETE', `/api/keys/${await keyOf(other)}`)
  expect(stranger.status).toBe(404)
  const workspace = (await other.call('GET', '/api/auth/profile')).body.data.workspace.id
  const elsewhere = await call(server, 'GET', '/api/keys', {
    headers: { authorization: `Bearer ${token}`, 'x-workspace-id': workspace },
  })
  expect(elsewhere.status).toBe(404)
})

async function keyOf(other: TestSession): Promise<string> {
  await other.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  return (await other.call('POST', '/api/keys', { body: { name: 'Theirs' } })).body.data.apiKey.id
}

test('a program with a monthly limit cannot create keys, which would have none', async () => {
  const { device_code, user_code } = await begin()
  await decide('approve', user_code, person, { monthlyCredits: 5 })
  const { access_token, refresh_token, scope } = (await poll(device_code)).body
  expect(scope).toBe('data:read account:read')
  const create = async (token: string) => (await as(token, 'POST', '/api/keys', { name: 'No limit' })).body.code
  expect(await create(access_token)).toBe('forbidden')
  const form = { grant_type: 'refresh_token', refresh_token, client_id: 'finmeter-cli' }
  const renewed = (await post('/oauth/token', form)).body
  expect([renewed.scope, await create(renewed.access_token)]).toEqual(['data:read account:read', 'forbidden'])
  expect((await as(renewed.access_token, 'GET', '/api/keys')).status).toBe(200)

  const keysOnly = await begin('keys:write')
  const refused = await decide('approve', keysOnly.user_code, person, { monthlyCredits: 0 })
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter'])
  expect((await decide('approve', keysOnly.user_code)).status).toBe(200)
})

test('a token opens nothing else', async () => {
  const all = await signedIn()
  for (const [method, path] of [
    ['GET', '/api/team'],
    ['GET', '/api/audit'],
    ['POST', '/api/account/deletion'],
    ['POST', '/api/oauth/device/find'],
  ] as const)
    expect([path, (await as(all, method, path, method === 'POST' ? {} : undefined)).status]).toEqual([path, 403])
  const data = await signedIn('data:read')
  expect((await as(data, 'GET', '/api/keys')).body).toMatchObject({ code: 'forbidden' })
  const account = await signedIn('account:read')
  expect((await as(account, 'POST', '/api/keys', { name: 'No' })).status).toBe(403)
  expect((await as(account, 'GET', '/v1/quotes?symbols=AAPL')).status).toBe(401)
  expect((await as('fmat_unknown', 'GET', '/api/keys')).status).toBe(401)
})

test('when the person no longer manages the workspace, the token opens nothing', async () => {
  const owner = await startSession(server)
  const admin = await startSession(server)
  const workspace = await joinWorkspace(server, owner, admin, 'admin')
  const { device_code, user_code } = await begin()
  await admin.call('POST', '/api/oauth/device/approve', {
    body: { code: user_code },
    headers: { 'x-workspace-id': workspace },
  })
  const token = (await poll(device_code)).body.access_token
  expect((await as(token, 'GET', '/api/auth/profile')).body.data.workspace.id).toBe(workspace)
  await server.db.pool.query(
    `update account_members set role = 'member' where user_id = $1
       and account_id = (select id from accounts where public_id = $2)`,
    [admin.userId, workspace],
  )
  expect((await as(token, 'GET', '/api/auth/profile')).status).toBe(401)
})
