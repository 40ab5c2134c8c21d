import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { beginFlow, completeFlow, findFlow, providerSecretsOf, redeemFlow } from '../features/auth/providers/flows.ts'
import { call as authCall } from '../features/auth/testing/call.ts'
import { codeOf, enroll } from '../features/auth/testing/factors.ts'
import { signIn } from '../features/auth/testing/sign-in.ts'
import { readKept, writeKept } from '../features/playground/sign-in/store.ts'
import { setSecret } from '../features/upstreams/secrets/set-secret.ts'
import { createTestDatabase, startTestServer, type TestDatabase, type TestServer } from '../testing/harness.ts'
import { runAdmin, runDoctor } from '../testing/run-admin.ts'
import { call, startSession } from '../testing/session.ts'

const OLD = 'ab'.repeat(32)
const NEW = 'cd'.repeat(32)
const BOTH = { KEYS_SECRET: NEW, KEYS_SECRET_PREVIOUS: OLD }

let database: TestDatabase
let other: TestDatabase
let closing: TestServer[] = []
/** Every server has the address of the first, which the access tokens name. */
let publicUrl: string | undefined

beforeAll(async () => {
  database = await createTestDatabase()
  other = await createTestDatabase()
})
afterAll(async () => {
  await Promise.all(closing.map((server) => server.close()))
  await database?.drop()
  await other?.drop()
})

async function start(env: NodeJS.ProcessEnv): Promise<TestServer> {
  const server = await startTestServer({
    databaseUrl: database.url,
    env: { ...env, ...(publicUrl && { PUBLIC_URL: publicUrl }) },
  })
  publicUrl ??= server.url
  closing.push(server)
  return server
}

async function stop(server: TestServer): Promise<void> {
  closing = closing.filter((one) => one !== server)
  await server.close()
}

const rows = async (text: string, values: unknown[] = []) => (await database.db.pool.query(text, values)).rows

test('every kind of secret outlives a change of KEYS_SECRET, with servers that serve throughout', {
  timeout: 300_000,
}, async () => {
  const old = await start({ KEYS_SECRET: OLD })
  const email = 'rotation@example.com'
  const me = await signIn(old.url, { provider: 'github', email })
  let tokens = { access: me.session.access_token, refresh: me.session.refresh_token }
  const as = (server: TestServer, method: string, path: string, body?: unknown) =>
    call(server, method, path, { body, headers: { authorization: `Bearer ${tokens.access}` } })

  // One of each kind, under the old secret.
  const made = (await as(old, 'POST', '/api/keys', { name: 'Before' })).body.data.apiKey.unkey
  const expected = new Set<string>([made])
  const webhook = await as(old, 'PUT', '/api/billing/alert-webhook', { url: 'https://acme.dev/alerts' })
  const webhookSecret: string = webhook.body.data.alertWebhook.secret
  // A release before this one stored no secret, only what it was derived from; a start stores it.
  await rows('update alert_webhooks set secret = null')
  const spare = await enroll({ db: database.db }, me, 'spare')
  await me.client.mfa.unenroll({ factorId: spare.id })
  const factor = await enroll({ db: database.db }, me)
  await rows("insert into app_clock (offset_by) values ('0')")
  const undone = await vi.waitUntil(
    () => old.mailbox!.list(email).find(({ subject }) => subject === 'A second factor was removed'),
    { timeout: 120_000 },
  )
  const undoToken = /undo\?token=(\S+)/.exec(undone.text)![1]!
  const now = (await me.client.getSession()).data.session!
  tokens = { access: now.access_token, refresh: now.refresh_token }
  await as(old, 'POST', '/api/team/invitations', { email: 'guest@example.com', role: 'member' })
  const invited = await vi.waitUntil(() => old.mailbox!.list('guest@example.com')[0], { timeout: 120_000 })
  const invitation = /\/invitation#(\S+)/.exec(invited.text)![1]!
  const [{ id: accountId }] = await rows('select account_id as id from account_members where user_id = $1', [
    now.user.id,
  ])
  const place = { accountId, userId: now.user.id, name: 'weather', command: 'https://weather.acme.dev/mcp' }
  await writeKept(old.deps, place, { verifier: 'kept' })
  await setSecret(database.db.kysely, old.deps.secrets, 'ACME_KEY', 'sk-acme')
  const [started, ended] = [randomUUID(), randomUUID()]
  for (const id of [started, ended])
    await beginFlow(database.db.kysely, old.deps.secrets, {
      id,
      provider: 'github',
      redirectTo: publicUrl!,
      challenge: { codeChallenge: 'a'.repeat(43), codeChallengeMethod: 's256' } as never,
      cookieHash: randomBytes(32),
      linkingUserId: null,
      providerSecrets: { codeVerifier: 'verifier', nonce: 'nonce' },
    })
  const flow = await findFlow(database.db.kysely, ended)
  const code = await completeFlow(database.db.kysely, old.deps.secrets, flow, now.user.id, { tokens: null, link: null })
  // Stop before the mail leaves: it waits until the last server.
  const mail = {
    to: 'late@example.com',
    kind: 'test',
    subject: 'Late',
    heading: 'Late',
    paragraphs: ['late'],
    note: 'late',
  }
  await database.db.kysely.transaction().execute(async (tx) => {
    await old.deps.mail.send(tx, mail)
    await tx
      .updateTable('mail_outbox')
      .set({ next_attempt_at: new Date('2100-01-01') })
      .execute()
  })
  const [{ kid }] = await rows('select kid from auth.signing_keys')

  async function everythingWorks(server: TestServer): Promise<void> {
    const refreshed = await authCall(server, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: tokens.refresh },
    })
    expect(refreshed.status).toBe(200)
    tokens = { access: refreshed.body.access_token, refresh: refreshed.body.refresh_token }
    const jwks = await authCall(server, 'GET', '/.well-known/jwks.json')
    expect(jwks.body.keys.map((key: { kid: string }) => key.kid)).toEqual([kid])
    const listed = await as(server, 'GET', '/api/keys')
    expect([listed.status, listed.text]).toEqual([200, expect.anything()])
    const { apiKeys } = listed.body.data
    expect(new Set(apiKeys.map((key: { unkey: string }) => key.unkey))).toEqual(expected)
    expect((await as(server, 'GET', '/api/billing/alert-webhook')).body.data.alertWebhook.secret).toBe(webhookSecret)
    await rows(`update app_clock set offset_by = offset_by + interval '1 minute'`)
    const challenge = await authCall(server, 'POST', `/factors/${factor.id}/challenge`, { token: tokens.access })
    const verified = await authCall(server, 'POST', `/factors/${factor.id}/verify`, {
      token: tokens.access,
      body: { challenge_id: challenge.body.id, code: await codeOf({ db: database.db }, factor.secret) },
    })
    expect(verified.status).toBe(200)
    tokens = { access: verified.body.access_token, refresh: verified.body.refresh_token }
    expect(await readKept(server.deps, place)).toEqual({ verifier: 'kept' })
    expect(providerSecretsOf(await findFlow(database.db.kysely, started), server.deps.secrets)).toEqual({
      codeVerifier: 'verifier',
      nonce: 'nonce',
    })
  }
  const invites = async (server: TestServer) =>
    (await call(server, 'POST', '/api/invitations/preview', { body: { token: invitation } })).status

  // Servers that read both secrets and write under the old one, so that none meets a ciphertext that it cannot open.
  const ready = await start({ KEYS_SECRET: OLD, KEYS_SECRET_PREVIOUS: NEW })
  await everythingWorks(ready)
  expect((await runDoctor(database.url, [], { KEYS_SECRET: OLD, KEYS_SECRET_PREVIOUS: NEW })).out).toContain(
    'note   KEYS_SECRET_PREVIOUS opens nothing here: once it is the old secret on every server, run npm run admin -- rotate-secret',
  )
  await stop(old)
  const both = await start(BOTH)
  await everythingWorks(both)
  await everythingWorks(ready)
  expect([await invites(both), await invites(ready)]).toEqual([200, 200])
  const before = await runDoctor(database.url, [], BOTH)
  expect(before.out).toMatch(
    /note {3}KEYS_SECRET_PREVIOUS is still needed \(.*API keys: \d+.*\): run npm run admin -- rotate-secret/,
  )

  // Rotate while a server still writes under the old secret.
  const rotation = runAdmin(database.url, ['rotate-secret'], BOTH)
  let rotating = true
  const written = (async () => {
    // A person may write 120 times a minute.
    for (let written = 0; rotating && written < 100; written++) {
      const { body } = await as(ready, 'POST', '/api/keys', { name: 'During' })
      expected.add(body.data.apiKey.unkey)
      await as(both, 'GET', '/api/keys')
    }
  })()
  const { code: exit, out, err } = await rotation
  rotating = false
  await written
  expect([exit, err]).toEqual([0, ''])
  expect(out).toMatch(/^API keys: \d+ encrypted again$/m)
  for (const kind of [
    'signing keys',
    'second factors',
    'removed second factors',
    'waiting emails',
    'playground sign-ins',
    'credentials for upstreams',
  ])
    expect(out).toContain(`${kind}: 1 encrypted again\n`)
  await everythingWorks(ready)
  await everythingWorks(both)

  // One more write under the old secret after the end is found by the doctor, and by the next run.
  expected.add((await as(ready, 'POST', '/api/keys', { name: 'After' })).body.data.apiKey.unkey)
  await stop(ready)
  expect((await runDoctor(database.url, [], BOTH)).out).toContain('run npm run admin -- rotate-secret')
  expect((await runAdmin(database.url, ['rotate-secret'], BOTH)).code).toBe(0)
  const idle = await runAdmin(database.url, ['rotate-secret'], BOTH)
  expect(idle.out).toMatch(/^API keys: 0 encrypted again$/m)
  expect(idle.out).not.toMatch(/: [1-9]\d* encrypted again/)
  const audited = await rows(`select actor, detail from audit_log where action = 'secret.rotated' order by id`)
  expect(audited).toHaveLength(2)
  expect(audited[0]).toMatchObject({ actor: 'system:operator', detail: { 'signing keys': 1 } })

  // The invitation was signed under the old secret: the doctor waits for it, or for its end.
  expect((await runDoctor(database.url, [], BOTH)).out).toMatch(
    /note {3}KEYS_SECRET_PREVIOUS is still needed until \d{4}-\d\d-\d\dT\S+, for links that were sent before/,
  )
  await rows(`update app_clock set offset_by = offset_by + interval '20 minutes'`)
  await rows(`update account_invitations set expires_at = app_now()`)
  expect((await runDoctor(database.url, [], BOTH)).out).toContain(
    'note   KEYS_SECRET_PREVIOUS is no longer needed: remove it from every server\n',
  )

  const fresh = await start({ KEYS_SECRET: NEW })
  await stop(both)
  await everythingWorks(fresh)
  await rows(`update auth.flow_states set expires_at = app_now() + interval '5 minutes'`)
  const redeemed = await database.db.kysely.transaction().execute((tx) => redeemFlow(tx, fresh.deps.secrets, code))
  expect(redeemed.outcome).toEqual({ tokens: null, link: null })
  await rows(`update mail_outbox set next_attempt_at = app_now()`)
  await fresh.deps.mail.send(database.db.kysely, { ...mail, to: 'next@example.com' })
  await vi.waitUntil(() => fresh.mailbox!.list('late@example.com').length === 1, { timeout: 120_000 })
  await authCall(fresh, 'POST', '/undo', {
    body: new URLSearchParams({ token: undoToken }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const [restored] = await rows(`select id, secret from auth.mfa_factors where friendly_name = 'spare'`)
  expect(fresh.deps.secrets.decrypt('auth.mfa_factors.secret', restored.secret, restored.id)).toBe(spare.secret)
  expect((await runDoctor(database.url, [], { KEYS_SECRET: NEW })).out).toContain(
    'ok     KEYS_SECRET opens what this database has encrypted\n',
  )
})

async function startOther(env: NodeJS.ProcessEnv): Promise<TestServer> {
  const server = await startTestServer({ databaseUrl: other.url, env })
  closing.push(server)
  return server
}
const otherRows = async (text: string, values: unknown[] = []) => (await other.db.pool.query(text, values)).rows

test('rotate-secret without a previous secret, or with two wrong ones, changes nothing and says what to do', async () => {
  await startOther({ KEYS_SECRET: NEW })
  const alone = await runAdmin(other.url, ['rotate-secret'], { KEYS_SECRET: NEW })
  expect([alone.code, alone.out]).toEqual([1, ''])
  expect(alone.err).toContain('Set KEYS_SECRET to the new secret and KEYS_SECRET_PREVIOUS to the old one')
  const wrong = await runAdmin(other.url, ['rotate-secret'], {
    KEYS_SECRET: '12'.repeat(32),
    KEYS_SECRET_PREVIOUS: '34'.repeat(32),
  })
  expect([wrong.code, wrong.out]).toEqual([1, ''])
  expect(wrong.err).toContain('KEYS_SECRET is not the one that this database was encrypted with.')
})

test('an interrupted rotation goes on, and a row that changed since it was read is not overwritten', async () => {
  const server = await startOther({ KEYS_SECRET: NEW })
  const person = await startSession(server)
  await person.call('POST', '/api/keys', { body: { name: 'Kept' } })
  const next = { KEYS_SECRET: 'ef'.repeat(32), KEYS_SECRET_PREVIOUS: NEW }
  // The write waits behind a lock, whose holder replaces the row: as a concurrent change would.
  const holder = await other.db.pool.connect()
  await holder.query('begin')
  const { rows: held } = await holder.query(
    `select id, public_id from api_keys where ciphertext is not null order by id limit 1 for update`,
  )
  const waiting = () =>
    vi.waitUntil(
      async () =>
        (
          await otherRows(
            `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'update api_keys%'`,
          )
        )[0]?.pid,
      { timeout: 120_000 },
    )
  const interrupted = runAdmin(other.url, ['rotate-secret'], next)
  await otherRows('select pg_terminate_backend($1)', [await waiting()])
  expect((await interrupted).code).toBe(1)

  const running = runAdmin(other.url, ['rotate-secret'], next)
  await waiting()
  const concurrent = server.deps.secrets.encrypt('api-key', 'fm_changed', held[0].public_id)
  await holder.query('update api_keys set ciphertext = $1 where id = $2', [concurrent, held[0].id])
  await holder.query('commit')
  holder.release()
  const { code, out } = await running
  expect([code, out]).toEqual([0, expect.stringContaining('signing keys: 1 encrypted again\n')])
  const again = await runAdmin(other.url, ['rotate-secret'], next)
  expect(again.out).not.toMatch(/: [1-9]\d* encrypted again|unreadable/)
  const [after] = await otherRows('select ciphertext from api_keys where id = $1', [held[0].id])
  const both = (await startOther(next)).deps.secrets
  expect(both.decrypt('api-key', after.ciphertext, held[0].public_id)).toBe('fm_changed')
})

test('every binary column is a hash, a file, or known to the rotation', async () => {
  const binary = await rows(
    `select format('%s.%s.%s', table_schema, table_name, column_name) as name from information_schema.columns
     where data_type = 'bytea' and table_schema in ('public', 'auth', 'm00') and column_name not like '%hash' order by 1`,
  )
  expect(binary.map(({ name }) => name)).toEqual([
    'auth.flow_states.outcome',
    'auth.flow_states.provider_secrets',
    'auth.mfa_factors.secret',
    'auth.sessions.refresh_key',
    'auth.signing_keys.private_jwk',
    'public.alert_webhooks.secret',
    'public.api_keys.ciphertext',
    'public.data_export_parts.data', // a file, not encrypted
    'public.kept_answers.answer',
    'public.mail_outbox.message',
    'public.operator_log.input_mac', // an HMAC: after a rotation a form that was sent before is not known again
    'public.playground_sign_ins.kept',
    'public.shop_assets.body', // logos, not encrypted
    'public.upstream_secrets.secret',
    'public.upstream_versions.document', // what operators publish, not encrypted
  ])
})
