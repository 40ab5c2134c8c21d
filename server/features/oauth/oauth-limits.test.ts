import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { startSession } from '../../testing/session.ts'

const server = await closeAfterTests(startTestServer())
const person = await startSession(server)
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })

const REDIRECT = 'https://client.example/callback'
const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url')

async function register(metadata: object) {
  const body = JSON.stringify(metadata)
  const answer = await fetch(`${server.url}/oauth/register`, { method: 'POST', body })
  return { status: answer.status, body: await answer.json() }
}
const clientId = async (client_name = 'Desk'): Promise<string> =>
  (await register({ client_name, redirect_uris: [REDIRECT] })).body.client_id

function ask(client: string, more: Record<string, string> = {}) {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  })
  return fetch(`${server.url}/oauth/authorize?${query}`, { redirect: 'manual' })
}

describe('registration', () => {
  const stored = async () => {
    const { rows } = await server.db.pool.query<{ n: number }>('select count(*)::int as n from oauth_clients')
    return rows[0]!.n
  }

  test('of the same client is one registration, however many of its users send it', async () => {
    const metadata = { client_name: 'Hosted', redirect_uris: ['https://hosted.example/callback'] }
    const before = await stored()
    const answers = await Promise.all(Array.from({ length: 100 }, () => register(metadata)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ body }) => body.client_id)).size).toBe(1)
    expect(await stored()).toBe(before + 1)
    const others = [
      { ...metadata, client_name: 'Host' },
      { ...metadata, redirect_uris: [REDIRECT] },
    ]
    for (const other of others) expect((await register(other)).body.client_id).not.toBe(answers[0]!.body.client_id)
  })

  test('that nobody has used within a week is forgotten; one in use stays', async () => {
    const used = await clientId('Used')
    const request = new URL((await ask(used)).headers.get('location')!).searchParams.get('request')
    await person.call('POST', `/api/oauth/requests/${request}/approve`, { body: {} })
    const { body } = await register({ client_name: 'Never used', redirect_uris: [REDIRECT] })
    await server.db.pool.query(`update oauth_clients set created_at = created_at - interval '8 days'`)
    await register({ client_name: 'The next one', redirect_uris: [REDIRECT] })
    const { rows } = await server.db.pool.query<{ id: string }>('select id from oauth_clients')
    const ids = rows.map(({ id }) => id)
    expect([ids.includes(used), ids.includes(body.client_id)]).toEqual([true, false])
  })

  test('of more addresses than fit is refused', async () => {
    const redirect_uris = Array.from({ length: 3 }, (_, n) => `https://client.example/${n}${'x'.repeat(1_900)}`)
    expect((await register({ redirect_uris })).body.error).toBe('invalid_redirect_uri')
  })

  test('of clients that are new is limited by address, of known ones it is not', async () => {
    const limited = await closeAfterTests(startTestServer({ databaseUrl: server.databaseUrl }))
    for (let n = 0; n < 1_000; n++) await limited.deps.limits.count('oauth.newClient', { address: '127.0.0.1' })
    const send = (client_name: string) =>
      fetch(`${limited.url}/oauth/register`, {
        method: 'POST',
        body: JSON.stringify({ client_name, redirect_uris: [REDIRECT] }),
      })
    await clientId()
    expect((await send('Desk')).status).toBe(201)
    const refused = await send('New')
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: 'temporarily_unavailable', error_description: 'Too many new clients. Try again in 24 hours.' },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000)
  })
})

test('a state that is too large is refused to the person, and nothing is kept', async () => {
  const requests = async () => (await server.db.pool.query('select from oauth_requests')).rowCount
  const client = await clientId()
  const before = await requests()
  const answer = await ask(client, { state: 'x'.repeat(2_001) })
  expect([answer.status, await answer.json(), answer.headers.get('location')]).toEqual([
    400,
    { error: 'invalid_request', error_description: 'state can have at most 2000 characters.' },
    null,
  ])
  expect(await requests()).toBe(before)
  expect((await ask(client, { state: 'x'.repeat(2_000) })).headers.get('location')).toContain('/connect?request=')
})

// The last ones: they use up what this address may do.
test('client documents are fetched 30 times for an address', async () => {
  const fetched = () => ask('https://[::1]/client')
  for (let n = 0; n < 40 && (await fetched()).status === 401; n++);
  const refused = await fetched()
  expect([refused.status, (await refused.json()).error_description]).toEqual([
    429,
    expect.stringMatching(/^Too many client documents\. Try again in \d+ (s|minutes)\.$/),
  ])
})

test('an address keeps at most 120 requests that wait for a decision', async () => {
  const client = await clientId()
  const kept = async () => (await server.db.pool.query('select from oauth_requests')).rowCount!
  let last = await ask(client)
  for (let n = 0; n < 130; n++) last = await ask(client)
  expect([last.status, (await last.json()).error, last.headers.get('location')]).toEqual([
    429,
    'temporarily_unavailable',
    null,
  ])
  expect(await kept()).toBeLessThanOrEqual(120)
})
