import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { accountOf } from '../../billing/testing/billing.ts'
import { openConsole } from '../testing/console.ts'
import { tellAttention } from './attention.ts'
import { linesOf, noteCheckRun } from './check-runs.ts'

const server = await closeAfterTests(startTestServer())
const owner = await openConsole(server, 'owner')
const person = await startSession(server)
await person.call('GET', '/api/auth/profile')
const accountId = await accountOf(server, person)
const rows = async (sql: string, given: unknown[] = []) => (await server.db.pool.query(sql, given)).rows
const list = async () => (await owner.call('GET', '/attention')).body.data.findings
const find = async (key: string) => (await list()).find((one: { key: string }) => one.key === key)

test('an installation in order needs no attention', async () => {
  expect(await list()).toEqual([])
  expect(await tellAttention(server.deps)).toBe(0)
})

test('a payment event is stuck after five minutes, and no longer once it is applied', async () => {
  await rows(
    `insert into stripe_events (id, type, object_id, created_at, received_at, next_attempt_at)
     values ('evt_young', 'invoice.paid', 'in_1', app_now(), app_now() - interval '4 minutes', app_now() + interval '1 day'),
            ('evt_old', 'charge.refunded', 'ch_1', app_now(), app_now() - interval '6 minutes', app_now() + interval '1 day')`,
  )
  const [{ since }] = await rows(`select received_at as since from stripe_events where id = 'evt_old'`)
  expect(await find('events')).toEqual({
    key: 'events',
    title: '1 payment event is stuck',
    detail: 'charge.refunded',
    todo: 'Read the error, fix its cause, and retry.',
    count: 1,
    since: since.toISOString(),
    link: { to: '/delivery?channel=events', label: 'Open events' },
    acknowledged: null,
  })
  await rows(`update stripe_events set processed_at = app_now() where id = 'evt_old'`)
  expect(await find('events')).toBeUndefined()
  await rows(`delete from stripe_events where id in ('evt_young', 'evt_old')`)
})

test('each cause is a finding with how many, since when, and what to do', async () => {
  await rows(
    `insert into alert_deliveries (id, account_id, body, created_at, error, done_at) values
     ($1, $4, '{"type":"usage.alert"}', app_now() - interval '61 minutes', 'answered 500', null),
     ($2, $4, '{"type":"usage.alert"}', app_now() - interval '59 minutes', 'answered 500', null),
     ($3, $4, '{"type":"usage.alert"}', app_now() - interval '2 days', 'answered 500', app_now())`,
    [randomUUID(), randomUUID(), randomUUID(), accountId],
  )
  await rows(
    `insert into disputes (id, charge_id, status) values ('dp_1', 'ch_open', 'needs_response'), ('dp_2', 'ch_won', 'won')`,
  )
  await rows(`insert into upstreams (id, state, published) values ('acme', 'paused', 1), ('fresh', 'published', 1)`)
  await rows(
    `insert into upstream_drift (upstream_id, operation, version, problem) values ('fresh', 'getPrice', 1, '#/price/type')`,
  )
  await rows(
    `insert into upstream_servers (id, name, seen_at, serves) values
     ($1, 'web-1', clock_timestamp(), '{"fresh":{"version":1,"changed":"1","problem":"FRESH_KEY is not set"}}'),
     ($2, 'web-2', clock_timestamp() - interval '1 minute', '{"fresh":{"version":1,"changed":"1","problem":"gone"}}')`,
    [randomUUID(), randomUUID()],
  )
  await noteCheckRun(server.db.kysely, 'invariants', linesOf(['I2: account 1: balance 3']))
  await noteCheckRun(server.db.kysely, 'doctor', linesOf(['fsync is off: set it to on', 'mail: SMTP_URL is missing']))
  const found = (await list()).map(({ key, title, detail }: Record<string, string>) => [key, title, detail])
  expect(found).toEqual([
    ['check:invariants', '1 check failed: credits', 'I2: account 1: balance 3'],
    ['disputes', '1 dispute is open', 'ch_open'],
    // A personal workspace is named by its person.
    ['webhooks', '2 webhooks have failed for over an hour', person.email],
    ['unserved:fresh', '1 server does not serve upstream fresh', 'web-1: FRESH_KEY is not set'],
    ['paused:acme', 'Upstream acme is paused', 'Its tools are not offered.'],
    ['changed:fresh', 'Upstream fresh has changed', 'getPrice: #/price/type'],
    ['check:doctor', 'The doctor found 2 problems', 'fsync is off: set it to on · mail: SMTP_URL is missing'],
  ])
})

test('owners are mailed each new finding once, others never, and again when it came back', async () => {
  const viewer = await openConsole(server, 'viewer')
  const subjects = (email: string) => server.mailbox!.list(email).map(({ subject }) => subject)
  const told = await Promise.all([tellAttention(server.deps), tellAttention(server.deps)])
  expect(told.sort()).toEqual([0, 7])
  expect(await tellAttention(server.deps)).toBe(0)
  await expect.poll(() => subjects(owner.email)).toEqual(['7 items need attention'])
  await rows(`update disputes set status = 'lost' where id = 'dp_1'`)
  expect(await tellAttention(server.deps)).toBe(0)
  expect(await rows(`select from attention_findings where key = 'disputes'`)).toEqual([])
  await rows(`update disputes set status = 'needs_response' where id = 'dp_1'`)
  expect(await tellAttention(server.deps)).toBe(1)
  await expect.poll(() => subjects(owner.email)).toEqual(['1 dispute is open', '7 items need attention'])
  expect(subjects(viewer.email)).toEqual([])
})

test('a finding is acknowledged until it changes, and who did it stays in the log', async () => {
  const support = await openConsole(server, 'support')
  expect((await support.act('/attention/acknowledge', { key: 'disputes' })).status).toBe(200)
  const acknowledged = { by: support.email, at: expect.stringMatching(/^2/) }
  expect((await list()).at(-1)).toMatchObject({ key: 'disputes', acknowledged })
  await rows(`insert into disputes (id, charge_id, status) values ('dp_3', 'ch_more', 'under_review')`)
  expect(await find('disputes')).toMatchObject({
    count: 2,
    acknowledged: null,
    link: { to: '/finance/refunds', label: 'Open refunds' },
  })
  expect(await rows(`select operator, target from operator_log where action = 'attention.acknowledged'`)).toEqual([
    { operator: support.email, target: 'disputes' },
  ])
  const gone = await support.act('/attention/acknowledge', { key: 'job:nothing' })
  expect([gone.status, gone.body.error]).toEqual([404, 'This finding no longer exists. Reload the page.'])
})
