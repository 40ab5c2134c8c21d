import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { passMidnight } from '../../archive/testing/past-calls.ts'
import { buyCredits, buyPlan, plansByName, settleBilling } from '../../billing/testing/billing.ts'
import { settleAccounts } from '../../credits/settle.ts'
import { personWithTwoKeys } from '../../usage/testing/person-with-two-keys.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const query = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows

let operator: TestOperator
let customer: Awaited<ReturnType<typeof personWithTwoKeys>>
let id: string
let number: number
const get = async (part: string, of = id) => (await operator.call('GET', `/customers/${of}${part}`)).body.data

beforeAll(async () => {
  await passMidnight()
  operator = await openConsole(server, 'support')
  customer = await personWithTwoKeys(server)
  number = customer.accountId
  id = (await query('select public_id from accounts where id = $1', [number]))[0].public_id
  await buyPlan(server, customer.person, (await plansByName(customer.person)).Pro)
  await buyCredits(server, customer.person, 1)
  for (const key of [0, 0, 1, null]) await customer.spend(key)
  await customer.spend(0, { status: 'failed', credits: 0 })
  await settleAccounts(server.db)
})

test('every part of a customer that does not exist is missing', async () => {
  for (const part of ['overview', 'ledger', 'keys', 'calls', 'invoices', 'people', 'limits', 'webhooks', 'timeline']) {
    const { status, body } = await operator.call('GET', `/customers/${randomUUID()}/${part}`)
    expect([part, status, body.code]).toEqual([part, 404, 'not_found'])
    expect([part, (await operator.call('GET', `/customers/1/${part}`)).status]).toEqual([part, 400])
  }
})

test('the overview has the grants in the order of burning, and the calls of 30 UTC days', async () => {
  const { grants, days, unsettled, ledger, timeline } = await get('/overview')
  expect(grants.map(({ kind }: { kind: string }) => kind)).toEqual(['free', 'plan', 'topup'])
  const [{ sum }] = await query('select balance + unsettled as sum from credit_accounts where account_id = $1', [
    number,
  ])
  expect(grants.reduce((all: number, { remaining }: { remaining: number }) => all + remaining, 0)).toBe(sum)
  expect(unsettled).toBe(0)
  expect(days).toHaveLength(30)
  const [{ today }] = await query(`select to_char(app_now() at time zone 'UTC', 'YYYY-MM-DD') as today`)
  expect(days.at(-1)).toEqual({ day: today, success: 4, failed: 1, refused: 0, credits: 8 })
  expect([ledger.length, timeline.length]).toEqual([4, 5])
  expect(ledger[0]).toMatchObject({ kind: 'debit', delta: -8, source: { kind: 'free' } })
})

test('the ledger names the invoice that paid, and is read in pages that miss nothing', async () => {
  const { lines } = await get('/ledger')
  expect(lines.map(({ kind, source }: { kind: string; source: { kind: string } }) => [kind, source.kind])).toEqual([
    ['debit', 'free'],
    ['grant', 'topup'],
    ['grant', 'plan'],
    ['grant', 'free'],
  ])
  const invoices = await query('select id, number from invoices where account_id = $1 order by created_at, id', [
    number,
  ])
  expect(lines[1].source).toMatchObject({
    invoice_number: invoices.find(({ id: one }) => one === lines[1].source.invoice_id).number,
  })
  expect(new Set([lines[1].source.invoice_id, lines[2].source.invoice_id]).size).toBe(2)
  expect(lines[3].source).toMatchObject({ invoice_id: null, invoice_number: null })
  const [{ id: grant }] = await query('select id from credit_grants where account_id = $1 limit 1', [number])
  await query(
    `insert into credit_ledger (account_id, grant_id, at, kind, delta) select $1, $2, app_now(), kind, delta
     from generate_series(1, 60), (values ('grant', 1), ('debit', -1)) v(kind, delta)`,
    [number, grant],
  )
  const ids: number[] = []
  for (let before = ''; ; ) {
    const page = await get(`/ledger?${before}`)
    ids.push(...page.lines.map((line: { id: number }) => line.id))
    if (page.next === null) break
    before = `before=${page.next}`
  }
  expect(ids).toEqual(
    (await query('select id from credit_ledger where account_id = $1 order by id desc', [number])).map((row) => row.id),
  )
})

test('keys are masked: the answer has no value of a key', async () => {
  const values = (await customer.get('/api/keys')).apiKeys.map(({ unkey }: { unkey: string }) => unkey)
  expect(values[0]).toMatch(/^fm_[0-9A-Za-z]{38}$/)
  await customer.person.call('DELETE', `/api/keys/${customer.keys[1]!.id}`)
  const { text, body } = await operator.call('GET', `/customers/${id}/keys`)
  for (const value of values) expect(text).not.toContain(value.slice(0, 9))
  expect(body.data.keys).toMatchObject([
    { id: customer.keys[0]!.id, masked: `${values[0].slice(0, 8)}...`, calls: 2, deleted_at: null },
    { id: customer.keys[1]!.id, name: 'Second', calls: 1, deleted_at: expect.stringMatching(/Z$/) },
  ])
})

test('calls are those of the customer, by page and by result', async () => {
  const { receipts, nextCursor } = await get('/calls?limit=3')
  const rest = await get(`/calls?limit=3&cursor=${nextCursor}`)
  expect([receipts.length, rest.receipts.length, rest.nextCursor]).toEqual([3, 2, null])
  expect((await get('/calls?status=failed')).receipts).toMatchObject([
    { status: 'failed', credits: 0, tool: 'get_bars' },
  ])
  const own = (await customer.get('/api/usage/receipts')).receipts
  expect([...receipts, ...rest.receipts].map((one) => one.id)).toEqual(own.map((one: { id: string }) => one.id))
  const other = await startSession(server)
  await other.call('GET', '/api/keys')
  const [{ public_id }] = await query('select public_id from accounts where personal_of = $1', [other.userId])
  expect((await get('/calls', public_id)).receipts).toEqual([])
})

test('an invoice says what was refunded of it', async () => {
  const [{ intent }] = await query(
    'select payment_intent_id as intent from invoices where account_id = $1 and topup_id is not null',
    [number],
  )
  const { client } = server.deps.stripe!
  await client.refunds.create({ payment_intent: intent, amount: 30 })
  await settleBilling(server)
  const listed = (await client.invoices.list({ limit: 10 })).data.filter(({ amount_due }) => amount_due > 0)
  const { invoices, next } = await get('/invoices')
  expect(next).toBeNull()
  // Both may be of the same second, which the provider lists in an order of its own.
  expect(invoices.map((one: { id: string; amount_cents: number }) => [one.id, one.amount_cents]).sort()).toEqual(
    listed.map((one) => [one.id, one.amount_due]).sort(),
  )
  expect(invoices.map((one: { reversed_cents: number }) => one.reversed_cents).sort()).toEqual([0, 30])
  expect(invoices.find((one: { reversed_cents: number }) => one.reversed_cents === 30)).toMatchObject({
    status: 'paid',
    about: expect.stringMatching(/^[\d,]+ credits$/),
    dispute: null,
  })
})

test('people, limits and webhooks', async () => {
  await customer.person.call('POST', '/api/team/invitations', { body: { email: 'new@example.com', role: 'member' } })
  expect(await get('/people')).toMatchObject({
    people: [{ email: customer.person.email, role: 'owner', deletion_due_at: null }],
    invitations: [{ email: 'new@example.com', role: 'member' }],
  })
  await query('insert into account_preferences (account_id, alert_threshold, spend_cap_cents) values ($1, 80, 900)', [
    number,
  ])
  const [{ rate }] = await query(`select rate_limit_per_minute as rate from plans where name = 'Pro' limit 1`)
  expect(await get('/limits')).toMatchObject({
    rate_limit_per_minute: null,
    plan_rate_limit_per_minute: rate,
    alert_threshold: 80,
    spend_cap_cents: 900,
    auto_topup: null,
  })
  await query(
    `insert into alert_webhooks (account_id, url, salt) values ($1, 'https://hooks.example/in?token=s3cret', 'x')`,
    [number],
  )
  await query(
    `insert into alert_deliveries (id, account_id, body, attempts, next_attempt_at, done_at, error)
     select gen_random_uuid(), $1, '{}', n, app_now() + n * interval '1 minute', case when done then app_now() end, error
     from (values (1, true, null), (2, true, 'answered 500'), (3, false, 'answered 503'), (4, false, null)) v(n, done, error)`,
    [number],
  )
  const { text, body } = await operator.call('GET', `/customers/${id}/webhooks`)
  expect(text).not.toContain('s3cret')
  expect(body.data.origin).toBe('https://hooks.example')
  expect(body.data.deliveries.map(({ state }: { state: string }) => state)).toEqual([
    'waiting',
    'failing',
    'given_up',
    'delivered',
  ])
})

test('the timeline merges both logs, shows an act once, and is read in pages', async () => {
  const log = (action: string, ago: number) =>
    query(
      `insert into operator_log (at, operator, action, account_id, reason, after)
       values (app_now() - $3 * interval '1 second', 'olivia@example.com', $1, $2, 'Asked for by the customer', '{"credits": 5}')`,
      [action, id, ago],
    )
  await log('credits.granted', 0)
  await query(
    `insert into audit_log (account_id, actor, action, detail) values ($1, 'system:operator', 'credits.granted', '{"credits": 5}')`,
    [number],
  )
  const { entries } = await get('/timeline')
  expect(entries[0]).toMatchObject({
    by: 'olivia@example.com',
    by_operator: true,
    action: 'credits.granted',
    detail: { credits: 5 },
    reason: 'Asked for by the customer',
  })
  expect(entries[1]).toMatchObject({ action: 'invitation.sent', by: customer.person.email, by_operator: false })
  for (let n = 40; n >= 1; n--) await log('note.added', n + 5)
  await query(
    `insert into audit_log (at, account_id, actor, action) select app_now() - n * interval '3 seconds', $1, $2, 'key.created'
     from generate_series(40, 1, -1) n`,
    [number, `user:${customer.person.userId}`],
  )
  const seen: string[] = []
  for (let before = ''; ; ) {
    const page = await get(`/timeline?${before}`)
    seen.push(...page.entries.map(({ key }: { key: string }) => key))
    if (page.next === null) break
    before = `before=${page.next}`
  }
  const [{ count }] = await query(
    `select (select count(*) from operator_log where account_id = $2)
      + (select count(*) from audit_log where account_id = $1 and actor <> 'system:operator') as count`,
    [number, id],
  )
  expect([seen.length, new Set(seen).size]).toEqual([count, count])
})
