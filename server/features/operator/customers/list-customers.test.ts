import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { passMidnight } from '../../archive/testing/past-calls.ts'
import { accountOf, buyCredits, buyPlan, plansByName, spend } from '../../billing/testing/billing.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const query = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows

interface Line {
  id: string
  name: string
  paid_30_days: { currency: string; cents: number }[]
  [field: string]: unknown
}
let operator: TestOperator
let owner: TestOperator
const read = async (filter = ''): Promise<{ customers: Line[]; next: number | null; plans: string[] }> =>
  (await operator.call('GET', `/customers?${filter}`)).body.data
const csv = async (filter = ''): Promise<string> => (await owner.call('GET', `/customers-csv?${filter}`)).text

async function everything(filter = '', between: () => Promise<unknown> = async () => {}): Promise<Line[]> {
  const lines: Line[] = []
  for (let before = ''; ; ) {
    const { customers, next } = await read(filter + before)
    lines.push(...customers)
    if (next === null) return lines
    before = `&before=${next}`
    await between()
  }
}

/** A person with an account of their own, who is on the free plan unless `plan` is null. */
async function customer(email: string, plan: 'free' | null = 'free'): Promise<TestSession> {
  const person = await startSession(server, { email })
  await person.call('GET', '/api/keys')
  if (plan) await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  return person
}

let pro: TestSession
beforeAll(async () => {
  await passMidnight()
  operator = await openConsole(server, 'finance')
  owner = await openConsole(server, 'owner')
  await customer('free@example.com')
  await customer('none@example.com', null)
  const suspended = await customer('suspended@example.com')
  await query('update accounts set suspended_at = app_now() where id = $1', [await accountOf(server, suspended)])
  const leaving = await customer('leaving@example.com')
  await leaving.call('POST', '/api/account/delete', { body: { confirmation: 'delete my account' } })
  await query(
    `update profiles set deletion_requested_at = app_now(), deletion_due_at = app_now() + interval '14 days' where user_id = $1`,
    [leaving.userId],
  )
  const due = await customer('due@example.com')
  const old = await customer('old@example.com')
  await query(`update accounts set created_at = app_now() - interval '8 days' where id = $1`, [
    await accountOf(server, old),
  ])
  pro = await customer('pro@example.com')
  await buyPlan(server, pro, (await plansByName(pro)).Pro)
  await buyCredits(server, pro, 1)
  await spend(server, pro, 40)
  await spend(server, pro, 2)
  await query(`update subscriptions set status = 'past_due' where account_id = $1`, [await accountOf(server, due)])
})

const owners = (lines: Line[]) => lines.map(({ owner_email }) => owner_email)

test('a line has plan, state, balance, figures of 30 days and the day of the last call', async () => {
  const [line] = await everything('plan=Pro')
  const accountId = await accountOf(server, pro)
  const [ledger] = await query('select balance from credit_accounts where account_id = $1', [accountId])
  const [paid] = await query('select sum(amount_cents)::int as cents from invoices where account_id = $1', [accountId])
  const [{ public_id, day }] = await query(
    `select public_id, to_char(app_now() at time zone 'UTC', 'YYYY-MM-DD') as day from accounts where id = $1`,
    [accountId],
  )
  expect(paid.cents).toBeGreaterThan(0)
  expect(line).toEqual({
    id: public_id,
    name: 'Personal',
    owner_email: 'pro@example.com',
    personal: true,
    plan: 'Pro',
    plan_state: 'active',
    state: 'active',
    balance: ledger.balance,
    unlimited: false,
    burned_30_days: 42,
    paid_30_days: [{ currency: 'usd', cents: Number(paid.cents) }],
    last_call_day: day,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
})

test('figures leave out what is older than 30 UTC days', async () => {
  const person = await customer('past@example.com')
  const accountId = await accountOf(server, person)
  await query(
    `insert into usage_daily (account_id, key_id, day, success, failed, refused, from_credits, from_payg)
     select $1, 0, (app_now() at time zone 'UTC')::date - ago, 1, 0, 0, credits, 1 from (values (29, 10), (30, 100)) v(ago, credits)`,
    [accountId],
  )
  await query(
    `insert into invoices (id, account_id, status, amount_cents, paid_cents, created_at)
     select 'in_' || ago, $1, status, cents, cents, date_trunc('day', app_now(), 'UTC') - ago * interval '1 day'
     from (values (29, 'paid', 500), (30, 'paid', 7000), (1, 'open', 90)) v(ago, status, cents)`,
    [accountId],
  )
  const line = (await everything()).find(({ owner_email }) => owner_email === 'past@example.com')
  expect(line).toMatchObject({ burned_30_days: 11, paid_30_days: [{ currency: 'usd', cents: 500 }] })
  await query(`update usage_daily set day = day - 60 where account_id = $1`, [accountId])
  const [{ day }] = await query(`select to_char((app_now() at time zone 'UTC')::date - 89, 'YYYY-MM-DD') as day`)
  const later = (await everything()).find(({ owner_email }) => owner_email === 'past@example.com')
  expect(later).toMatchObject({ burned_30_days: 0, last_call_day: day })
  await query('delete from invoices where account_id = $1', [accountId])
})

test.each([
  ['suspended', ['suspended@example.com']],
  ['deleting', ['leaving@example.com']],
  ['past_due', ['due@example.com']],
  ['active', ['past@example.com', 'pro@example.com', 'old@example.com', 'free@example.com']],
  ['trial', []],
])('the state %s', async (state, expected) => {
  const lines = await everything(`state=${state}`)
  expect(owners(lines)).toEqual(expected)
  expect(lines.every((line) => line.state === state)).toBe(true)
})

test('filters by plan, by age and together; the plan is the one in force', async () => {
  const free = ['past@example.com', 'old@example.com', 'due@example.com', 'suspended@example.com', 'free@example.com']
  const { plans } = await read()
  expect(plans).toEqual(['Free', 'Pay-as-you-go', 'Pro'])
  // The owner of Pro has the free plan, too.
  expect(owners(await everything('plan=Free')).filter((email) => email !== 'leaving@example.com')).toEqual(free)
  expect(owners(await everything('plan=Free&state=active&new=7d'))).toEqual(['past@example.com', 'free@example.com'])
  expect(owners(await everything('new=30d'))).toContain('old@example.com')
  expect(await everything('plan=Nothing')).toEqual([])
  expect(owners(await everything('state=no_plan'))).toContain('none@example.com')
})

test('customers who sign up between two pages are neither repeated nor skip others', async () => {
  await query(`insert into accounts (name) select 'Page ' || n from generate_series(1, 130) n`)
  const before = (await query('select public_id from accounts order by id desc')).map(({ public_id }) => public_id)
  const seen = await everything('', () => query(`insert into accounts (name) values ('Meanwhile'), ('Between')`))
  expect(seen.map(({ id }) => id)).toEqual(before)
  expect((await query(`select count(*) from accounts where name = 'Meanwhile'`))[0].count).toBeGreaterThanOrEqual(2)
})

test('the CSV of a filter equals the list, and a name cannot become a formula', async () => {
  await query(`update accounts set name = '=HYPERLINK("x"),a' where name = 'Page 7'`)
  for (const filter of ['', 'state=active', 'plan=Free&new=7d', 'state=trial']) {
    const lines = await everything(filter)
    const [head, ...rows] = (await csv(filter)).trimEnd().split('\r\n')
    expect(head).toBe(
      'id,name,owner_email,plan,plan_state,state,balance,unlimited,burned_30_days,paid_30_days,last_call_day,created_at',
    )
    const names = head!.split(',')
    expect(rows).toHaveLength(lines.length)
    rows.forEach((row, at) => {
      if (row.includes('HYPERLINK')) expect(row).toContain(`"'=HYPERLINK(""x""),a"`)
      else
        expect(row).toBe(
          names
            .map((name) => (name === 'paid_30_days' ? paidOf(lines[at]!) : String(lines[at]![name] ?? '')))
            .join(','),
        )
    })
  }
  const answer = await owner.call('GET', '/customers-csv')
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('cache-control')).toBe('private, no-store')
})

test('the CSV is for owners with a recent second factor, and who took it is in the log', async () => {
  const asked = async (role: 'owner' | 'viewer', provedAgoSeconds: number | null) => {
    const by = await openConsole(server, role, { provedAgoSeconds })
    const { status, body } = await by.call('GET', '/customers-csv?state=trial')
    return [status, body?.code, await query('select action, after from operator_log where operator = $1', [by.email])]
  }
  expect(await asked('viewer', 0)).toEqual([403, 'forbidden', []])
  for (const proved of [601, null]) expect(await asked('owner', proved)).toEqual([403, 'second_factor_required', []])
  expect((await asked('owner', 540)).toSpliced(1, 1)).toEqual([
    200,
    [{ action: 'customers.exported', after: { state: 'trial' } }],
  ])
})

test('a wrong filter is refused; a customer that does not exist is missing', async () => {
  for (const wrong of ['state=rich', 'new=2d', 'before=x']) {
    const { status, body } = await operator.call('GET', `/customers?${wrong}`)
    expect([wrong, status, body.code]).toEqual([wrong, 400, 'invalid_parameter'])
  }
  const missing = await operator.call('GET', `/customers/${randomUUID()}`)
  expect([missing.status, missing.body]).toMatchObject([
    404,
    { code: 'not_found', error: 'There is no such customer.' },
  ])
})

test('a customer has what acts on it need', async () => {
  const [{ public_id }] = await query('select public_id from accounts where id = $1', [await accountOf(server, pro)])
  const [{ id: payment_customer }] = await query('select id from billing_customers where account_id = $1', [
    await accountOf(server, pro),
  ])
  expect((await operator.call('GET', `/customers/${public_id}`)).body.data).toMatchObject({
    id: public_id,
    name: 'Personal',
    owner_email: 'pro@example.com',
    plan: 'Pro',
    plan_state: 'active',
    state: 'active',
    unlimited: false,
    suspended_at: null,
    members: 1,
    rate_limit_per_minute: null,
    personal: true,
    deletion_due_at: null,
    payment_customer,
    payg_enabled: false,
  })
  const [{ public_id: suspended }] = await query('select public_id from accounts where suspended_at is not null')
  expect((await operator.call('GET', `/customers/${suspended}`)).body.data).toMatchObject({
    state: 'suspended',
    suspended_at: expect.stringMatching(/Z$/),
  })
})

const paidOf = ({ paid_30_days: sums }: Line) => sums.map(({ currency, cents }) => `${cents} ${currency}`).join(', ')

test('the totals of a filter are those of its whole list, with money for finance alone', async () => {
  for (const filter of ['', 'plan=Pro', 'state=suspended', 'plan=Free&state=active', 'new=7d', 'state=trial']) {
    const lines = await everything(filter)
    const paid = lines.flatMap((line) => line.paid_30_days).reduce((sum, { cents }) => sum + cents, 0)
    const totals = async (reader: TestOperator) => (await reader.call('GET', `/customers-totals?${filter}`)).body.data
    const sums = { customers: lines.length, balance: lines.reduce((sum, { balance }) => sum + Number(balance), 0) }
    expect(await totals(operator)).toEqual({ ...sums, paid_30_days: paid ? [{ currency: 'usd', cents: paid }] : [] })
    expect(await totals(await openConsole(server, 'support'))).toEqual({ ...sums, paid_30_days: null })
  }
})

test('of more than 10,000 customers only that is said', async () => {
  await query(
    `insert into accounts (public_id, name, suspended_at) select gen_random_uuid(), 'Many', now() from generate_series(1, 10000)`,
  )
  const totals = async () => (await operator.call('GET', '/customers-totals')).body.data
  expect(await totals()).toEqual({ customers: null, balance: null, paid_30_days: null })
})
