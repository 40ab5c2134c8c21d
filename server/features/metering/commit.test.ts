import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { bucketSchema } from '../../db/bucket-schema.ts'
import { setSuspended } from '../account/set-suspended.ts'
import { setCreditState } from '../credits/account-state.ts'
import { readBalance } from '../credits/balance.ts'
import { grantCredits } from '../credits/grant.ts'
import { checkInvariants } from './invariants.ts'
import { closeMeterKey, setKeyBudget } from './keys.ts'
import {
  call,
  type Instance,
  type MeterFixture,
  meterFixture,
  moveClock,
  recorded,
  type TestAccount,
  tally,
} from './testing/meter-fixture.ts'

let fixture: MeterFixture
let meter: Instance['meter']

beforeAll(async () => {
  fixture = await meterFixture()
  meter = (await fixture.instance()).meter
})
afterEach(async () => expect(await checkInvariants(fixture.db)).toEqual([]))
afterAll(() => fixture.close())

test('a call is charged its price and gets a receipt', async () => {
  const account = await fixture.account(10)
  const outcome = await meter.commit(call(account, { credits: 3 }))
  expect(outcome).toEqual({
    kind: 'charged',
    receiptId: expect.stringMatching(/^rcpt_[\w-]{35}$/),
    creditsCharged: 3,
    creditsRemaining: 7,
    unlimited: false,
  })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 3 })
})

test('what a price counted is stored, whichever way the batch is decided', async () => {
  const account = await fixture.account(100)
  const units = async () =>
    (
      await fixture.db.pool.query('select units from usage_events where account_id = $1 order by at, n', [
        account.accountId,
      ])
    ).rows.map((row) => row.units)
  await Promise.all([7, undefined, 2.5, 3e9].map((units) => meter.commit(call(account, { units }))))
  expect((await units()).sort()).toEqual([0, 0, 3, 7])
  // A key with a budget that is too small is decided call by call; a hold is settled in a batch of its own.
  await setKeyBudget(fixture.db.kysely, account, 2)
  await Promise.all([11, 12, 13].map((units) => meter.commit(call(account, { units }))))
  expect((await units()).slice(4)).toEqual([11, 12])
  await setKeyBudget(fixture.db.kysely, account, null)
  const hold = await meter.hold(account, { most: 5, seconds: 60 })
  await meter.commit(call(account, { units: 21, holdId: (hold as { id: string }).id }))
  expect((await units()).slice(6)).toEqual([21])
})

test('200 parallel calls on 50 credits: exactly 50 charged, 150 refused', async () => {
  const account = await fixture.account(50)
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => meter.commit(call(account))))
  expect(tally(outcomes)).toEqual({ charged: 50, insufficient_credits: 150 })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 50, failed: 0, charged: 50 })
  expect((await readBalance(fixture.db.kysely, account.accountId)).remaining).toBe(0)
})

test('two servers racing for one account spend no credit twice', async () => {
  const account = await fixture.account(300)
  const other = (await fixture.instance({ env: { METER_BATCHES: '3', METER_BATCH_SIZE: '7' } })).meter
  const outcomes = await Promise.all(
    Array.from({ length: 500 }, (_, i) => (i % 2 ? meter : other).commit(call(account))),
  )
  expect(tally(outcomes)).toEqual({ charged: 300, insufficient_credits: 200 })
  expect(new Set(outcomes.flatMap((one) => (one.kind === 'charged' ? [one.receiptId] : []))).size).toBe(300)
})

test('a batch goes beside another with 24 calls, of other accounts, and not before', async () => {
  const { meter: own } = await fixture.instance({
    limits: { lockMs: 100_000, statementMs: 100_000, answerMs: 100_000, callMs: 150_000 },
  })
  const slow = await fixture.account(10)
  const others: TestAccount[] = []
  while (others.length < 24) {
    const account = await fixture.account(10)
    if (account.bucket === slow.bucket) others.push(account)
  }
  const blocker = await fixture.db.pool.connect()
  try {
    await blocker.query('begin')
    const table = `${bucketSchema(slow.bucket)}.credit_accounts`
    await blocker.query(`select from ${table} where account_id = $1 for update`, [slow.accountId])
    const first = own.commit(call(slow))
    const waits = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'finmeter-meter'`
    await expect.poll(async () => (await fixture.db.pool.query(waits)).rows[0].n).toBe(1)
    const second = own.commit(call(slow))
    const beside = others.slice(0, 23).map((account) => own.commit(call(account)))
    // Were these sent already, they would be a batch of their own.
    await new Promise((done) => setTimeout(done, 50))
    beside.push(own.commit(call(others[23]!)))
    expect(tally(await Promise.all(beside))).toEqual({ charged: 24 })
    expect(own.figures()).toMatchObject({ batches: 1, settled: 24 })
    await blocker.query('rollback')
    expect(tally(await Promise.all([first, second]))).toEqual({ charged: 2 })
  } finally {
    blocker.release()
  }
})

test('the balance shown falls call by call, in arrival order', async () => {
  const account = await fixture.account(6)
  const prices = [1, 2, 0, 3]
  const outcomes = await Promise.all(prices.map((credits) => meter.commit(call(account, { credits }))))
  expect(outcomes.map((one) => one.creditsRemaining)).toEqual([5, 3, 3, 0])
})

test('an expensive call is refused, a cheaper one after it is not', async () => {
  const account = await fixture.account(5)
  const outcomes = await Promise.all([6, 5, 1, 0].map((credits) => meter.commit(call(account, { credits }))))
  expect(outcomes.map((one) => one.kind)).toEqual(['refused', 'charged', 'refused', 'charged'])
  expect(outcomes[0]).toEqual({ kind: 'refused', code: 'insufficient_credits', creditsRemaining: 5 })
})

test('free and failed calls are recorded at balance 0 without charge', async () => {
  const account = await fixture.account()
  const outcomes = await Promise.all([
    meter.commit(call(account, { credits: 0 })),
    meter.commit(call(account, { credits: 9, status: 'failed' })),
  ])
  expect(outcomes.map((one) => one.kind === 'charged' && one.creditsCharged)).toEqual([0, 0])
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 1, charged: 0 })
})

test('unlimited accounts are recorded and not charged, on both paths', async () => {
  const account = await fixture.account(4)
  const poor = await fixture.account()
  await setCreditState(fixture.db.kysely, account.accountId, { unlimited: true })
  const quick = await meter.commit(call(account, { credits: 5 }))
  const [exact, refused] = await Promise.all([meter.commit(call(account, { credits: 5 })), meter.commit(call(poor))])
  for (const outcome of [quick, exact])
    expect(outcome).toMatchObject({ kind: 'charged', creditsCharged: 0, creditsRemaining: 4, unlimited: true })
  expect(refused.kind).toBe('refused')
})

test('suspended account, closed key, foreign key and unknown account are refused and leave no row', async () => {
  const account = await fixture.account(10)
  const victim = await fixture.account(10)
  expect(await meter.commit({ ...call(account), keyId: victim.keyId })).toMatchObject({ code: 'key_invalid' })
  expect(await meter.commit(call({ accountId: 999_999_999, keyId: null }))).toMatchObject({ code: 'key_invalid' })
  await closeMeterKey(fixture.db.kysely, account)
  expect(await meter.commit(call(account))).toMatchObject({ code: 'key_invalid', creditsRemaining: 10 })
  expect(await meter.commit(call({ ...account, keyId: null }))).toMatchObject({ kind: 'charged' })
  await setSuspended(fixture.db.kysely, victim.accountId, true)
  expect(await meter.commit(call(victim))).toMatchObject({ code: 'account_suspended' })
  expect(await recorded(fixture, victim.accountId)).toEqual({ success: 0, failed: 0, charged: 0 })
})

test("a key's monthly budget stops at its limit and starts over with the month", async () => {
  const account = await fixture.account(100)
  await setKeyBudget(fixture.db.kysely, account, 4)
  const burst = () =>
    Promise.all(Array.from({ length: 5 }, (_, i) => meter.commit(call(account, { durationMs: i * 100 }))))
  // The month begins with this call.
  expect(tally([await meter.commit(call(account))])).toEqual({ charged: 1 })
  expect(tally(await burst())).toEqual({ charged: 3, key_budget_exceeded: 2 })
  await moveClock(fixture, '32 days')
  expect(tally(await burst())).toEqual({ charged: 4, key_budget_exceeded: 1 })
  await moveClock(fixture, '0')
})

test('pay-as-you-go takes over where credits end, up to its cap', async () => {
  const account = await fixture.account(3)
  await sql`update credit_accounts set payg_enabled = true, payg_left = 5 where account_id = ${account.accountId}`.execute(
    fixture.db.kysely,
  )
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => meter.commit(call(account, { credits: 2 }))))
  expect(tally(outcomes)).toEqual({ charged: 4, insufficient_credits: 1 })
  expect(outcomes.map((one) => one.kind === 'charged' && one.creditsCharged)).toEqual([2, 2, 2, 2, false])
  const { rows } =
    await sql`select balance, payg_left, payg_used from credit_accounts where account_id = ${account.accountId}`.execute(
      fixture.db.kysely,
    )
  expect(rows).toEqual([{ balance: 0, payg_left: 0, payg_used: 5 }])
})

test('a charge down to exactly the alert is marked, also where another call of the batch is refused', async () => {
  const account = await fixture.account(5)
  await sql`update credit_accounts set alert_below = 2 where account_id = ${account.accountId}`.execute(
    fixture.db.kysely,
  )
  const outcomes = await Promise.all([3, 9].map((credits) => meter.commit(call(account, { credits }))))
  expect(tally(outcomes)).toEqual({ charged: 1, insufficient_credits: 1 })
  const { rows } = await sql`select from usage_alerts_due where account_id = ${account.accountId}`.execute(
    fixture.db.kysely,
  )
  expect(rows).toHaveLength(1)
})

test('expired credits cannot be spent, even before any job has run', async () => {
  const account = await fixture.account(2)
  const in30Days = new Date(Date.now() + 30 * 86_400_000)
  await grantCredits(fixture.db.kysely, {
    accountId: account.accountId,
    kind: 'free',
    amount: 10,
    sourceType: 'test',
    sourceId: `e${account.accountId}`,
    expiresAt: in30Days,
  })
  expect(await meter.commit(call(account, { credits: 4 }))).toMatchObject({ creditsRemaining: 8 })
  await moveClock(fixture, '31 days')
  expect(await meter.commit(call(account, { credits: 3 }))).toMatchObject({
    code: 'insufficient_credits',
    creditsRemaining: 2,
  })
  expect(await meter.commit(call(account, { credits: 2 }))).toMatchObject({ kind: 'charged', creditsRemaining: 0 })
  await moveClock(fixture, '0')
})

test("a new month renews a key's budget with its first call, also while the old one lasts", async () => {
  const account = await fixture.account(100)
  await setKeyBudget(fixture.db.kysely, account, 3)
  const left = async () =>
    (await fixture.db.pool.query('select budget_left from meter_keys where key_id = $1', [account.keyId])).rows[0]
      .budget_left
  await meter.commit(call(account))
  expect(await left()).toBe(2)
  await moveClock(fixture, '32 days')
  await meter.commit(call(account))
  expect(await left()).toBe(2)
  await moveClock(fixture, '0')
})

test.each([-1, 0.5, 2_147_483_648, Number.NaN])('a price of %d is refused and nothing is recorded', async (credits) => {
  const account = await fixture.account(10)
  await expect(meter.commit(call(account, { credits }))).rejects.toMatchObject({ code: 'metering_unavailable' })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 0, failed: 0, charged: 0 })
})
