import { randomUUID } from 'node:crypto'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test, vi } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { buildExports } from './build-exports.ts'
import { accountTables, leftOut } from './sources.ts'

const server = await closeAfterTests(startTestServer())

const ask = (person: TestSession) => person.call('POST', '/api/account/exports')
const list = async (person: TestSession) => (await person.call('GET', '/api/account/exports')).body.data.exports

async function ready(person: TestSession) {
  await vi.waitUntil(async () => (await list(person))[0]?.status === 'ready', { timeout: 120_000, interval: 100 })
  return (await list(person))[0]
}

/** The files of the person's newest export, by name. */
async function download(person: TestSession): Promise<Record<string, string>> {
  const { download_url, bytes } = await ready(person)
  const answer = await fetch(download_url)
  expect(answer.status).toBe(200)
  const zip = new Uint8Array(await answer.arrayBuffer())
  expect(zip.length).toBe(bytes)
  return Object.fromEntries(Object.entries(unzipSync(zip)).map(([name, data]) => [name, strFromU8(data)]))
}

test('contains everything about the person and what they own, in both formats, and no secret', async () => {
  const person = await startSession(server, { email: 'export@example.com', userMetadata: { full_name: '=cmd()' } })
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  const { unkey } = (await person.call('GET', '/api/keys')).body.data.apiKeys[0]
  await fetch(`${server.url}/v1/bars/AAPL?range=1mo`, { headers: { authorization: `Bearer ${unkey}` } })
  const host = await startSession(server)
  await joinWorkspace(server, host, person, 'member')
  const asked = await ask(person)
  expect(asked.status).toBe(201)
  expect(asked.body.data.export).toMatchObject({ status: 'pending', bytes: null, download_url: null })

  const files = await download(person)
  const workspaces = (await person.call('GET', '/api/workspaces')).body.data.workspaces
  const own = `workspaces/${workspaces[0].id}/`
  const json = (name: string) => JSON.parse(files[name]!)
  expect(json('you/profile.json')).toMatchObject([
    { user_id: person.userId, email: 'export@example.com', full_name: '=cmd()' },
  ])
  expect(files['you/profile.csv']).toContain("'=cmd()")
  expect(json('you/memberships.json').map((one: { role: string }) => one.role)).toEqual(['owner', 'member'])
  expect(json(`${own}api_keys.json`)).toMatchObject([{ name: 'Default', start: unkey.slice(0, 8) }])
  expect(json(`${own}usage_events.json`)).toMatchObject([{ tool: 'get_bars', key_name: 'Default', success: true }])
  expect(json(`${own}subscriptions.json`)).toHaveLength(1)
  expect(json(`${own}credit_grants.json`)).toMatchObject([{ kind: 'free', amount: 1000 }])
  expect(files[`${own}usage_events.csv`]!.split('\r\n')[0]).toBe(
    'at,tool,key_id,key_name,success,from_credits,from_payg,duration_ms,batch,n,units',
  )
  // Only what they own: the other workspace appears as a membership.
  expect(Object.keys(files).some((name) => name.includes(workspaces[1].id))).toBe(false)
  const everything = Object.values(files).join('\n')
  for (const secret of [unkey, person.token, 'password_hash', 'ciphertext', 'refresh_key', '"hash"', '\\x'])
    expect(everything.includes(secret), secret).toBe(false)
  await vi.waitUntil(() => server.mailbox!.list('export@example.com').length > 0, { timeout: 120_000 })
  expect(server.mailbox!.list('export@example.com')[0]!.subject).toBe('Your data export is ready')
  expect(server.mailbox!.list('export@example.com')[0]!.text).not.toContain('signature')
})

test('lists an authenticator without its secret, and servers for the person who connected them', async () => {
  const [host, guest] = await Promise.all([startSession(server), startSession(server)])
  const workspace = await joinWorkspace(server, host, guest, 'member')
  await server.db.pool.query(
    `insert into auth.mfa_factors (user_id, factor_type, friendly_name, status, secret) values ($1, 'totp', 'My telephone', 'unverified', '\\x5ec7e7')`,
    [guest.userId],
  )
  await server.db.pool.query(
    `insert into playground_servers (account_id, user_id, name, command, protocol_version)
     select id, $2, 'mine', 'https://mcp.guest.example/', '2025-06-18' from accounts where public_id = $1`,
    [workspace, guest.userId],
  )
  await Promise.all([ask(host), ask(guest)])
  const [hosts, guests] = [await download(host), await download(guest)]
  expect(JSON.parse(guests['you/sign-in/factors.json']!)).toMatchObject([
    { factor_type: 'totp', friendly_name: 'My telephone', status: 'unverified' },
  ])
  expect(guests['you/sign-in/factors.csv']).not.toContain('secret')
  expect(JSON.parse(guests['you/playground_servers.json']!)).toMatchObject([
    { name: 'mine', command: 'https://mcp.guest.example/', workspace_id: workspace },
  ])
  expect(Object.values(hosts).join('\n')).not.toContain('mcp.guest.example')
})

test("is logged in the workspaces that it contains, not in another person's selected workspace", async () => {
  const [host, guest] = await Promise.all([startSession(server), startSession(server)])
  const workspace = await joinWorkspace(server, host, guest, 'member')
  await guest.call('POST', '/api/account/exports', { headers: { 'x-workspace-id': workspace } })
  await ready(guest)
  const acts = async (person: TestSession) =>
    (await person.call('GET', '/api/audit?area=account')).body.data.entries.map((one: { action: string }) => one.action)
  expect(await acts(guest)).toEqual(['account.export_requested', 'account.created'])
  expect(await acts(host)).toEqual(['account.created'])
})

test('covers every table with account data', async () => {
  const { rows } = await server.db.pool.query<{ table_name: string }>(
    `select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema in ('public', 'm00') and c.column_name = 'account_id' and t.table_type = 'BASE TABLE' and c.table_name !~ '^usage_events_'`,
  )
  expect(rows.map((row) => row.table_name).sort()).toEqual([...accountTables, ...leftOut].sort())
})

test('is built once for many requests, and not again within ten minutes', async () => {
  const person = await startSession(server)
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(person)))
  expect(answers.every(({ status }) => status === 201 || status === 429)).toBe(true)
  await ready(person)
  expect(await list(person)).toHaveLength(1)
  const soon = await ask(person)
  expect([soon.status, soon.body.code, soon.headers.get('retry-after')]).toEqual([429, 'rate_limited', '600'])
})

test('its link belongs to one export of one person, and expires', async () => {
  const [person, other] = await Promise.all([startSession(server), startSession(server)])
  await Promise.all([ask(person), ask(other)])
  const [mine, theirs] = [await ready(person), await ready(other)]
  const good = new URL(mine.download_url)
  const status = async (url: URL | string) => (await fetch(url)).status
  expect(await status(good)).toBe(200)
  expect(await status(mine.download_url.replace(mine.id, theirs.id))).toBe(404)
  expect(await status(mine.download_url.replace(mine.id, randomUUID()))).toBe(404)
  expect(await status(`${server.url}/api/account/exports/x/file`)).toBe(404)
  expect(await status(`${server.url}/api/account/exports/${mine.id}/file`)).toBe(404)
  const later = new URL(good)
  later.searchParams.set('expires', String(Number(good.searchParams.get('expires')) + 1))
  expect(await status(later)).toBe(404)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 })
  try {
    expect(await status(good)).toBe(404)
  } finally {
    vi.useRealTimers()
  }
  expect((await list(other)).some((one: { id: string }) => one.id === mine.id)).toBe(false)
})

test('is downloaded twice at a time; the third waits until one has ended', async () => {
  const person = await startSession(server)
  await ask(person)
  const { id, download_url } = await ready(person)
  // Larger than what sockets buffer, so that an unread download does not end.
  const parts = 30
  await server.db.pool.query(
    `with made as (select id from data_exports where public_id = $1), part as (
       insert into data_export_parts (export_id, n, data)
       select id, n, decode(repeat('ab', 1048576), 'hex') from made, generate_series(1, $2::int) n)
     update data_exports set bytes = bytes + $2::int * 1048576 where public_id = $1`,
    [id, parts],
  )
  const open = [await fetch(download_url), await fetch(download_url)]
  expect(open.map(({ status }) => status)).toEqual([200, 200])
  const third = await fetch(download_url)
  expect([third.status, third.headers.get('retry-after'), await third.json()]).toEqual([
    429,
    '5',
    {
      success: false,
      error: 'Too many downloads at the same time: at most 2. Wait until one ends.',
      code: 'rate_limited',
    },
  ])
  await open[0]!.body!.cancel()
  await vi.waitUntil(
    async () => {
      const answer = await fetch(download_url)
      await answer.body?.cancel()
      return answer.status === 200
    },
    { timeout: 120_000, interval: 100 },
  )
  await open[1]!.body!.cancel()
})

test('one that a crash has left is built by the next run; one that fails three times is failed', async () => {
  const person = await startSession(server)
  await person.call('GET', '/api/auth/profile')
  const insert = (started: string, attempts: number) =>
    server.db.pool.query(
      `insert into data_exports (user_id, started_at, attempts) values ($1, app_now() - $2::interval, $3)`,
      [person.userId, started, attempts],
    )
  await insert('1 minute', 1)
  await buildExports(server.deps)
  expect((await list(person))[0].status).toBe('pending')
  await server.db.pool.query(
    `update data_exports set started_at = started_at - interval '11 minutes' where user_id = $1`,
    [person.userId],
  )
  await buildExports(server.deps)
  expect((await list(person))[0].status).toBe('ready')

  await insert('11 minutes', 2)
  const broken = {
    ...server.deps,
    db: { ...server.db, pool: { connect: async () => Promise.reject(new Error('no connection')) } as never },
  }
  await buildExports({ ...broken, log: { ...server.deps.log, error: () => {} } as never })
  expect((await list(person))[0].status).toBe('failed')
})

test('is deleted after seven days', async () => {
  const person = await startSession(server)
  await ask(person)
  const { id } = await ready(person)
  await server.db.pool.query(`update data_exports set expires_at = app_now() where public_id = $1`, [id])
  expect(await list(person)).toEqual([])
  await buildExports(server.deps)
  const { rows } = await server.db.pool.query(`select from data_exports where public_id = $1`, [id])
  expect(rows).toEqual([])
})
