import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { heard } from '#server/testing/heard.ts'
import { grantCredits } from '../credits/grant.ts'
import { settleAccounts } from '../credits/settle.ts'
import { endExpiredHolds } from './holds.ts'
import { checkInvariants } from './invariants.ts'
import { closeMeterKey, setKeyBudget } from './keys.ts'
import { decodeReceiptId } from './receipt-id.ts'
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
let instance: Instance
let other: Instance

beforeAll(async () => {
  fixture = await meterFixture()
  instance = await fixture.instance()
  other = await fixture.instance()
})
afterAll(() => fixture.close())
afterEach(async () => {
  expect(await checkInvariants(fixture.db)).toEqual([])
  await sql`delete from app_clock`.execute(fixture.db.kysely)
})

const hold = async (account: TestAccount, most: number): Promise<string> => {
  const outcome = await instance.meter.hold(account, { most, seconds: 60 })
  if (outcome?.kind !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`)
  return outcome.id
}
const set = (change: string) => async (account: TestAccount) => {
  const { kysely } = fixture.db.of(account.bucket)
  await sql`update credit_accounts set ${sql.raw(change)} where account_id = ${account.accountId}`.execute(kysely)
}
const balanceOf = async (accountId: number): Promise<number> =>
  (
    await fixture.db.kysely
      .selectFrom('credit_accounts')
      .select('balance')
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
  ).balance

test('held credits cannot be spent elsewhere, on any server; the commit settles the difference', async () => {
  const account = await fixture.account(10)
  const holdId = await hold(account, 8)
  expect(await checkInvariants(fixture.db)).toEqual([])
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, (_, i) => (i % 2 ? instance : other).meter.commit(call(account))),
  )
  expect(tally(outcomes)).toEqual({ charged: 2, insufficient_credits: 4 })
  expect(await instance.meter.commit(call(account, { credits: 3, holdId }))).toMatchObject({
    kind: 'charged',
    creditsCharged: 3,
    creditsRemaining: 5,
  })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 3, failed: 0, charged: 5 })
})

test('credits that a settlement returns cannot pay the call before it in the same batch', async () => {
  const account = await fixture.account(6)
  const holdId = await hold(account, 5)
  const outcomes = await Promise.all([
    instance.meter.commit(call(account, { credits: 3 })),
    instance.meter.commit(call(account, { credits: 1, holdId })),
  ])
  expect(tally(outcomes)).toEqual({ insufficient_credits: 1, charged: 1 })
  expect(outcomes[1]).toMatchObject({ kind: 'charged', creditsRemaining: 5 })
})

test('twenty calls of 5 credits on a balance of 23: four are held, the others refused before work', async () => {
  const account = await fixture.account(23)
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? instance : other).meter.hold(account, { most: 5, seconds: 60 })),
  )
  const held = outcomes.filter((outcome) => outcome?.kind === 'held')
  expect(held).toHaveLength(4)
  expect(
    outcomes.filter((outcome) => outcome?.kind === 'refused' && outcome.code === 'insufficient_credits'),
  ).toHaveLength(16)
  // All at once, among calls without holds.
  const settled = await Promise.all([
    ...held.map((outcome) =>
      instance.meter.commit(call(account, { credits: 5, holdId: outcome?.kind === 'held' ? outcome.id : '' })),
    ),
    ...Array.from({ length: 4 }, () => instance.meter.commit(call(account))),
  ])
  expect(tally(settled.slice(0, 4))).toEqual({ charged: 4 })
  expect(tally(settled.slice(4))).toEqual({ charged: 3, insufficient_credits: 1 })
  expect(await balanceOf(account.accountId)).toBe(0)
})

test('a call that fails or is not carried out releases its hold', async () => {
  const account = await fixture.account(5)
  await setKeyBudget(fixture.db.kysely, account, 5)
  await instance.meter.commit(call(account, { status: 'failed', holdId: await hold(account, 5) }))
  expect(await balanceOf(account.accountId)).toBe(5)
  const holdId = await hold(account, 4)
  await instance.meter.release(account, holdId)
  await instance.meter.release(account, holdId)
  expect(await balanceOf(account.accountId)).toBe(5)
  await instance.meter.release(account, await hold(account, 5))
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 0, failed: 1, charged: 0 })
})

test('a hold whose server died expires; its call, if it arrives late, spends from the balance', async () => {
  const account = await fixture.account(5)
  const holdId = await hold(account, 5)
  expect(await endExpiredHolds(fixture.db)).toBe(0)
  await moveClock(fixture, '2 minutes')
  const both = await Promise.all([endExpiredHolds(fixture.db), endExpiredHolds(fixture.db)])
  expect(both.toSorted()).toEqual([0, 1])
  await instance.meter.commit(call(account, { credits: 3 }))
  expect(tally([await instance.meter.commit(call(account, { credits: 3, holdId }))])).toEqual({
    insufficient_credits: 1,
  })
  expect(await balanceOf(account.accountId)).toBe(2)
})

test('settlement and expiry of a grant during a hold lose nothing', async () => {
  const account = await fixture.account()
  const now = (await sql<{ now: Date }>`select app_now() as now`.execute(fixture.db.kysely)).rows[0]!.now
  await grantCredits(fixture.db.kysely, {
    accountId: account.accountId,
    kind: 'promo',
    amount: 10,
    sourceType: 'test',
    sourceId: randomUUID(),
    expiresAt: new Date(now.getTime() + 3_600_000),
  })
  const holdId = await hold(account, 6)
  await settleAccounts(fixture.db)
  await moveClock(fixture, '2 hours')
  // The other four are gone; the six on hold count as spent before the grant expired.
  expect(await balanceOf(account.accountId)).toBe(4)
  await settleAccounts(fixture.db)
  expect(await balanceOf(account.accountId)).toBe(0)
  expect(await checkInvariants(fixture.db)).toEqual([])
  expect(await instance.meter.commit(call(account, { credits: 4, holdId }))).toMatchObject({
    kind: 'charged',
    creditsRemaining: 2,
  })
})

test('key budget and pay-as-you-go are held too, and released', async () => {
  const account = await fixture.account(3)
  await setKeyBudget(fixture.db.kysely, account, 6)
  await sql`update credit_accounts set payg_enabled = true, payg_left = 100 where account_id = ${account.accountId}`.execute(
    fixture.db.kysely,
  )
  const holdId = await hold(account, 5)
  expect(await instance.meter.hold(account, { most: 2, seconds: 60 })).toMatchObject({ code: 'key_budget_exceeded' })
  expect(await instance.meter.commit(call(account, { credits: 4, holdId }))).toMatchObject({ creditsCharged: 4 })
  const row = await fixture.db.kysely
    .selectFrom('credit_accounts')
    .select(['balance', 'payg_left', 'payg_used'])
    .where('account_id', '=', account.accountId)
    .executeTakeFirst()
  expect(row).toEqual({ balance: 0, payg_left: 99, payg_used: 1 })
  expect(tally([await instance.meter.commit(call(account, { credits: 3 }))])).toEqual({ key_budget_exceeded: 1 })
  expect(tally([await instance.meter.commit(call(account, { credits: 2 }))])).toEqual({ charged: 1 })
})

test('no hold for a closed key or suspended account; unlimited credits hold nothing', async () => {
  const account = await fixture.account(5)
  const ask = ({ most = 5, ...change }: { most?: number; keyId?: number; accountId?: number }) =>
    instance.meter.hold({ ...account, ...change }, { most, seconds: 60 })
  expect(await ask({ keyId: 999_999_999 })).toMatchObject({ code: 'key_invalid' })
  expect(await ask({ accountId: 999_999_999 })).toMatchObject({ code: 'key_invalid' })
  await sql`update credit_accounts set blocked = true where account_id = ${account.accountId}`.execute(
    fixture.db.kysely,
  )
  expect(await ask({})).toMatchObject({ code: 'account_suspended', creditsRemaining: 5 })
  await sql`update credit_accounts set blocked = false, unlimited = true where account_id = ${account.accountId}`.execute(
    fixture.db.kysely,
  )
  expect(await ask({ most: 500 })).toMatchObject({ kind: 'held' })
  expect(await balanceOf(account.accountId)).toBe(5)
})

test.each([
  { since: 'its key was closed', change: (of: TestAccount) => closeMeterKey(fixture.db.of(of.bucket).kysely, of) },
  {
    since: 'its key lost its budget',
    change: (of: TestAccount) => setKeyBudget(fixture.db.of(of.bucket).kysely, of, 0),
  },
  { since: 'the account was suspended', change: set('blocked = true') },
  { since: 'pay-as-you-go was turned off', change: set('payg_enabled = false, payg_left = 0') },
])('what was held is charged, although $since', async ({ change }) => {
  const account = await fixture.account(3)
  await set('payg_enabled = true, payg_left = 100')(account)
  await setKeyBudget(fixture.db.of(account.bucket).kysely, account, 50)
  const holdId = await hold(account, 8)
  await change(account)
  expect(await instance.meter.commit(call(account, { credits: 7, holdId }))).toMatchObject({ creditsCharged: 7 })
  // Credits; pay-as-you-go paid the other 4.
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 3 })
  const { rows } = await sql<{ least: number }>`
    select least(budget_left, 0)::int as least from meter_keys where key_id = ${account.keyId}`.execute(
    fixture.db.kysely,
  )
  expect(rows).toEqual([{ least: 0 }])
})

test('a repeat under its idempotency key is free although nothing can be held', async () => {
  const account = await fixture.account(5)
  const idempotency = { key: 'once', requestHash: 'x' }
  const first = await instance.meter.commit(call(account, { credits: 5, idempotency, holdId: await hold(account, 5) }))
  expect(await instance.meter.hold(account, { most: 5, seconds: 60, idempotencyKey: 'once' })).toBeNull()
  const again = await instance.meter.commit(call(account, { credits: 5, idempotency }))
  expect(again).toMatchObject({ kind: 'replayed', receiptId: first.kind === 'charged' ? first.receiptId : '' })
})

test('a hold is settled once: a second settlement is told the first, and gets no credits', async () => {
  const account = await fixture.account(10)
  const holdId = await hold(account, 6)
  // In one batch, and on another server.
  const both = await Promise.all([4, 5].map((credits) => instance.meter.commit(call(account, { credits, holdId }))))
  const late = await other.meter.commit(call(account, { credits: 6, holdId }))
  const first = both[0]?.kind === 'charged' ? both[0].receiptId : ''
  expect(both[0]).toMatchObject({ kind: 'charged', creditsCharged: 4, creditsRemaining: 6 })
  for (const again of [both[1], late])
    expect(again).toEqual({
      kind: 'replayed',
      receiptId: first,
      creditsCharged: 0,
      creditsRemaining: 6,
      unlimited: false,
    })
  expect(await other.meter.release(account, holdId)).toBe(false)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 4 })
  // Also when the first was a failure.
  const failed = await hold(account, 6)
  await instance.meter.commit(call(account, { status: 'failed', holdId: failed }))
  expect(await instance.meter.commit(call(account, { credits: 6, holdId: failed }))).toMatchObject({ kind: 'replayed' })
  expect(await balanceOf(account.accountId)).toBe(6)
})

test('a hold that is charged at its expiry: a call of its tool, an alert, and the receipt for whoever settles late', async () => {
  const account = await fixture.account(20)
  const outcome = await instance.meter.hold(account, { most: 18, seconds: 60, onExpiry: 'charge', toolId: 7 })
  const holdId = outcome?.kind === 'held' ? outcome.id : ''
  await sql`update credit_accounts set alert_below = 2 where account_id = ${account.accountId}`.execute(
    fixture.db.kysely,
  )
  await moveClock(fixture, '2 minutes')
  await endExpiredHolds(fixture.db)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 18 })
  expect(await balanceOf(account.accountId)).toBe(2)
  const { rows } = await sql<object>`
    select e.tool_id, e.key_id, d.account_id is not null as due from usage_events e left join usage_alerts_due d on d.account_id = e.account_id
    where e.account_id = ${account.accountId}`.execute(fixture.db.kysely)
  expect(rows).toEqual([{ tool_id: 7, key_id: account.keyId, due: true }])
  const late = await instance.meter.commit(call(account, { credits: 1, holdId }))
  expect(late).toMatchObject({ kind: 'replayed', creditsRemaining: 2 })
  expect(decodeReceiptId(late.kind === 'replayed' ? late.receiptId : '')).toMatchObject({ batch: holdId, n: 1 })
  expect(await instance.meter.release(account, holdId)).toBe(false)
})

test('an expired hold and its settlement at the same moment: either the one or the other', async () => {
  const accounts = await Promise.all(Array.from({ length: 12 }, () => fixture.account(5)))
  const holds = await Promise.all(
    accounts.map((account, i) =>
      instance.meter.hold(account, { most: 5, seconds: 60, ...(i % 2 === 0 && { onExpiry: 'charge', toolId: 7 }) }),
    ),
  )
  await moveClock(fixture, '2 minutes')
  const [, ...outcomes] = await Promise.all([
    endExpiredHolds(fixture.db),
    ...accounts.map((account, i) => {
      const outcome = holds[i]
      return other.meter.commit(call(account, { credits: 2, holdId: outcome?.kind === 'held' ? outcome.id : '' }))
    }),
  ])
  await endExpiredHolds(fixture.db)
  for (const [i, account] of accounts.entries()) {
    const charged = outcomes[i]?.kind === 'replayed' ? 5 : 2
    expect([i, await balanceOf(account.accountId)]).toEqual([i, 5 - charged])
    expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged })
  }
})

test('a hold lets an account pay although the rest is spent, or its plan has ended', async () => {
  const account = await fixture.account()
  const now = (await sql<{ now: Date }>`select app_now() as now`.execute(fixture.db.kysely)).rows[0]!.now
  await grantCredits(fixture.db.kysely, {
    accountId: account.accountId,
    kind: 'plan',
    amount: 10,
    sourceType: 'test',
    sourceId: randomUUID(),
    expiresAt: new Date(now.getTime() + 1_800_000),
  })
  const [one, two] = [await hold(account, 4), await hold(account, 5)]
  await instance.meter.commit(call(account))
  expect(await instance.meter.commit(call(account, { credits: 3, holdId: one }))).toMatchObject({ creditsRemaining: 1 })
  await moveClock(fixture, '31 minutes')
  expect(await instance.meter.commit(call(account, { credits: 5, holdId: two }))).toMatchObject({
    kind: 'charged',
    creditsCharged: 5,
    creditsRemaining: 0,
  })
})

const settle = (account: TestAccount, holdId: string) => instance.meter.commit(call(account, { credits: 2, holdId }))
const expire = async () => {
  await moveClock(fixture, '2 minutes')
  await endExpiredHolds(fixture.db)
}
test.each([
  { what: 'credits', by: 'a settlement', end: settle },
  { what: 'credits', by: 'its expiry', end: expire },
  { what: 'pay-as-you-go', by: 'a settlement', end: settle },
])('what a hold returns to an empty account is known to every server at once: $what, by $by', async ({ what, end }) => {
  const account = await fixture.account(what === 'credits' ? 5 : 0)
  const caller = { ...account, rateLimitPerMinute: null }
  if (what !== 'credits') await set('payg_enabled = true, payg_left = 5')(account)
  const holdId = await hold(account, 5)
  // Notifications arrive in order: after this one, that of the account's grant cannot undo what the refusal teaches.
  const caughtUp = heard(other.listener, 'credits_changed', 0)
  await sql`select pg_notify('credits_changed', '0')`.execute(fixture.db.kysely)
  await caughtUp
  expect(tally([await other.meter.commit(call(account))])).toEqual({ insufficient_credits: 1 })
  expect(() => other.meter.admit(caller, 1)).toThrow('credits')
  const cameBack = heard(other.listener, 'credits_changed', account.accountId)
  await end(account, holdId)
  await cameBack
  expect(await other.meter.admit(caller, 1)).toBeNull()
})

test('credits on hold send no alert: only what a call costs does', async () => {
  const account = await fixture.account(20)
  await set('alert_below = 5')(account)
  const due = async () =>
    (await sql`select 1 from usage_alerts_due where account_id = ${account.accountId}`.execute(fixture.db.kysely)).rows
      .length
  const holdId = await hold(account, 18)
  expect(await due()).toBe(0)
  await instance.meter.commit(call(account, { credits: 17, holdId }))
  expect(await due()).toBe(1)
})

test('terms and ids that make no sense are refused before they reach a batch', async () => {
  const account = await fixture.account(5)
  for (const terms of [
    { most: -1, seconds: 60 },
    { most: 1.5, seconds: 60 },
    { most: 1, seconds: 3_601 },
    { most: 1, seconds: 0 },
    { most: 1, seconds: 60, onExpiry: 'charge' as const },
  ])
    await expect(instance.meter.hold(account, terms)).rejects.toThrow(/hold/)
  const holdId = '{a,b}'
  expect(await instance.meter.release(account, holdId)).toBe(false)
  await expect(instance.meter.commit(call(account, { holdId }))).rejects.toThrow('id')
})
