import { randomUUID } from 'node:crypto'
import { runMigrations } from 'graphile-worker'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAlertReceiver } from '../../billing/testing/alert-receiver.ts'
import { accountOf, buyCredits, settleBilling } from '../../billing/testing/billing.ts'
import { readFindings } from '../health/read-findings.ts'
import { openConsole } from '../testing/console.ts'
import { channels } from './channels.ts'
import { listDeliveries, summarizeDeliveries } from './list-deliveries.ts'

const server = await closeAfterTests(startTestServer())
const receiver = await closeAfterTests(startAlertReceiver())
const support = await openConsole(server, 'support')
const rows = async (sql: string, given: unknown[] = []) => (await server.db.pool.query(sql, given)).rows
const counts = async (channel: string) => {
  const { channels } = (await support.call('GET', '/delivery')).body.data
  return channels.find((one: { channel: string }) => one.channel === channel).counts
}
const list = async (channel: string, state: string, after?: string) =>
  (await support.call('GET', `/delivery/${channel}?state=${state}${after ? `&after=${after}` : ''}`)).body.data

test('a provider event once more from the page has one effect, and a dead one is tried again', async () => {
  const person = await startSession(server)
  await buyCredits(server, person, 1)
  const credits = async () => (await person.call('GET', '/api/billing/credits')).body.data.credits.remaining
  expect(await credits()).toBe(10_000)
  const { deliveries } = await list('events', 'done')
  const paid = deliveries.find((one: { kind: string }) => one.kind === 'invoice.paid')
  expect(paid).toMatchObject({
    about: expect.stringMatching(/^in_/),
    account_name: person.email,
    attempts: 0,
    error: null,
    again: 'retry',
  })
  const id = randomUUID()
  const asked = { ids: [paid.id, paid.id, 'evt_of_nobody'] }
  const again = await support.act('/delivery/events/retry', asked, id)
  expect([again.status, again.body.data]).toEqual([200, { retried: 1 }])
  const repeated = await support.act('/delivery/events/retry', asked, id)
  expect(repeated.body.data).toEqual({ retried: 0 })
  await expect.poll(() => counts('events').then((found) => found.waiting)).toBe(0)
  await settleBilling(server)
  expect(await credits()).toBe(10_000)
  expect(await rows(`select credits::int from topups where status = 'paid'`)).toEqual([{ credits: 10_000 }])
  await rows(
    `update stripe_events set processed_at = null, dead_at = app_now(), attempts = 10, error = 'no answer' where id = $1`,
    [paid.id],
  )
  expect((await list('events', 'failed')).deliveries).toMatchObject([
    { id: paid.id, error: 'no answer', attempts: 10, next_attempt_at: null },
  ])
  await support.act('/delivery/events/retry', { ids: [paid.id] })
  await expect.poll(() => counts('events').then((found) => found.failed)).toBe(0)
  await settleBilling(server)
  expect(await credits()).toBe(10_000)
  const log = await rows(
    `select operator, target, after from operator_log where action = 'delivery.retried' order by id`,
  )
  expect(log[0]).toEqual({
    operator: support.email,
    target: 'events',
    after: { retried: 1, ids: [paid.id, 'evt_of_nobody'] },
  })
  expect(log).toHaveLength(2)
})

test('a webhook that was given up is sent again with the same id and a new signature', async () => {
  const person = await startSession(server)
  const set = await person.call('PUT', '/api/billing/alert-webhook', { body: { url: receiver.url } })
  const { secret } = set.body.data.alertWebhook
  const id = randomUUID()
  await rows(
    `insert into alert_deliveries (id, account_id, body, attempts, done_at, error) values ($1, $2, $3, 7, app_now(), 'answered 500')`,
    [id, await accountOf(server, person), JSON.stringify({ type: 'usage.alert', data: {} })],
  )
  expect((await list('webhooks', 'failed')).deliveries).toMatchObject([
    {
      id,
      kind: 'usage.alert',
      about: new URL(receiver.url).origin,
      attempts: 7,
      error: 'answered 500',
      next_attempt_at: null,
      again: 'retry',
    },
  ])
  for (const round of [1, 2]) {
    expect((await support.act('/delivery/webhooks/retry', { ids: [id] })).body.data).toEqual({ retried: 1 })
    await expect.poll(() => receiver.seen.length).toBe(round)
    await expect.poll(() => counts('webhooks').then(({ done }) => done)).toBe(1)
  }
  const [first, second] = receiver.seen
  expect([first!.headers['webhook-id'], second!.headers['webhook-id']]).toEqual([id, id])
  for (const { body, headers } of receiver.seen) new Webhook(secret).verify(body, headers)
  await rows('delete from alert_webhooks')
  expect((await list('webhooks', 'done')).deliveries).toMatchObject([{ id, about: null, again: null }])
  expect((await support.act('/delivery/webhooks/retry', { ids: [id] })).body.data).toEqual({ retried: 0 })
})

test('mails are listed by kind and recipient without their text, and an invitation is sent again with a new link', async () => {
  const owner = await startSession(server)
  const invited = await owner.call('POST', '/api/team/invitations', {
    body: { email: 'New@example.com', role: 'member' },
  })
  expect(invited.status).toBe(201)
  const linkOf = (mail: { text: string }) => /invitation#(\S+)/.exec(mail.text)?.[1]
  const mailed = () => server.mailbox!.list('new@example.com').map(linkOf)
  await expect.poll(() => mailed().length).toBe(1)
  // It is noted as sent a moment after it has arrived, and other mails may have been before.
  const newest = async () => (await list('mails', 'done')).deliveries[0]?.about
  await expect.poll(newest).toBe('new@example.com')
  const answer = await support.call('GET', '/delivery/mails?state=done')
  const [mail] = answer.body.data.deliveries
  expect(mail).toMatchObject({ kind: 'invitation', about: 'new@example.com', error: null, again: 'resend' })
  expect(answer.text).not.toContain(mailed()[0])
  const early = await support.act('/delivery/mails/retry', { ids: [mail.id] })
  expect(early.body.data).toEqual({ retried: 0 })
  await rows(`update account_invitations set sent_at = app_now() - interval '2 minutes'`)
  expect((await support.act('/delivery/mails/retry', { ids: [mail.id] })).body.data).toEqual({ retried: 1 })
  await expect.poll(() => mailed().length).toBe(2)
  expect(new Set(mailed()).size).toBe(2)
  await owner.call('DELETE', `/api/team/invitations/${invited.body.data.invitation.id}`)
  expect((await list('mails', 'done')).deliveries[0]).toMatchObject({ again: null })
  expect((await support.act('/delivery/mails/retry', { ids: [mail.id] })).body.data).toEqual({ retried: 0 })
})

test('a job that was given up is listed with its error, and is due again', async () => {
  expect(await counts('jobs')).toEqual({ failed: 0, retrying: 0, waiting: 0, done: 0 })
  expect(await list('jobs', 'failed')).toEqual({ deliveries: [], next: null })
  const early = await support.act('/delivery/jobs/retry', { ids: ['1'] })
  expect([early.status, early.body.data]).toEqual([200, { retried: 0 }])
  await runMigrations({ pgPool: server.db.pool })
  await rows(`select graphile_worker.add_job('settle')`)
  await rows(`update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'division by zero'`)
  const { deliveries } = await list('jobs', 'failed')
  expect(deliveries).toMatchObject([{ kind: 'settle', error: 'division by zero', next_attempt_at: null }])
  expect((await support.act('/delivery/jobs/retry', { ids: [deliveries[0].id, 'x'] })).body.data).toEqual({
    retried: 1,
  })
  expect(await counts('jobs')).toEqual({ failed: 0, retrying: 1, waiting: 0, done: 0 })
  expect(await rows('select attempts, run_at <= clock_timestamp() as due from graphile_worker.jobs')).toEqual([
    { attempts: 0, due: true },
  ])
})

test('pages neither repeat nor skip a row when others arrive between them', async () => {
  const insert = (from: number, to: number) =>
    rows(
      `insert into stripe_events (id, type, object_id, created_at, received_at, dead_at, attempts, error)
       select 'evt_page_' || n, 'charge.refunded', 'ch_' || n, app_now(), date_trunc('second', app_now()) - (n % 3) * interval '1 second', app_now(), 10, 'x'
       from generate_series($1::int, $2::int) n`,
      [from, to],
    )
  await insert(1, 120)
  const first = await list('events', 'failed')
  await insert(1_001, 1_060)
  const seen = [...first.deliveries]
  for (let { next } = first; next; ) {
    const page = await list('events', 'failed', next)
    seen.push(...page.deliveries)
    next = page.next
  }
  const ids = seen.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => /^evt_page_\d{1,3}$/.test(id))).toHaveLength(120)
  for (const after of ['x', Buffer.from('["now()","a"]').toString('base64url'), 'a'.repeat(201)]) {
    const refused = await support.call('GET', `/delivery/events?state=failed&after=${after}`)
    expect([after, refused.status, refused.body.code]).toEqual([after, 400, 'invalid_parameter'])
  }
  await rows(`delete from stripe_events where id like 'evt_page%'`)
})

test('a state, channel or list that does not exist is refused, and so is a viewer who retries', async () => {
  expect((await support.call('GET', '/delivery/pigeons?state=done')).status).toBe(400)
  expect((await support.call('GET', '/delivery/events?state=lost')).status).toBe(400)
  expect((await support.act('/delivery/events/retry', { ids: [] })).status).toBe(400)
  expect((await support.act('/delivery/events/retry', { ids: ['a'], reason: 'short' })).status).toBe(400)
  const viewer = await openConsole(server, 'viewer')
  const refused = await viewer.act('/delivery/events/retry', { ids: ['evt_1'] })
  expect([refused.status, refused.body.error]).toEqual([
    403,
    'This needs the role owner or support or finance. Your role is viewer.',
  ])
})

test('failing calls are sums by tool and cause of the asked hours, most first', async () => {
  await rows(`insert into failed_calls (hour, tool, cause, calls, last_at) values
    (date_trunc('hour', app_now()), 'get_bars', 'tool_timeout', 2, app_now()),
    (date_trunc('hour', app_now()), 'acme_price', 'upstream answered 503', 7, app_now()),
    (date_trunc('hour', app_now()) - interval '30 hours', 'get_bars', 'tool_timeout', 5, app_now() - interval '30 hours')`)
  const of = async (hours: number) =>
    (await support.call('GET', `/failing-calls?hours=${hours}`)).body.data.failing.map(
      ({ last_at: _, ...row }: { last_at: string }) => row,
    )
  expect(await of(24)).toEqual([
    { tool: 'acme_price', cause: 'upstream answered 503', calls: 7 },
    { tool: 'get_bars', cause: 'tool_timeout', calls: 2 },
  ])
  expect((await of(48))[1]).toEqual({ tool: 'get_bars', cause: 'tool_timeout', calls: 7 })
  expect((await support.call('GET', '/failing-calls?hours=0')).status).toBe(400)
})

test('with many deliveries, counts, pages and findings read indexes', async () => {
  await (await startSession(server)).call('GET', '/api/auth/profile')
  await rows(`insert into stripe_events (id, type, object_id, created_at, received_at, processed_at)
    select 'evt_many_' || n, 'invoice.paid', 'in_' || n, app_now(), app_now() - n * interval '1 second', app_now() from generate_series(1, 30000) n`)
  await rows(`insert into alert_deliveries (id, account_id, body, done_at, created_at)
    select gen_random_uuid(), (select min(id) from accounts), '{}', app_now(), app_now() - n * interval '1 second' from generate_series(1, 30000) n`)
  await rows(`insert into mail_log (id, kind, recipient, state, created_at)
    select gen_random_uuid(), 'test', 'a@example.com', 'sent', app_now() - n * interval '1 second' from generate_series(1, 30000) n`)
  for (const table of ['stripe_events', 'alert_deliveries', 'mail_log']) await rows(`analyze ${table}`)
  const asked = vi.spyOn(server.deps.db.pool, 'query')
  const { pool } = server.deps.db
  await summarizeDeliveries({ pool })
  for (const channel of ['events', 'webhooks', 'mails'] as const)
    for (const state of ['failed', 'retrying', 'waiting', 'done'] as const) {
      const { next } = await listDeliveries({ pool }, channel, { state })
      if (next) await listDeliveries({ pool }, channel, { state, after: next })
    }
  await readFindings(server.deps)
  const queries = asked.mock.calls as unknown as [string, unknown[] | undefined][]
  asked.mockRestore()
  const texts = queries.filter(([text]) => /stripe_events|alert_deliveries|mail_log/.test(text))
  expect(texts.length).toBeGreaterThan(15)
  const isLongPage = (text: string) =>
    text.includes('limit 51') && Object.values(channels).some(({ states }) => text.includes(`where ${states.done}`))
  expect(texts.filter(([text]) => isLongPage(text))).toHaveLength(6)
  const client = await pool.connect()
  try {
    // What has an index then uses it. A count that ends at 10,001 rows may be faster without.
    await client.query('set enable_seqscan = off')
    for (const [text, given = []] of texts) {
      const { rows: lines } = await client.query(`explain ${text}`, given)
      const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
      expect(plan).not.toMatch(/Seq Scan on (stripe_events|alert_deliveries|mail_log)/)
      // A page of the many comes in the order of its index.
      if (isLongPage(text)) expect(plan).not.toContain('Sort')
    }
  } finally {
    client.release(true)
  }
})
