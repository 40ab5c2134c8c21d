import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { homeOf } from '#server/db/buckets.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { grantCredits } from '../../credits/grant.ts'
import { startAlertReceiver } from '../testing/alert-receiver.ts'
import { accountOf, spend } from '../testing/billing.ts'
import { deliverAlerts } from './deliver-alerts.ts'
import { settleQuietAlerts } from './quiet-alerts.ts'
import { raiseUsageAlerts } from './raise-alerts.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
  await person.call('POST', '/api/billing/subscribe-free-plan')
})

const mailed = (...subjects: string[]) =>
  expect.poll(() => server.mailbox!.list(person.email).map(({ subject }) => subject)).toEqual(subjects)

test('an alert is raised at 90 percent and at 100, each once', async () => {
  await spend(server, person, 899)
  await raiseUsageAlerts(server.deps)
  await spend(server, person, 1)
  await raiseUsageAlerts(server.deps)
  await raiseUsageAlerts(server.deps)
  await mailed('90% of your credits are used')
  await spend(server, person, 100)
  await raiseUsageAlerts(server.deps)
  await raiseUsageAlerts(server.deps)
  await mailed('Your credits are used up', '90% of your credits are used')
})

test('the charge that crosses an alert records it once, and the record waits for the job', async () => {
  const due = async () => {
    const { rows } = await server.db.pool.query(
      `select 1 from usage_alerts_due d join account_members m using (account_id) where m.user_id = $1`,
      [person.userId],
    )
    return rows.length
  }
  await spend(server, person, 100)
  expect(await raiseUsageAlerts(server.deps)).toBe(0)
  await spend(server, person, 799)
  expect(await due()).toBe(0)
  await spend(server, person, 1)
  await spend(server, person, 1)
  expect(await due()).toBe(1)
  await server.db.pool.query(
    `insert into app_clock (offset_by) values ('5 hours') on conflict (only_row) do update set offset_by = excluded.offset_by`,
  )
  try {
    // Two instances at once: one of them sends it.
    const raised = await Promise.all([raiseUsageAlerts(server.deps), raiseUsageAlerts(server.deps)])
    expect(raised.toSorted()).toEqual([0, 1])
    expect([await due(), await raiseUsageAlerts(server.deps)]).toEqual([0, 0])
  } finally {
    await server.db.pool.query('delete from app_clock')
  }
})

test('an account without a crossed alert is settled without its lock, and a later crossing is noticed', async () => {
  const due = async () =>
    (
      await server.db.pool.query(
        `select alert_below::int as below, exists (select from usage_alerts_due d where d.account_id = a.account_id) as due
         from credit_accounts a join account_members m using (account_id) where m.user_id = $1`,
        [person.userId],
      )
    ).rows[0]
  await spend(server, person, 100)
  expect(await due()).toMatchObject({ due: true })
  // The account is locked: the job skips it, and it stays due.
  const home = await homeOf(server.db, await accountOf(server, person))
  const holder = await home.pool.connect()
  await holder.query('begin')
  await holder.query(
    `select 1 from credit_accounts join account_members m using (account_id) where m.user_id = $1 for no key update of credit_accounts`,
    [person.userId],
  )
  const { rows } = await server.db.pool.query<{ account_id: number }>('select account_id from usage_alerts_due')
  const everybody = rows.map((row) => Number(row.account_id))
  await settleQuietAlerts(home, everybody)
  expect(await due()).toMatchObject({ due: true })
  await holder.query('rollback')
  holder.release()
  await settleQuietAlerts(home, everybody)
  expect(await due()).toEqual({ due: false, below: 100 })
  await spend(server, person, 800)
  expect(await due()).toMatchObject({ due: true })
  // The crossed alert is still to be sent.
  await settleQuietAlerts(home, everybody)
  expect(await due()).toMatchObject({ due: true })
  expect(await raiseUsageAlerts(server.deps)).toBe(1)
  expect(await due()).toEqual({ due: false, below: 0 })
})

test('after a grant, the alert comes at 90 percent of all', async () => {
  await spend(server, person, 100)
  await raiseUsageAlerts(server.deps)
  const accountId = await accountOf(server, person)
  const source = { sourceType: 'test', sourceId: `more ${accountId}` }
  await grantCredits(server.db.kysely, { accountId, kind: 'topup', amount: 1_000, ...source })
  await spend(server, person, 1_700)
  expect(await raiseUsageAlerts(server.deps)).toBe(1)
  await mailed('90% of your credits are used')
})

test("the threshold is the account's own, and 0 switches alerts off", async () => {
  await person.call('PUT', '/api/billing/preferences', { body: { alertThreshold: 50 } })
  await spend(server, person, 500)
  await raiseUsageAlerts(server.deps)
  await mailed('50% of your credits are used')
  const other = await startSession(server)
  await other.call('POST', '/api/billing/subscribe-free-plan')
  await other.call('PUT', '/api/billing/preferences', { body: { alertThreshold: 0 } })
  await spend(server, other, 1_000)
  expect(await raiseUsageAlerts(server.deps)).toBe(0)
})

/**
 * Written from the Standard Webhooks specification: HMAC-SHA256 over `id.timestamp.body`, keyed by the secret's bytes,
 * in base64.
 */
function isSigned(secret: string, headers: Record<string, string>, body: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const wanted = `v1,${createHmac('sha256', key).update(text).digest('base64')}`
  return (headers['webhook-signature'] ?? '').split(' ').includes(wanted)
}

test('the signature matches the published Standard Webhooks example', () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  expect(isSigned('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', headers, '{"test": 2432232314}')).toBe(true)
  expect(isSigned('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', headers, '{"test": 2432232315}')).toBe(false)
})

test('an alert is posted with a Standard Webhooks signature, and retried when it was not accepted', async () => {
  const receiver = await startAlertReceiver()
  const { seen } = receiver
  receiver.answers(500)
  const set = await person.call('PUT', '/api/billing/alert-webhook', { body: { url: receiver.url } })
  const { secret } = set.body.data.alertWebhook
  await spend(server, person, 950)
  await raiseUsageAlerts(server.deps)
  expect(await deliverAlerts(server.deps)).toBe(0)
  receiver.answers(204)
  await server.db.pool.query('update alert_deliveries set next_attempt_at = app_now()')
  expect(await deliverAlerts(server.deps)).toBe(1)
  expect(await deliverAlerts(server.deps)).toBe(0)
  expect(seen).toHaveLength(2)
  expect(seen[0]?.headers['webhook-id']).toBe(seen[1]?.headers['webhook-id'])
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
  expect(isSigned(secret, seen[1]!.headers, seen[1]!.body)).toBe(true)
  expect(isSigned(secret, { ...seen[1]!.headers, 'webhook-timestamp': '1' }, seen[1]!.body)).toBe(false)
  expect(Math.abs(Number(seen[1]!.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(300)
  const alert = new Webhook(secret).verify(seen[1]!.body, seen[1]!.headers)
  expect(alert).toMatchObject({ type: 'usage.alert', data: { percent: 90, used: 950, remaining: 50 } })
  expect(() => new Webhook(secret).verify(seen[1]!.body.replace('950', '951'), seen[1]!.headers)).toThrow()
  await receiver.close()
})

test('a receiver that does not answer delays no alert of others', async () => {
  const receiver = await startAlertReceiver()
  const asked = Promise.withResolvers<ServerResponse>()
  const silent = createServer((_request, response) => asked.resolve(response))
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const other = await startSession(server)
  await other.call('POST', '/api/billing/subscribe-free-plan')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  for (const [one, to] of [
    [person, url],
    [other, receiver.url],
  ] as const) {
    await one.call('PUT', '/api/billing/alert-webhook', { body: { url: to } })
    await spend(server, one, 950)
    await raiseUsageAlerts(server.deps)
  }
  const delivered = deliverAlerts(server.deps)
  // The silent one answers only when the other's alert has arrived; sooner or later it would be given up.
  await expect.poll(() => receiver.seen.length).toBe(1)
  ;(await asked.promise).writeHead(204).end()
  expect(await delivered).toBe(2)
  silent.close()
  await receiver.close()
})

test('only managers see the secret, and only https URLs are accepted outside the sandbox', async () => {
  const guest = await startSession(server)
  const workspace = await joinWorkspace(server, person, guest, 'member')
  const answer = await guest.call('GET', '/api/billing/alert-webhook', { headers: { 'x-workspace-id': workspace } })
  expect(answer.status).toBe(403)
  for (const url of ['ftp://example.com/', 'https://user:pass@example.com/', 'nonsense']) {
    const refused = await person.call('PUT', '/api/billing/alert-webhook', { body: { url } })
    expect([url, refused.status]).toEqual([url, 400])
  }
})

describe('outside a sandbox of one machine', () => {
  let trial: TestServer
  let customer: TestSession
  beforeAll(async () => {
    trial = await startTestServer({ env: { SANDBOX: 'on' } })
    customer = await startSession(trial)
    await customer.call('POST', '/api/billing/subscribe-free-plan')
  })
  afterAll(() => trial?.close())
  const setUrl = (url: string) => customer.call('PUT', '/api/billing/alert-webhook', { body: { url } })

  test.each([
    'http://example.com/alerts',
    'https://example.com:22/',
    'https://example.com:5432/',
    'https://127.0.0.1/',
    'https://[2002:7f00:1::]/',
    'https://[64:ff9b:1::7f00:1]/',
    'https://[2001:0:7f00:1::]/',
    'https://[::ffff:10.0.0.1]/',
  ])('the webhook %s is refused when it is set', async (url) => {
    const { status, body } = await setUrl(url)
    expect([status, body.error]).toEqual([
      400,
      'url: must be an https address on the public internet, port 443 or 8443, without a user name',
    ])
  })

  test('a name that leads inside receives nothing, and the attempt says why', async () => {
    expect((await setUrl('https://localhost:8443/alerts')).status).toBe(200)
    await spend(trial, customer, 950)
    await raiseUsageAlerts(trial.deps)
    expect(await deliverAlerts(trial.deps)).toBe(0)
    const { rows } = await trial.db.pool.query('select error from alert_deliveries')
    expect(rows).toEqual([{ error: 'This address leads into a private network.' }])
  })

  test('a webhook that was stored before the rule existed is not posted to either', async () => {
    await trial.db.pool.query(`update alert_webhooks set url = 'https://[64:ff9b:1::7f00:1]:9/'`)
    await trial.db.pool.query('update alert_deliveries set next_attempt_at = app_now(), error = null')
    expect(await deliverAlerts(trial.deps)).toBe(0)
    const { rows } = await trial.db.pool.query('select error from alert_deliveries')
    expect(rows).toEqual([{ error: 'Only the ports 443 and 8443 are fetched.' }])
  })
})
