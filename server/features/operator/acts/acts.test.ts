import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { accountOf, buyCredits, buyPlan, plansByName, spend } from '../../billing/testing/billing.ts'
import { settleAccounts } from '../../credits/settle.ts'
import { checkInvariants } from '../../metering/invariants.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const rows = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows

/** A customer without credits, and their page's address. */
async function newCustomer(): Promise<{
  person: TestSession
  account: number
  id: string
  path: string
  name: string
}> {
  const person = await startSession(server)
  const { workspace } = (await person.call('GET', '/api/auth/profile')).body.data
  const account = await accountOf(server, person)
  const [{ name }] = await rows('select name from accounts where id = $1', [account])
  return { person, account, id: workspace.id, path: `/customers/${workspace.id}`, name }
}
const leave = { body: { confirmation: 'delete my account' } }
const ledger = (account: number) =>
  rows('select kind, delta::int from credit_ledger where account_id = $1 order by id', [account])
const balance = async (account: number) =>
  (await rows('select balance::int from credit_accounts where account_id = $1', [account]))[0].balance
const logOf = async (operator: TestOperator, id: string) =>
  (await operator.call('GET', `/log?account=${id}`)).body.data.entries as {
    action: string
    before: object | null
    after: object | null
    operator: string
    reason: string
  }[]
const auditOf = async (account: number) =>
  rows(
    `select actor, action, detail from audit_log where account_id = $1 and actor <> 'system:deletion' and action <> 'account.created' order by id`,
    [account],
  )

describe('credits', () => {
  test.each([`update operators set role = 'viewer' where email = $1`, 'delete from operators where email = $1'])(
    'an act that waited while its operator lost the role is not done: %s',
    async (change) => {
      const support = await openConsole(server, 'support')
      const { account, path } = await newCustomer()
      const held = await server.db.pool.connect()
      try {
        await held.query('begin')
        await held.query('select from accounts where id = $1 for update', [account])
        const asked = support.act(`${path}/grants`, { credits: 10 })
        const waiting = () =>
          rows(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        await expect.poll(waiting).toHaveLength(1)
        await rows(change, [support.email])
        await held.query('commit')
        const { status, body } = await asked
        expect([status, body.error]).toEqual([
          403,
          'Your role was changed meanwhile, so nothing was done. Reload the page.',
        ])
      } finally {
        held.release()
      }
      expect(await ledger(account)).toEqual([])
    },
  )

  test('an act_id with another amount is another act: refused, and never taken for done', async () => {
    const support = await openConsole(server, 'support')
    const { account, path } = await newCustomer()
    const id = randomUUID()
    expect((await support.act(`${path}/grants`, { credits: 10 }, id)).status).toBe(200)
    const other = await support.act(`${path}/grants`, { credits: 1_000 }, id)
    expect([other.status, other.body.error]).toEqual([409, 'This act_id was already used for another action.'])
    expect(await ledger(account)).toEqual([{ kind: 'grant', delta: 10 }])
  })

  test('grant 100, burn 30, take back 70, each sent twice: three ledger lines, balance 0, totals as in SQL', async () => {
    const support = await openConsole(server, 'support')
    const { person, account, path, id } = await newCustomer()
    const [granted, taken] = [randomUUID(), randomUUID()]
    for (const _ of [1, 2])
      expect((await support.act(`${path}/grants`, { credits: 100 }, granted)).body.data).toEqual({ done: true })
    expect(await spend(server, person, 30)).toBe('charged')
    for (const _ of [1, 2]) expect((await support.act(`${path}/take-backs`, { credits: 70 }, taken)).status).toBe(200)
    await settleAccounts(server.db)
    expect(await ledger(account)).toEqual([
      { kind: 'grant', delta: 100 },
      { kind: 'debit', delta: -30 },
      { kind: 'void', delta: -70 },
    ])
    expect(await balance(account)).toBe(0)
    expect((await logOf(support, id)).map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      { action: 'credits.voided', before: { balance: 70 }, after: { balance: 0, credits: -70 } },
      { action: 'credits.granted', before: { balance: 0 }, after: { balance: 100, credits: 100 } },
    ])
    // The customer's log has no reason: it is for operators.
    expect(await auditOf(account)).toEqual([
      { actor: 'system:operator', action: 'credits.granted', detail: { credits: 100 } },
      { actor: 'system:operator', action: 'credits.voided', detail: { credits: 70, asked: 70 } },
    ])
    expect(await checkInvariants(server.db)).toEqual([])
  })

  test('what was paid for or spent is not taken back, and the refusal says how many can be', async () => {
    const owner = await openConsole(server, 'owner')
    const { person, account, path } = await newCustomer()
    await buyCredits(server, person, 1)
    await owner.act(`${path}/grants`, { credits: 50 })
    await spend(server, person, 20)
    const state = (await owner.call('GET', `${path}/acts`)).body.data
    expect([state.balance, state.unpaid_credits]).toEqual([10_030, 30])
    const { status, body } = await owner.act(`${path}/take-backs`, { credits: 31 })
    expect([status, body.error]).toEqual([
      409,
      '30 credits can be taken back now. The others are burned or were paid for. To take back paid credits, refund the payment.',
    ])
    expect(await balance(account)).toBe(10_030)
    expect(await logOf(owner, path.slice(11))).toHaveLength(1)
  })

  test('two grants at once that together pass the limit of a day: exactly one is done; an owner has no limit', async () => {
    const support = await openConsole(server, 'support')
    const { account, path } = await newCustomer()
    const answers = await Promise.all([1, 2].map(() => support.act(`${path}/grants`, { credits: 60_000 })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(answers.find(({ status }) => status === 403)!.body.error).toBe(
      'You can grant and take back 100000 credits per day (UTC), and have used 60000 today. Ask an owner to do this.',
    )
    expect((await support.act(`${path}/take-backs`, { credits: 40_001 })).status).toBe(403)
    expect((await support.act(`${path}/take-backs`, { credits: 40_000 })).status).toBe(200)
    expect(await balance(account)).toBe(20_000)
    const owner = await openConsole(server, 'owner')
    expect((await owner.act(`${path}/grants`, { credits: 1_000_000 })).status).toBe(200)
    expect(await balance(account)).toBe(1_020_000)
  })

  test.each([0, -1, 1.5, '10', 1_000_000_001])('%s credits are refused', async (credits) => {
    const owner = await openConsole(server, 'owner')
    const { account, path } = await newCustomer()
    const { status, body } = await owner.act(`${path}/grants`, { credits })
    expect([status, body.code, await balance(account)]).toEqual([400, 'invalid_parameter', 0])
  })
})

describe('an account', () => {
  test('is suspended and resumed, each once', async () => {
    const support = await openConsole(server, 'support')
    const { account, path, id } = await newCustomer()
    const blocked = async () =>
      (await rows('select blocked from credit_accounts where account_id = $1', [account]))[0].blocked
    expect((await support.act(`${path}/suspend`)).status).toBe(200)
    expect(await blocked()).toBe(true)
    const again = await support.act(`${path}/suspend`)
    expect([again.status, again.body.error]).toEqual([
      409,
      'Nothing was changed: the account is already in this state.',
    ])
    expect((await support.act(`${path}/resume`)).status).toBe(200)
    expect(await blocked()).toBe(false)
    expect((await logOf(support, id)).map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      { action: 'account.resumed', before: { suspended: true }, after: { suspended: false } },
      { action: 'account.suspended', before: { suspended: false }, after: { suspended: true } },
    ])
    expect((await auditOf(account)).map(({ action }) => action)).toEqual(['account.suspended', 'account.resumed'])
  })

  test('gets a limit of its own, none, and that of its plan', async () => {
    const support = await openConsole(server, 'support')
    const { account, path, id } = await newCustomer()
    for (const limit of [7, 0, null])
      expect((await support.act(`${path}/limits`, { requests_per_minute: limit })).status).toBe(200)
    expect(await rows('select account_rate_limit($1) as limit', [account])).toEqual([{ limit: 120 }])
    expect((await logOf(support, id)).map(({ before, after }) => [before, after])).toEqual([
      [{ requests_per_minute: 0 }, { requests_per_minute: null }],
      [{ requests_per_minute: 7 }, { requests_per_minute: 0 }],
      [{ requests_per_minute: null }, { requests_per_minute: 7 }],
    ])
    expect((await support.act(`${path}/limits`, { requests_per_minute: -1 })).status).toBe(400)
  })

  test('has its members signed out everywhere', async () => {
    const finance = await openConsole(server, 'finance')
    const { person, path, id } = await newCustomer()
    const guest = await startSession(server)
    await joinWorkspace(server, person, guest, 'member')
    const stranger = await startSession(server)
    expect((await finance.act(`${path}/end-sessions`)).status).toBe(200)
    const statuses = await Promise.all(
      [person, guest, stranger].map(async (one) => (await one.call('GET', '/api/auth/profile')).status),
    )
    expect(statuses).toEqual([401, 401, 200])
    expect((await logOf(finance, id))[0]).toMatchObject({ before: { sessions: 2 }, after: { sessions: 0 } })
    expect(
      await rows(`select actor, action from audit_log where subject = any($1) order by id`, [
        [person.userId, guest.userId],
      ]),
    ).toEqual([1, 2].map(() => ({ actor: 'system:operator', action: 'auth.signed_out' })))
  })

  test('has notes, newest first, which the log does not repeat', async () => {
    const support = await openConsole(server, 'support')
    const { path, id } = await newCustomer()
    for (const note of ['Calls on Mondays', '  Prefers mail  '])
      expect((await support.act(`${path}/notes`, { note })).status).toBe(200)
    const { notes } = (await support.call('GET', `${path}/acts`)).body.data
    expect(notes.map(({ note, operator }: { note: string; operator: string }) => [note, operator])).toEqual([
      ['Prefers mail', support.email],
      ['Calls on Mondays', support.email],
    ])
    expect(JSON.stringify(await logOf(support, id))).not.toContain('Mondays')
    expect((await support.act(`${path}/notes`, { note: ' ' })).status).toBe(400)
  })

  test('is put on a plan by its name, unless it pays for one', async () => {
    const owner = await openConsole(server, 'owner')
    const { account, path, id } = await newCustomer()
    expect((await owner.act(`${path}/plan`, { plan: 'pro' })).status).toBe(200)
    expect(await balance(account)).toBe(100_000)
    expect((await logOf(owner, id))[0]).toMatchObject({
      action: 'plan.set',
      before: { plan: null },
      after: { plan: 'Pro', granted: 100_000 },
    })
    const unknown = await owner.act(`${path}/plan`, { plan: 'Platinum' })
    expect([unknown.status, unknown.body.error]).toEqual([
      409,
      expect.stringMatching(/^There is no plan Platinum\. Known: Free, /),
    ])
    const { plans } = (await owner.call('GET', `${path}/acts`)).body.data
    expect(plans.map(({ name }: { name: string }) => name)).toEqual(['Free', 'Pro', 'Pro'])
    const payer = await newCustomer()
    await buyPlan(server, payer.person, (await plansByName(payer.person)).Pro)
    const paying = await owner.act(`${payer.path}/plan`, { plan: 'Free' })
    expect([paying.status, paying.body.error]).toEqual([
      409,
      'The account pays for Pro. Change that subscription at the payment provider instead.',
    ])
  })
})

test('what does not exist, or is no id, looks like that to each act', async () => {
  const owner = await openConsole(server, 'owner')
  const bodies = { grants: { credits: 1 }, 'take-backs': { credits: 1 }, plan: { plan: 'Free' }, notes: { note: 'x' } }
  for (const [act, body] of Object.entries({
    ...bodies,
    suspend: {},
    resume: {},
    'end-sessions': {},
    limits: { requests_per_minute: 1 },
  })) {
    const missing = await owner.act(`/customers/${randomUUID()}/${act}`, body)
    expect([act, missing.status, missing.body.error]).toEqual([act, 404, 'There is no such customer.'])
    expect((await owner.act(`/customers/1/${act}`, body)).status).toBe(400)
  }
  expect((await owner.call('GET', `/customers/${randomUUID()}/acts`)).status).toBe(404)
})

test('an account that is being deleted takes no act but notes and the end of its sessions', async () => {
  const owner = await openConsole(server, 'owner')
  const { person, account, path } = await newCustomer()
  expect((await person.call('POST', '/api/account/deletion', leave)).status).toBe(200)
  for (const [act, body] of [
    ['grants', { credits: 5 }],
    ['take-backs', { credits: 5 }],
    ['suspend', {}],
    ['limits', { requests_per_minute: 5 }],
    ['plan', { plan: 'Free' }],
  ] as const) {
    const { status, body: answer } = await owner.act(`${path}/${act}`, body)
    expect([act, status, answer.error]).toEqual([
      act,
      409,
      expect.stringMatching(
        /^This account is being deleted: its data will be erased on \w+ \d+, \d{4} \(UTC\)\. The owner must first keep the account, in their settings\.$/,
      ),
    ])
  }
  expect((await owner.act(`${path}/notes`, { note: 'Left for a competitor' })).status).toBe(200)
  expect((await owner.act(`${path}/end-sessions`)).status).toBe(200)
  expect(await ledger(account)).toEqual([])
})

describe('an act and a deletion at once: the act comes first or is refused, and never changes an account that is going', () => {
  const changed: Record<string, [body: object, state: string, before: unknown, after: unknown]> = {
    grants: [{ credits: 5 }, 'select balance::int as now from credit_accounts where account_id = $1', 10_020, 10_025],
    'take-backs': [
      { credits: 5 },
      'select balance::int as now from credit_accounts where account_id = $1',
      10_020,
      10_015,
    ],
    suspend: [{}, 'select suspended_at is not null as now from accounts where id = $1', false, true],
    limits: [{ requests_per_minute: 7 }, 'select rate_limit_per_minute as now from accounts where id = $1', null, 7],
    plan: [
      { plan: 'Pro' },
      `select count(*)::int as now from subscriptions s join plans p using (price_id) where account_id = $1 and p.name = 'Pro'`,
      0,
      1,
    ],
    // Money goes back also while an account is being deleted.
    refunds: [
      { cents: 100, keeps_credits: 0 },
      'select balance::int as now from credit_accounts where account_id = $1',
      10_020,
      5_020,
    ],
  }
  const waiting = async () =>
    (
      await rows(
        `select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
    )[0].count
  test.each(
    Object.keys(changed).flatMap((act) => [
      [act, 'act'],
      [act, 'deletion'],
    ]),
  )('%s, %s first', async (act, first) => {
    const owner = await openConsole(server, 'owner')
    const { person, account, path } = await newCustomer()
    await buyCredits(server, person, 1)
    await owner.act(`${path}/grants`, { credits: 20 })
    const [invoice] = await rows('select id from invoices where account_id = $1', [account])
    const [given, state, before, after] = changed[act]!
    const body = act === 'refunds' ? { ...given, invoice: invoice.id } : given
    const holder = await server.db.pool.connect()
    await holder.query('begin')
    await holder.query('select from accounts where id = $1 for update', [account])
    const press = {
      act: () => owner.act(`${path}/${act}`, body),
      deletion: () => person.call('POST', '/api/account/deletion', leave),
    }
    const started = { [first!]: press[first as 'act']() } as Record<string, ReturnType<typeof press.act>>
    await expect.poll(waiting).toBe(1)
    const second = first === 'act' ? 'deletion' : 'act'
    started[second] = press[second]()
    await expect.poll(waiting).toBe(2)
    await holder.query('commit')
    holder.release()
    expect((await started.deletion)!.status).toBe(200)
    const { status, text } = (await started.act)!
    const isDone = first === 'act' || act === 'refunds'
    expect([status, text.includes('This account is being deleted')]).toEqual(isDone ? [200, false] : [409, true])
    await settleAccounts(server.db)
    expect([(await rows(state, [account]))[0].now, await checkInvariants(server.db)]).toEqual([
      isDone ? after : before,
      [],
    ])
  })
})

test('credits are taken back while calls burn them: each credit is burned, taken back or left, exactly', async () => {
  const owner = await openConsole(server, 'owner')
  const { person, account, path } = await newCustomer()
  expect((await owner.act(`${path}/grants`, { credits: 1_000 })).status).toBe(200)
  const calls = Array.from({ length: 120 }, (_, n) => spend(server, person, 1 + (n % 9)))
  const takeBacks = Array.from({ length: 6 }, (_, n) => owner.act(`${path}/take-backs`, { credits: 97 + n }))
  const outcomes = await Promise.all(calls)
  const answers = await Promise.all(takeBacks)
  await settleAccounts(server.db)
  const burned = outcomes.reduce((sum, outcome, n) => sum + (outcome === 'charged' ? 1 + (n % 9) : 0), 0)
  const taken = answers.reduce((sum, { status }, n) => sum + (status === 200 ? 97 + n : 0), 0)
  expect(new Set(outcomes.filter((outcome) => outcome !== 'charged'))).toEqual(
    new Set(outcomes.includes('insufficient_credits') ? ['insufficient_credits'] : []),
  )
  expect(burned).toBeGreaterThan(0)
  expect(taken).toBeGreaterThan(0)
  const sums = await rows(
    `select kind, sum(delta)::int as credits from credit_ledger where account_id = $1 group by kind order by kind`,
    [account],
  )
  expect(sums).toEqual([
    { kind: 'debit', credits: -burned },
    { kind: 'grant', credits: 1_000 },
    { kind: 'void', credits: -taken },
  ])
  expect(await balance(account)).toBe(1_000 - burned - taken)
  expect(await checkInvariants(server.db)).toEqual([])
})
